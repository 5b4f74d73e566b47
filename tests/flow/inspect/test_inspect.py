"""The risk of a file as it is: what is measured, in which order, and what never leaves the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

import schleier as sl
from flow.making import SCHEMA, written
from flow.strange_risks import codes, names, of, offered
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.errors import DataError, RecipeError, SchemaError, WriteError
from schleier.flow.inspect.inspect import IDENTIFIERS, Inspection, inspect
from schleier.report.inspection.page import page
from schleier.report.inspection.text import text
from schleier.testing import example_schema, example_table

FIRST = ("uniqueness", "combinations", "single_columns")
MARKER, NUMBER = "zzz-planted-marker", 987654321


@pytest.fixture
def strangers() -> Iterator[None]:
    """Measures of a third party."""
    with offered():
        yield


def test_a_file_with_its_recipe(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    found = sl.inspect(tmp_path / "people.parquet", recipe)
    assert (found.file, found.records, found.format) == ("people.parquet", 240, "schleier-inspection-1")
    assert found.having("identifier") == ["person"]
    assert {column.name: column.hierarchy for column in found.columns}["age"]
    assert tuple(names(found)[:4]) == (IDENTIFIERS, *FIRST)
    assert found.findings[0].text == "1 column names people directly: person."
    assert Inspection.model_validate_json(found.model_dump_json()) == found
    with pytest.raises(ValidationError):
        found.records = 1  # type: ignore[misc]


def test_file_and_frame_and_both_kinds_of_schema_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    recipe = written(tmp_path)
    by_recipe = inspect(str(tmp_path / "people.parquet"), recipe)
    by_schema = inspect(tmp_path / "people.parquet", tmp_path / "schema.toml")
    by_frame = inspect(example_table(), sl.Recipe.from_file(recipe).schema)
    assert by_recipe == by_schema == by_frame.model_copy(update={"file": "people.parquet"})


def test_rows_are_grouped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, real = list[Request](), Dataset.classes
    monkeypatch.setattr(Dataset, "classes", lambda self, request: asked.append(request) or real(self, request))
    inspect(example_table(), example_schema())
    assert len(asked) == len(set(asked))
    assert [request.keys for request in asked].count(("age", "sex", "region")) == 1


def test_what_is_remembered_does_not_follow_changed_rows() -> None:
    import narwhals as nw

    from schleier.flow.memory import CachedDataset

    plain = Dataset.from_frame(example_table(), example_schema())
    data, request = CachedDataset.of(plain), Request(keys=("sex",))
    assert data.classes(request).records == 240
    assert data.filter(nw.col("sex") == "f").classes(request).records < 240


def test_without_quasi_identifiers_the_columns_are_still_told() -> None:
    schema = example_schema()
    for name in schema.quasi:
        schema = schema.changed(name, role="plain")
    found = inspect(example_table(), schema)
    assert "uniqueness" not in names(found) and "combinations" not in names(found)
    assert names(found)[:2] == [IDENTIFIERS, "single_columns"]


def test_nobody_is_named() -> None:
    assert names(inspect(example_table(), example_schema().changed("person", role="plain")))[0] == "uniqueness"


def test_nothing_of_a_person_is_told(tmp_path: Path) -> None:
    table = example_table()
    for name, value in {"person": MARKER, "region": MARKER, "disease": MARKER, "household": MARKER}.items():
        column = [value, *table.column(name).to_pylist()[1:]]
        table = table.set_column(table.column_names.index(name), name, pa.array(column))
    for name in ("age", "income"):
        column = [NUMBER, *table.column(name).to_pylist()[1:]]
        table = table.set_column(table.column_names.index(name), name, pa.array(column, table.schema.field(name).type))
    pq.write_table(table, tmp_path / "people.parquet")
    found = inspect(tmp_path / "people.parquet", example_schema())
    assert found.findings[1].detail["after"]["unique"] > 0
    for lang in ("en", "de"):
        for said in (found.model_dump_json(), page(found, lang), repr(text(found, lang))):
            assert MARKER not in said and str(NUMBER) not in said
            assert "987,654,321" not in said and "987.654.321" not in said


def test_a_file_without_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        inspect(example_table().slice(0, 0), example_schema())
    assert [problem.code for problem in error.value.problems] == ["no-rows"]


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="there is no hierarchy 'age'"):
        inspect(example_table(), example_schema().model_copy(update={"hierarchies": {}}))
    with pytest.raises(DataError, match="have no column 'age'"):
        inspect(example_table().drop_columns(["age"]), example_schema())
    with pytest.raises(RecipeError, match="there is no engine 'oracle'"):
        inspect(example_table(), example_schema(), engine="oracle")


def test_the_changes_that_would_help_most_are_measured() -> None:
    found = of()
    assert [change.columns for change in found.changes] == [("age",), ("region",), ("sex",)]
    unique = next(one.detail["after"]["unique"] for one in found.findings if one.name == "uniqueness")
    assert unique > found.changes[0].together.unique > found.changes[-1].together.unique
    assert Inspection.model_validate_json(found.model_dump_json()).changes == found.changes


def test_the_risk_of_each_record_is_written_for_its_owner(strangers: None, tmp_path: Path) -> None:
    out = tmp_path / "records.parquet"
    out.write_text("old", encoding="utf-8")
    found = of("known_risk", records=out)
    table = pq.read_table(out).to_pydict()
    assert list(table) == ["id", "alike", "chance", "known_risk_twice"]
    assert table["id"] == sorted(example_table()["id"].to_pylist())
    unique = next(one.detail["after"]["unique"] for one in found.findings if one.name == "uniqueness")
    assert sum(alike == 1 for alike in table["alike"]) == unique
    assert table["chance"] == [1 / alike for alike in table["alike"]]
    assert table["known_risk_twice"] == [2 * alike for alike in table["alike"]]
    assert out.stat().st_mode & 0o777 == 0o600 and [file.name for file in tmp_path.iterdir()] == ["records.parquet"]
    assert "r0" not in found.model_dump_json()


@pytest.mark.parametrize(("name", "code"), [("records.csv", "unknown-format"), ("none/r.parquet", "cannot-write")])
def test_records_that_cannot_be_written_are_refused_before_the_file_is_read(
    name: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(WriteError) as error:
        inspect(tmp_path / "none.parquet", example_schema(), records=tmp_path / name)
    assert codes(error) == [(code, str(tmp_path / name))]


def test_records_without_keys() -> None:
    schema = example_schema()
    for name in schema.quasi:
        schema = schema.changed(name, role="plain")
    with pytest.raises(SchemaError) as error:
        of(schema=schema, records="records.parquet")
    assert codes(error) == [("no-records", "records")]


def test_progress_is_told() -> None:
    heard: list[str] = []
    inspect(example_table(), example_schema(), listener=lambda what, done, total: heard.append(what) if done else None)
    assert heard[:2] == ["reading", "measuring: uniqueness"]


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    assert inspect(example_table(), example_schema(), engine="spark") == inspect(example_table(), example_schema())
