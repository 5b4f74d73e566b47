"""The same recipe and key give the same release on DuckDB and on Spark."""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.errors import DataError, EngineError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.engine._spark_session import java_memory
from schleier.flow.recipe.recipe import DataSection, Recipe
from schleier.testing import example_schema, example_table

pytestmark = pytest.mark.spark

RECIPE = """
[data]
file = "{file}"
[schema]
{row_key}
others = "drop"
[[schema.columns]]
name = "person"
role = "identifier"
scale = "text"
[[schema.columns]]
name = "household"
role = "unit"
scale = "nominal"
[[schema.columns]]
name = "age"
role = "quasi"
scale = "discrete"
hierarchy = "age"
[[schema.columns]]
name = "sex"
role = "quasi"
scale = "nominal"
[[schema.columns]]
name = "region"
role = "quasi"
scale = "place"
hierarchy = "region"
[[schema.columns]]
name = "born"
scale = "time"
hierarchy = "born"
[[schema.columns]]
name = "schooling"
scale = "ordinal"
hierarchy = "schooling"
[[schema.columns]]
name = "disease"
role = "sensitive"
scale = "nominal"
hierarchy = "disease"
[[schema.columns]]
name = "income"
role = "sensitive"
scale = "continuous"
decimals = 1
[[schema.columns]]
name = "weight"
scale = "continuous"
hierarchy = "weight"
[[schema.columns]]
name = "children"
scale = "discrete"
[hierarchies]
age = {{ intervals = [5, 10, 20] }}
region = {{ prefix = [3, 2, 0] }}
born = {{ dates = ["month", "quarter", "year"] }}
schooling = {{ rows = [["basic", "low", "*"], ["middle", "low", "*"], ["high", "high", "*"]] }}
disease = {{ tree = {{ well = ["none"], ill = {{ common = ["flu"], uncommon = ["rare"] }} }} }}
weight = {{ balanced = [8, 4] }}
[[steps]]
method = "drop"
columns = ["person"]
[[steps]]
method = "recode"
column = "age"
level = 2
[[steps]]
method = "recode"
column = "region"
level = 2
[[steps]]
method = "recode"
column = "born"
level = 2
[[steps]]
method = "recode"
column = "schooling"
level = 1
[[steps]]
method = "recode"
column = "disease"
level = 1
[[steps]]
method = "recode"
column = "weight"
level = 1
[[steps]]
method = "recode"
column = "sex"
map = {{ f = "woman", m = "man" }}
[[steps]]
method = "recode"
column = "children"
breaks = [1, 3]
labels = ["none", "some", "many"]
[[steps]]
method = "top_code"
column = "income"
upper = 4000
lower = 100
[[criteria]]
criterion = "k_anonymity"
k = 2
keys = [["sex"]]
[[measures]]
measure = "uniqueness"
[[measures]]
measure = "changed_cells"
"""


def written(folder: Path, form: str) -> Path:
    table, path = example_table(), folder / f"people.{form}"
    if form == "csv":
        pa.csv.write_csv(table, path)
    elif form == "feather":
        pa.feather.write_feather(table, path)
    else:
        pq.write_table(table, path, row_group_size=50)
    return path


@pytest.mark.parametrize(("form", "row_key"), [("parquet", 'row_key = "id"'), ("csv", ""), ("feather", "")])
def test_the_same_release_on_both(form: str, row_key: str, tmp_path: Path, spark: Any, key: bytes) -> None:
    text = RECIPE.format(file=written(tmp_path, form), row_key=row_key)
    recipe = Recipe.from_toml(text)
    here, there = recipe.run(key=key), recipe.run(key=key, engine="spark")
    assert there.audit.digest == here.audit.digest
    assert there.report.findings == here.report.findings
    assert there.report.criteria == here.report.criteria
    assert there.rows is not None and here.rows is not None
    assert there.rows.to_pydict() == here.rows.to_pydict()  # also in the same order
    households = here.rows.column("household").to_pylist()
    changes = sum(a != b for a, b in itertools.pairwise(households))
    assert changes + 1 == len(set(households))  # units stay together


def test_a_release_written_by_spark_is_whole_and_the_same(tmp_path: Path, spark: Any, key: bytes) -> None:
    from schleier.flow.release.release import is_release

    recipe = Recipe.from_toml(RECIPE.format(file=written(tmp_path, "parquet"), row_key=""))
    there = recipe.run(out=tmp_path / "out", key=key, engine="spark")
    assert is_release(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.parquet"]
    assert there.data.rows == len(example_table())
    here = recipe.run(key=key)
    assert here.rows is not None
    assert there.audit.digest == here.audit.digest
    assert pq.read_table(tmp_path / "out" / "public" / "data.parquet").to_pydict() == here.rows.to_pydict()
    assert recipe.run(key=bytes(32), engine="spark").audit.digest != there.audit.digest  # another key


@pytest.fixture(scope="module")
def engines(spark: Any) -> Iterator[tuple[Any, Any]]:
    here, there = registry.get("engine", "duckdb")(), registry.get("engine", "spark")()
    yield here, there
    here.close()
    there.close()


ODD = "the row's id, ä"
FRAME = pd.DataFrame(
    {
        ODD: ["r3", "r1", "r2", "r5", "ä"],
        "home": [12345678.0, 12345678.0, None, 1.0, 1e15],
        "kind": pd.Categorical(["b", None, "a", "gone", "b"]),
        "seen": pd.Series([1_600_000_000_123_456_789, None, -1_000, 0, 1], dtype="Int64").astype("datetime64[ns]"),
        "count": pd.array([1, None, 3, 4, 5], dtype="UInt32"),
        "price": pd.Series([1.005, -0.0, float("nan"), 99.0, 1e15]),
        "nothing": [None] * 5,
    }
)
DESCRIBED = Schema(
    row_key=ODD,
    columns=(
        Column(name="home", role="unit", scale="nominal"),
        Column(name="kind", scale="nominal", missing=("gone",)),
        Column(name="seen", scale="time"),
        Column(name="count", scale="discrete"),
        Column(name="price", scale="continuous", decimals=2, missing=(99,)),
        Column(name="nothing", scale="text"),
    ),
)


def test_a_frame_gives_the_same_release_on_both(spark: Any, key: bytes) -> None:
    recipe = Recipe(data=DataSection(), schema=DESCRIBED)
    here, there = recipe.run(FRAME, key=key), recipe.run(FRAME, key=key, engine="spark")
    assert there.rows is not None and here.rows is not None
    assert there.rows.to_pydict() == here.rows.to_pydict()
    assert there.audit.digest == here.audit.digest


def test_fingerprints_are_the_same_on_both(engines: tuple[Any, Any], key: bytes) -> None:
    from schleier.flow.release.fingerprint import fingerprint

    here, there = (fingerprint(Dataset.from_frame(FRAME, DESCRIBED, engine), Run(key)) for engine in engines)
    turned = Dataset.from_frame(FRAME[::-1], DESCRIBED, engines[1])
    assert here == there == fingerprint(turned, Run(key))
    nobody = [Dataset.from_frame(FRAME, DESCRIBED, engine).filter(nw.col("count") < 0) for engine in engines]
    assert fingerprint(nobody[0], Run(key)) == fingerprint(nobody[1], Run(key)) != here


def test_draws_are_the_same_on_both(engines: tuple[Any, Any], key: bytes) -> None:
    def drawn(engine: Any, by: str) -> dict[str, float]:
        data = Run(key=key).draw(Dataset.from_frame(FRAME, DESCRIBED, engine), "_u_", by=by)
        rows = engine.arrays(data.frame.select(ODD, "_u_")).to_pydict()
        return dict(zip(rows[ODD], rows["_u_"], strict=True))

    for by in (ODD, "kind", "home", "count"):
        here, there = (drawn(engine, by) for engine in engines)
        assert here == there, by


def test_draws_of_some_rows_are_those_of_all(engines: tuple[Any, Any], key: bytes) -> None:
    for engine in engines:
        data = Dataset.from_frame(FRAME, DESCRIBED, engine)
        data = data.mutate(_some_=~nw.col("count").is_null() & (nw.col("count") > 1))
        both = Run(key=key).draw(Run(key=key).draw(data, "_u_"), "_v_", where="_some_")
        rows = engine.arrays(both.frame.select("_some_", "_u_", "_v_")).to_pylist()
        assert {row["_some_"] for row in rows} == {True, False}
        assert all(row["_v_"] == (row["_u_"] if row["_some_"] else None) for row in rows)


def kernel(group: Any) -> dict[str, Any]:
    """A result that depends on the order, the size and the gaps of a group; of every type a kernel may return."""
    import numpy as np

    pay, count = group["income"], len(group["income"])
    return {
        "income": np.where(np.isnan(pay), np.nan, np.arange(count) + 0.5),
        "children": np.where(np.isnan(pay), np.nan, count),
        "disease": np.array([f"{i} of {count}" if i % 2 else None for i in range(count)], dtype=object),
        "schooling": np.isnan(pay),
    }


CHANGES: dict[str, Any] = {
    "income": nw.Float64(),
    "children": nw.Int64(),
    "disease": nw.String(),
    "schooling": nw.Boolean(),
}


@pytest.mark.parametrize("by", [["region", "sex"], ["born"], []])
def test_groups_are_the_same_on_both(by: list[str], engines: tuple[Any, Any]) -> None:
    def result(engine: Any) -> dict[str, Any]:
        data = Dataset.from_frame(example_table(), example_schema(), engine)
        return data.map_groups(by, kernel, CHANGES, given=["weight"]).to_arrow().to_pydict()

    here, there = map(result, engines)
    assert here == there
    assert len(set(map(str, here["income"]))) > 1


def test_both_refuse_the_same_rows(engines: tuple[Any, Any]) -> None:
    schema = Schema(columns=(Column(name="x", scale="discrete"),))
    for engine in engines:
        with pytest.raises(DataError, match="2 rows hold numbers with decimals"):
            Dataset.from_frame(pa.table({"x": [1.5, float("inf"), 2.0, None]}), schema, engine)


def test_an_error_of_spark_quotes_no_value(engines: tuple[Any, Any]) -> None:
    _, there = engines
    schema = Schema(columns=(Column(name="x", scale="text"),))
    data = Dataset.from_frame(pa.table({"x": ["zzz-planted-marker"]}), schema, there)
    with pytest.raises(EngineError) as caught:
        data.mutate(x=nw.col("x").cast(nw.Int64)).to_arrow()
    assert "zzz-planted-marker" not in "".join(traceback.format_exception(caught.value))


def test_memory_is_said_as_java_says_it() -> None:
    assert java_memory("2GB") == "1907m"
    assert java_memory("1 GiB") == "1024m"
    assert java_memory("1KB") == "1m"
