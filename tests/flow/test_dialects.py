"""The query of a release, translated: real PostgreSQL and real Spark give the values of the release."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.postgres_server import Server
from flow.fitted import COLUMNS, SAYABLE, people, put
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ODD = ["it's", "back\\slash", 'say "no"', "Köln", "new\nline", "%_", "a;b -- c", "\\n", "'", "\\'", "''", "{x}", "$1"]
FLOATS = [
    0.0,
    -0.0,
    0.1,
    0.3,
    0.1 + 0.2,
    1.005,
    -2.675,
    4500.0,
    -0.05,
    1e15,
    1e300,
    -1e300,
    0.15,
    0.25,
    7.5,
    math.nan,
    None,
]

SMALL = [x for x in FLOATS if x is None or not abs(x) > 1e15]


def odd() -> pa.Table:
    """Values that engines like to differ on."""
    rows = 4 * len(FLOATS)
    day = dt.date(1999, 12, 28)
    return pa.table(
        {
            "word": pa.array([ODD[i % len(ODD)] if i % 7 else None for i in range(rows)]),
            "x": pa.array([SMALL[i % len(SMALL)] for i in range(rows)], pa.float64()),
            "y": pa.array([FLOATS[i % len(FLOATS)] for i in range(rows)], pa.float64()),
            "z": pa.array([FLOATS[i % len(FLOATS)] for i in range(rows)], pa.float64()),
            "n": pa.array([None if i % 11 == 5 else (i * 37) % 101 - 50 for i in range(rows)], pa.int64()),
            "m": pa.array([(i * 53) % 211 - 100 for i in range(rows)], pa.int64()),
            "week": pa.array([day + dt.timedelta(days=i * 97) for i in range(rows)]),
            "half": pa.array(
                [dt.datetime(1999, 12, 31, 23, 59, 59) + dt.timedelta(days=i * 31) for i in range(rows)],
                pa.timestamp("us"),
            ),
            "yes": pa.array([None if i % 5 == 4 else i % 2 == 0 for i in range(rows)]),
            "code": pa.array([f"{i:05d}" for i in range(rows)]),
        }
    )


TREE = [[word, f"{word}|{'a' if i % 2 else chr(39)}", "*"] for i, word in enumerate(ODD)]
RECIPE = f"""
[schema]
columns = [
  {{ name = "word", scale = "nominal", hierarchy = "word" }},
  {{ name = "x", scale = "continuous", decimals = 2 }},
  {{ name = "y", scale = "continuous", hierarchy = "tenths" }},
  {{ name = "z", scale = "continuous" }},
  {{ name = "n", scale = "discrete", hierarchy = "fives", missing = [7, 8] }},
  {{ name = "m", scale = "discrete" }},
  {{ name = "week", scale = "time", hierarchy = "week" }},
  {{ name = "half", scale = "time", hierarchy = "half" }},
  {{ name = "yes", scale = "nominal" }},
  {{ name = "code", scale = "place", hierarchy = "code" }},
]
[hierarchies]
word = {{ rows = {json.dumps(TREE)} }}
tenths = {{ intervals = [0.1, 0.5], origin = 0.05, outside = "root" }}
fives = {{ intervals = [5] }}
week = {{ dates = ["week"] }}
half = {{ dates = ["half"] }}
code = {{ prefix = [3, 1] }}
[[steps]]
method = "restrict"
where = [{{ column = "week", above = "1999-12-29" }}, {{ column = "word", not_in = ['\\n'], missing = true }}]
[[steps]]
method = "suppress_rare"
columns = ["word", "yes"]
min_count = 2
[[steps]]
method = "recode"
column = "word"
level = 1
[[steps]]
method = "recode"
column = "y"
level = 1
[[steps]]
method = "round_to"
column = "z"
base = 0.3
[[steps]]
method = "recode"
column = "n"
level = 1
[[steps]]
method = "round_to"
column = "m"
base = 7
[[steps]]
method = "top_code"
column = "m"
upper = 50
[[steps]]
method = "recode"
column = "week"
level = 1
[[steps]]
method = "recode"
column = "half"
level = 1
[[steps]]
method = "recode"
column = "yes"
map = {{ true = "ja" }}
others = "keep"
[[steps]]
method = "recode"
column = "code"
level = 1
"""
CASES = {"people": (people, COLUMNS + SAYABLE), "odd": (odd, RECIPE)}
cases = pytest.mark.parametrize("case", CASES)


def released(case: str, folder: Path) -> tuple[pa.Table, pa.Table]:
    """The original and its release, in ``folder``."""
    make, recipe = CASES[case]
    table = make()
    put(table, folder / "people.parquet")
    Recipe.from_toml('[data]\nfile = "people.parquet"\n' + recipe, folder).run(out=folder / "release", key=bytes(32))
    release = pq.read_table(folder / "release" / "public" / "data.parquet")
    assert len(release) > 40
    return table, release


def counted(names: list[str], rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """The rows without order; floats to the last bit."""
    return Counter((*names, *(f"{cell!r}" if isinstance(cell, float) else cell for cell in row)) for row in rows)


def wanted(table: pa.Table) -> Counter[tuple[Any, ...]]:
    columns = [column.to_pylist() for column in table.itercolumns()]
    return counted(table.column_names, list(zip(*columns, strict=True)))


@cases
def test_postgres(case: str, postgres: Server, tmp_path: Path) -> None:
    from adbc_driver_postgresql import dbapi

    table, release = released(case, tmp_path)
    query = sql(tmp_path / "release", "postgres", table="q.input")
    postgres.do("DROP SCHEMA IF EXISTS q CASCADE", "CREATE SCHEMA q")
    with dbapi.connect(postgres.string(), autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("input", table, mode="create", db_schema_name="q")
        cursor.execute(f"CREATE TABLE q.output AS {query.text}")
        cursor.execute("SELECT * FROM q.output")
        found = cursor.fetch_arrow_table()
    assert [_loose(field.type) for field in found.schema] == [_loose(field.type) for field in release.schema]
    assert wanted(found) == wanted(release)


@cases
def test_spark(case: str, spark: SparkSession, tmp_path: Path) -> None:
    table, release = released(case, tmp_path)
    spark.read.parquet(str(tmp_path / "people.parquet")).createOrReplaceTempView("input")
    frame = spark.sql(sql(tmp_path / "release", "spark").text.rstrip(";\n"))
    assert len(table) and counted(frame.columns, [tuple(row) for row in frame.collect()]) == wanted(release)


def _loose(kind: pa.DataType) -> str:
    return "integer" if pa.types.is_integer(kind) else str(kind)
