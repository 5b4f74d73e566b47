"""The same recipe and key give the same release on DuckDB and on Spark."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from schleier.engine.spark import java_memory
from schleier.flow.recipe import Recipe
from schleier.testing import example_table

pytestmark = pytest.mark.spark

RECIPE = """
[data]
file = "{file}"
[schema]
{row_key}
others = "drop"
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


@pytest.mark.parametrize(
    ("form", "row_key"), [("parquet", 'row_key = "id"'), ("parquet", ""), ("csv", ""), ("feather", "")]
)
def test_the_same_release_on_both(form: str, row_key: str, tmp_path: Path, spark: Any, key: bytes) -> None:
    text = RECIPE.format(file=written(tmp_path, form), row_key=row_key)
    recipe = Recipe.from_toml(text)
    here, there = recipe.run(key=key), recipe.run(key=key, engine="spark")
    assert there.report.digest == here.report.digest
    assert there.report.findings == here.report.findings
    assert there.report.criteria == here.report.criteria
    assert there.rows is not None and here.rows is not None
    assert there.rows.to_pydict() == here.rows.to_pydict()  # also in the same order
    households = here.rows.column("household").to_pylist()
    changes = sum(a != b for a, b in itertools.pairwise(households))
    assert changes + 1 == len(set(households))  # units stay together


def test_another_key_gives_another_order(tmp_path: Path, spark: Any, key: bytes) -> None:
    recipe = Recipe.from_toml(RECIPE.format(file=written(tmp_path, "parquet"), row_key=""))
    one, two = recipe.run(key=key, engine="spark"), recipe.run(key=bytes(32), engine="spark")
    assert one.report.digest != two.report.digest


def test_a_release_written_by_spark_is_whole(tmp_path: Path, spark: Any, key: bytes) -> None:
    from schleier.flow.release import is_release

    recipe = Recipe.from_toml(RECIPE.format(file=written(tmp_path, "parquet"), row_key=""))
    release = recipe.run(out=tmp_path / "out", key=key, engine="spark")
    assert is_release(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.parquet"]
    assert release.data.rows == len(example_table())


def test_memory_is_said_as_java_says_it() -> None:
    assert java_memory("2GB") == "1907m"
    assert java_memory("1 GiB") == "1024m"
    assert java_memory("1KB") == "1m"
