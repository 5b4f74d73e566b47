"""Files as people have them: numbers of rows without a name, whole numbers that are none, an index, shapes, frames."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from typer.testing import CliRunner

import schleier as sl
from schleier.cli import app

PEOPLE = {
    "name": [f"Person {n}" for n in range(200)],
    "age": [20 + n % 40 for n in range(200)],
    "sex": ["f", "m"] * 100,
    "pay": [1500 + 13.5 * (n % 50) for n in range(200)],
}


def command(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def released(folder: Path, file: Path) -> list[str]:
    """The files of the public part of a drafted release."""
    command("describe", file, "-o", folder / "schema.toml")
    command("run", folder / "recipe.toml", "--out", folder / "release")
    return sorted(path.name for path in (folder / "release" / "public").iterdir())


@pytest.mark.parametrize(("delimiter", "quote"), [(",", '"'), (";", ""), ("\t", "")])
def test_a_first_column_without_a_name_numbers_the_records(delimiter: str, quote: str, tmp_path: Path) -> None:
    lines = [delimiter.join([f"{quote}{quote}", "age", "sex"])]
    lines += [delimiter.join([str(n), str(20 + n % 30), "fm"[n % 2]]) for n in range(100)]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    draft = sl.describe(tmp_path / "r.csv")
    assert (draft.schema.row_key, draft.schema.names) == ("row_number", ("age", "sex"))
    assert "The first column has no name." in command("describe", tmp_path / "r.csv")
    assert "Die erste Spalte hat keinen Namen." in command("describe", tmp_path / "r.csv", "--lang", "de")
    assert "data.csv" in released(tmp_path, tmp_path / "r.csv")
    assert "row_number" not in (tmp_path / "release" / "public" / "data.csv").read_text()


def test_numbers_of_records_that_repeat_are_not_released(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(",age\n" + "".join(f"{n % 3},{n}\n" for n in range(60)))
    draft = sl.describe(tmp_path / "p.csv")
    assert draft.schema.row_key is None and draft.schema["row_number"].role == "identifier"
    assert draft.recipe["steps"][0] == {"method": "drop", "columns": ["row_number"]}


def test_only_the_first_column_may_have_no_name(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("age,,pay\n1,2,3\n")
    with pytest.raises(sl.SchleierError, match="1 column has no name: column 2"):
        sl.describe(tmp_path / "p.csv")


def test_whole_numbers_of_spss_that_are_none(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [30.0, 41.0] * 50, "hours": [1.5, 40.0] * 50, "answer": [1.0, 2.0] * 49 + [1.5, 2.0]})
    labels = {"answer": {1: "yes", 2: "no"}}
    formats = dict.fromkeys(frame.columns, "F8.0")
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(frame, str(path), variable_format=formats, variable_value_labels=labels)
    draft = sl.describe(path)
    assert {column.name: column.scale for column in draft.schema}["age"] in ("discrete", "nominal")
    assert {draft.schema["hours"].scale, draft.schema["answer"].scale} == {"continuous"}
    rows = sl.read(path, draft.schema).to_arrow()
    assert rows["hours"].to_pylist()[:2] == [1.5, 40.0] and rows["answer"].to_pylist()[98] == 1.5
    assert "data.sav" in released(tmp_path, path)


def test_an_index_of_pandas_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pd.DataFrame({"age": range(30)}, index=[f"Ada {n}" for n in range(30)]).to_parquet(path)
    draft = sl.describe(path)
    assert draft.schema.names == ("age",) and [remark.key for remark in draft.remarks] == ["index"]
    assert sl.read(path, draft.schema).rows == 30


@pytest.mark.parametrize("nested", [False, True])
def test_shapes_of_a_map_are_never_released(nested: bool, tmp_path: Path) -> None:
    points: Any = [struct.pack("<BIdd", 1, 1, float(n), 50.0) for n in range(60)]
    shapes = pa.array([{"x": float(n), "y": 50.0} for n in range(60)]) if nested else pa.array(points, pa.binary())
    about = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    table = pa.table({"age": [20 + n % 9 for n in range(60)], "geometry": shapes})
    path = tmp_path / "places.parquet"
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(about)}), path)
    draft = sl.describe(path)
    assert draft.left_out == ("geometry",)
    assert [(one.key, one.values["columns"]) for one in draft.remarks] == [("shapes", "geometry")]
    assert "data.parquet" in released(tmp_path, path)
    schema = pq.read_schema(tmp_path / "release" / "public" / "data.parquet")
    assert schema.names == ["age"] and b"geo" not in (schema.metadata or {})


def test_the_format_of_the_input(tmp_path: Path) -> None:
    recipe = '[schema]\ncolumns = [{name = "age", role = "quasi", scale = "discrete"}]\nothers = "drop"\n'
    frame = pd.DataFrame(PEOPLE)
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    frame.to_excel(tmp_path / "b.xlsx", index=False)
    frame.to_feather(tmp_path / "c.feather")
    frame.to_json(tmp_path / "d.jsonl", orient="records", lines=True)
    pyreadstat.write_xport(frame, str(tmp_path / "e.xpt"))
    wanted = {"a.csv.gz": "csv", "b.xlsx": "csv", "c.feather": "feather", "d.jsonl": "csv", "e.xpt": "parquet"}
    for name, ending in wanted.items():
        made = sl.Recipe.from_toml(f'[data]\nfile = "{tmp_path / name}"\n' + recipe)
        assert made.run(out=tmp_path / f"{name}.out").report.file == f"data.{ending}"
        asked = sl.Recipe.from_toml(f'[data]\nfile = "{tmp_path / name}"\n[release]\nformat = "parquet"\n' + recipe)
        assert asked.run().report.file == "data.parquet"
    assert sl.Recipe.from_toml(recipe).run(frame).report.file == "data.parquet"
    assert "it will be written as csv" in command("describe", tmp_path / "b.xlsx")


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, lambda rows: pd.DataFrame(rows).set_index("name")]
)
def test_frames_in_the_place_of_files(make: Any, tmp_path: Path) -> None:
    frame = make(PEOPLE)
    draft = sl.describe(frame)
    assert draft.file == "" and {"age", "sex"} == set(draft.schema.quasi)
    assert sl.inspect(frame, draft.schema).records == 200
    found = sl.suggest(frame, "public_use")
    assert found.draft.file == "" and found.chosen is not None
    from schleier.draft.writing import write_draft

    written = write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en")
    assert "[data]" not in written[0].read_text()
    recipe = sl.Recipe.from_file(tmp_path / "recipe.toml")
    release = recipe.run(frame)
    assert all(
        verdict.holds for verdict in sl.verify(release.data.to_arrow(), sl.Recipe.from_file(tmp_path / "recipe.toml"))
    )
