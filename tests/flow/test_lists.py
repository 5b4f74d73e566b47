"""A column of lists on its way from a file to a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError, WriteError
from schleier.core.schema import Column, Schema
from schleier.flow.recipe.recipe import Recipe

KEY = bytes(range(32))
RECIPE = """
[data]
file = "FILE"
[schema]
columns = [
  {{ name = "age", role = "quasi", scale = "nominal" }},
  {{ name = "drugs", role = "{role}", scale = "{scale}" }},
]
[[criteria]]
criterion = "km_anonymity"
column = "drugs"
k = {k}
m = 2
{separator}
[[measures]]
measure = "changed_cells"
[release]
format = "{format}"
[engine]
name = "{engine}"
"""
DRUGS: list[list[str | None] | None] = [["a", "b"], ["b", "a"], ["a", "b", None], [], None, ["a"]]
TABLE = pa.table({"age": ["30-39"] * 6, "drugs": pa.array(DRUGS, pa.list_(pa.string()))})


def recipe(folder: Path, file: str = "people.parquet", **more: Any) -> Recipe:
    given = {"role": "sensitive", "scale": "nominal", "k": 3, "format": "parquet", "engine": "duckdb", "separator": ""}
    text = RECIPE.format(**(given | more)).replace("FILE", file)
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return Recipe.from_file(folder / "recipe.toml")


def release(folder: Path, **more: Any) -> tuple[dict[str, Any], Path]:
    pq.write_table(TABLE, folder / "people.parquet")
    recipe(folder, **more).run(out=folder / "out", key=KEY)
    public = folder / "out" / "public"
    return json.loads((public / "report.json").read_text(encoding="utf-8")), public


def digest(public: Path) -> str:
    """The digest of a release, which the public report of so few records does not tell."""
    return str(json.loads((public.parent / "restricted" / "audit.json").read_text(encoding="utf-8"))["digest"])


def same(found: list[Any]) -> bool:
    return sorted(map(repr, found)) == sorted(map(repr, DRUGS))


def test_parquet_to_parquet(tmp_path: Path) -> None:
    report, public = release(tmp_path)
    assert same(pq.read_table(public / "data.parquet")["drugs"].to_pylist())
    (verdict,) = report["criteria"]
    assert (verdict["level"], verdict["holds"], verdict["records"]) == (3, True, 6)
    for file in public.iterdir():  # no document quotes the items
        assert file.suffix == ".parquet" or '"b", "a"' not in file.read_text(encoding="utf-8")


def test_feather_to_feather_has_the_same_digest(tmp_path: Path) -> None:
    _, public = release(tmp_path)
    with pa.ipc.new_file(tmp_path / "people.feather", TABLE.schema) as writer:
        writer.write_table(TABLE)
    found = recipe(tmp_path, "people.feather", format="feather").run(out=tmp_path / "other", key=KEY)
    assert found.audit.digest == digest(public)
    with pa.ipc.open_file(tmp_path / "other" / "public" / "data.feather") as reader:
        assert same(reader.read_all()["drugs"].to_pylist())


@pytest.mark.parametrize("form", ["csv", "stata", "spss"])
def test_formats_without_lists_refuse(tmp_path: Path, form: str) -> None:
    with pytest.raises(WriteError, match="drugs"):
        release(tmp_path, format=form)
    assert not (tmp_path / "out").exists()


def test_csv_with_a_separator(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text('age,drugs\n1,a|b\n1,b | a\n1,a|b|\n1,""\n1,\n1,a\n', encoding="utf-8")
    found = recipe(tmp_path, "people.csv", separator='separator = "|"', format="csv").run(out=tmp_path / "out", key=KEY)
    (verdict,) = found.report.criteria
    assert (verdict.level, verdict.holds) == (3, True)


def test_a_broken_criterion_stops_the_release(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="The rarest combination of up to 2 items occurs in 3 records; 4 are required"):
        release(tmp_path, k=4)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("role", "scale"), [("quasi", "nominal"), ("unit", "nominal"), ("plain", "ordinal")])
def test_a_list_is_no_key_and_has_no_order(tmp_path: Path, role: str, scale: str) -> None:
    pq.write_table(TABLE, tmp_path / "people.parquet")
    found = recipe(tmp_path, role=role, scale=scale)
    with pytest.raises(DataError, match="holds lists of items and cannot be") as caught:
        found.run(out=tmp_path / "out", key=KEY)
    assert caught.value.problems[0].code == "wrong-type"


@pytest.mark.parametrize("kind", [pa.list_(pa.float64()), pa.list_(pa.list_(pa.int64())), pa.list_(pa.int64(), 2)])
def test_other_lists_are_refused(kind: pa.DataType) -> None:
    schema = Schema(columns=[Column(name="x", scale="nominal")])
    values = [[[1], [2]]] if pa.types.is_list(kind) and pa.types.is_list(kind.value_type) else [[1, 2]]
    with pytest.raises(DataError, match="holds other values"):
        Dataset.from_frame(pa.table({"x": pa.array(values, kind)}), schema)


@pytest.mark.spark
def test_equal_on_spark(tmp_path: Path, spark: Any) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    duck, here = release(tmp_path / "one")
    report, public = release(tmp_path / "two", engine="spark")
    assert (digest(public), report["criteria"]) == (digest(here), duck["criteria"])
    assert same(pq.read_table(public / "data.parquet")["drugs"].to_pylist())
