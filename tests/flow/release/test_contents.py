"""Nothing published names a value that is not in the file, and what joins two releases is said."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.data import Dataset
from schleier.core.registry import get
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.contents import SAMPLE, joining_columns
from schleier.report.html import Html

GONE = "Federal President"
RECIPE = """
[schema]
columns = [
  { name = "job", role = "quasi", scale = "nominal", labels = { 1 = "baker", 0 = "Federal President", 3 = "smith" } },
  { name = "code", role = "plain", scale = "discrete", labels = { 1 = "baker", "0.0" = "GONE", 3 = "smith" } },
  { name = "yes", role = "plain", scale = "nominal", labels = { true = "it is so", false = "Federal President" } },
]
[[steps]]
method = "restrict"
where = [{ column = "code", at_least = 1 }]
[release]
format = "FORMAT"
access = "ACCESS"
"""


def table(smiths: int = 12) -> pa.Table:
    codes = [1] * 20 + [0] + [3] * smiths
    return pa.table({"job": list(map(str, codes)), "code": codes, "yes": [code != 0 for code in codes]})


def release(folder: Path, form: str, access: str = "public", smiths: int = 12) -> Path:
    text = RECIPE.replace("GONE", GONE).replace("FORMAT", form).replace("ACCESS", access)
    Recipe.from_toml(text).run(table(smiths), out=folder / "out", key=bytes(32))
    return folder / "out" / "public"


@pytest.mark.parametrize("form", ["csv", "parquet", "feather", "spss", "stata"])
def test_labels_of_values_that_are_not_in_the_release_are_not_published(tmp_path: Path, form: str) -> None:
    public = release(tmp_path, form)
    files = [file for file in public.rglob("*") if file.is_file()]
    assert len(files) >= 4
    assert not [file.name for file in files if GONE.encode() in file.read_bytes()]
    told = {"1": "baker", "3": "smith"}
    report = json.loads((public / "report.json").read_text(encoding="utf-8"))
    assert [column["labels"] for column in report["columns"]] == [told, told, {"true": "it is so"}]
    columns = tomllib.loads((public / "schema.toml").read_text(encoding="utf-8"))["schema"]["columns"]
    assert [column["labels"] for column in columns] == [told, told, {"true": "it is so"}]
    reader = get("format", form)()
    if reader.explains:
        entries = reader.dictionary(next(public.glob("data.*")))
        assert entries["code"].labels == told and entries["yes"].labels == {"1": "it is so"}


def test_a_report_on_a_file_that_is_not_public_names_no_rare_value(tmp_path: Path) -> None:
    public = release(tmp_path, "csv", access="contract", smiths=9)
    report = json.loads((public / "report.json").read_text(encoding="utf-8"))
    assert report["columns"][0]["labels"] == {"1": "baker"}
    columns = tomllib.loads((public / "schema.toml").read_text(encoding="utf-8"))["schema"]["columns"]
    assert columns[0]["labels"] == {"1": "baker", "3": "smith"}  # this lies beside the file


@pytest.mark.parametrize("kind", [pa.string(), pa.int64()])
def test_reasons_that_are_not_in_the_release_are_not_published(tmp_path: Path, kind: pa.DataType) -> None:
    """A code for "refused" that a single person had says that there was one."""
    columns = '{ name = "job", role = "quasi", scale = "nominal", reasons = [-8.0, -9] }'
    steps = '[[steps]]\nmethod = "restrict"\nwhere = [{ column = "job", not_in = ["-9"] }]'
    codes = [1] * 20 + [-8] * 11 + [-9]
    people = pa.table({"job": pa.array(codes, pa.int64()).cast(kind)})
    Recipe.from_toml(f"[schema]\ncolumns = [{columns}]\n{steps}").run(people, out=tmp_path / "out", key=bytes(32))
    text = (tmp_path / "out" / "public" / "schema.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["schema"]["columns"][0]["reasons"] == [-8.0]


@pytest.mark.parametrize(("gaps", "told"), [(0, "239"), (1, "239"), (8, "239"), (9, "230"), (235, "fewer than 10")])
def test_how_many_gaps_a_hidden_column_had_is_not_told(gaps: int, told: str) -> None:
    """What is not compared are the values; with exact counts the gaps would be the rest."""
    columns = '{ name = "age", role = "quasi", scale = "discrete" }, { name = "n", role = "plain", scale = "discrete" }'
    steps = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = [200]\n[[measures]]\nmeasure = "moments"'
    people = pa.table({"age": [None] * gaps + [30] * (239 - gaps), "n": range(239)})
    report = Recipe.from_toml(f"[schema]\ncolumns = [{columns}]\n{steps}").run(people).report
    assert report.not_compared == {"age": told}


PLAIN = """
[schema]
columns = [
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "left", role = "quasi", scale = "nominal" },
  { name = "distance", role = "plain", scale = "continuous" },
  { name = "children", role = "plain", scale = "discrete" },
  { name = "weight", role = "weight", scale = "continuous" },
]
[[steps]]
method = "recode"
column = "left"
map = { maybe = "yes" }
others = "keep"
[[criteria]]
criterion = "k_anonymity"
k = 5
[release]
access = "contract"
"""


def people(rows: int, **changes: list[Any]) -> pa.Table:
    told = {
        "sex": ["f", "m"] * (rows // 2),
        "left": ["yes", "yes", "no", "no", "maybe", "yes", "no", "no"] * (rows // 8),
        "distance": [i * 1.5 for i in range(rows)],
        "children": [i % 4 for i in range(rows)],
        "weight": [1.0 + i / 1000 for i in range(rows)],
    }
    return pa.table(told | changes)


def cautions(rows: pa.Table) -> dict[str, tuple[str, ...]]:
    report = Recipe.from_toml(PLAIN).run(rows, key=bytes(32)).report
    return {one.code: one.columns for one in report.cautions}


def test_columns_that_join_two_releases_are_named() -> None:
    assert cautions(people(40)) == {"unique_column": ("distance",), "unique_weight": ("weight",)}
    nearly = [0.0, 0.0, *(i * 1.5 for i in range(38))]
    assert cautions(people(40, distance=nearly, weight=[1.5] * 40)) == {"unique_column": ("distance",)}
    assert cautions(people(40, distance=[1.0, 2.0] * 20, weight=[None] * 40)) == {}


def test_to_call_a_column_a_key_protects_nobody() -> None:
    """As long as no criterion looks at it, it joins two releases like any other."""
    text = PLAIN.partition("[[criteria]]")[0].replace('"distance", role = "plain"', '"distance", role = "quasi"')
    assert text.count('"quasi"') == 3
    report = Recipe.from_toml(text).run(people(40), key=bytes(32)).report
    (found,) = [one for one in report.cautions if one.code == "unique_column"]
    assert "distance" in found.columns and found.command.startswith("schleier criteria ")


def test_a_column_may_only_look_unique_in_the_first_rows() -> None:
    rows = 2 * SAMPLE
    data = Dataset.from_frame(
        people(rows, distance=[float(i % SAMPLE) for i in range(rows)]), Recipe.from_toml(PLAIN).schema
    )
    path = data.engine.work / "rows.parquet"
    data.engine.write(data.frame, path, [data.schema.key], data.schema.names)
    assert [column.name for column in joining_columns(path, data)] == ["weight"]


def test_report_and_terminal_name_them(tmp_path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(people(40), tmp_path / "people.csv")
    (tmp_path / "recipe.toml").write_text('[data]\nfile = "people.csv"\n' + PLAIN, encoding="utf-8")
    out = tmp_path / "out"
    told = CliRunner().invoke(app, ["run", str(tmp_path / "recipe.toml"), "--out", str(out)])
    assert told.exit_code == 0, told.output
    said = " ".join(told.stderr.split() + told.stdout.split())
    assert "The column distance holds a different value in almost every record" in said
    assert "The weight weight is different in almost every record" in said
    release = Recipe.from_toml(PLAIN).run(people(40), key=bytes(32))
    for lang, start in (("en", "holds a different value in almost"), ("de", "enthält in fast jedem Datensatz")):
        page = Html().render(release.report, lang)
        assert start in page and 'class="verdict mind"' in page


@pytest.mark.parametrize(("form", "stamp"), [("spss", b"01 Jan 8000:00:00"), ("stata", b"01 Jan 1980 00:00")])
def test_a_file_does_not_tell_when_it_was_made(form: str, stamp: bytes, tmp_path: Path) -> None:
    """Two runs a minute apart write the same bytes, and the file is read as before."""
    one = get("format", form)()
    rows = pa.table({"age": list(range(40)), "word": ["a", "b"] * 20})
    path = tmp_path / f"data{one.suffixes[0]}"
    one.write(rows.to_batches(), rows.schema, path)
    assert stamp in path.read_bytes()[:400]
    read = pa.Table.from_batches(list(one.batches(path)))
    assert read["age"].to_pylist() == list(range(40)) and read["word"].to_pylist() == ["a", "b"] * 20
