"""Where the table of a sheet lies: titles, rows of names, notes, ranges; found, said, and read the same again."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

import schleier as sl
from schleier.core.errors import RecipeError, SchleierError
from schleier.draft.writing import write_draft
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.formats._area import joined_names

NAMES = ["name", "age", "sex", "pay", "rooms"]
ROWS = [[f"P{n}", 20 + n % 40, "fm"[n % 2], 1500.5 + n, n % 7] for n in range(30)]


def sheet(path: Path, rows: Sequence[Sequence[Any]], *merged: str) -> Path:
    book = Workbook()
    for row in rows:
        book.active.append(list(row))
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(path)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.xlsx"


def again(draft: Any, path: Path) -> int:
    """The rows that are read by the schema that was written."""
    write_draft(draft, path.parent / "schema.toml", path.parent / "recipe.toml", "en")
    return sl.read(path, schema_from_file(path.parent / "schema.toml")).rows


def told(draft: Any) -> dict[str, dict[str, Any]]:
    return {remark.key: dict(remark.values) for remark in draft.remarks}


@pytest.mark.parametrize(
    ("notes", "merged", "first"),
    [
        ([[], ["Source: register of 2020"], ["* preliminary"]], (), 34),
        ([["Quelle: Statistisches Amt"]], (), 34),
        ([["All persons of the town"]], ("A34:E34",), 34),
        ([[], ["As of", dt.date(2020, 1, 1)]], (), 34),
        ([["1) without those who moved away"], [], ["2) net"]], (), 34),
    ],
)
def test_titles_and_notes(path: Path, notes: list[Any], merged: tuple[str, ...], first: int) -> None:
    sheet(path, [["Persons 2020"], [], NAMES, *ROWS, *notes], "A1:E1", *merged)
    draft = sl.describe(path)
    assert (draft.records, draft.schema.layout.skip) == (30, 2)  # type: ignore[union-attr]
    assert told(draft)["title"] == {"n": 2}
    assert (told(draft)["notes"]["first"], told(draft)["notes"]["last"]) == (first, 33 + len(notes))
    assert again(draft, path) == 30


@pytest.mark.parametrize("last", [["Zoe"], ["Zoe", 30], [None, 30], ["Zoe", None, "f"]])
def test_a_sparse_last_record_is_no_note(path: Path, last: list[Any]) -> None:
    sheet(path, [NAMES, *ROWS, last])
    draft = sl.describe(path)
    assert draft.records == 31 and "notes" not in told(draft)
    hardly = sum(cell is not None for cell in last) <= 2
    assert told(draft).get("sparse") == ({"n": 1, "first": 32, "last": 32, "cells": "A1:E31"} if hardly else None)


def test_rows_at_the_end_that_may_be_notes_are_asked_about(path: Path) -> None:
    rows = [["Persons"], NAMES, *ROWS, ["Some"], [None, "like to write"], [None, None, "below", "the table"]]
    sheet(path, rows)
    draft = sl.describe(path)
    assert draft.records == 33
    assert told(draft)["sparse"] == {"n": 3, "first": 33, "last": 35, "cells": "A2:E32"}
    asked = sl.describe(path, range=told(draft)["sparse"]["cells"])
    assert asked.records == 30 and "sparse" not in told(asked)
    sheet(path, [*rows[:5], ["Zoe"], *rows[5:]])  # where another record is like them, they are nothing special
    assert "sparse" not in told(sl.describe(path))


def test_names_in_merged_rows(path: Path) -> None:
    rows = [["Persons"], ["name", "person", None, "home", None], [None, "age", "sex", "pay", "rooms"], *ROWS]
    sheet(path, rows, "A2:A3", "B2:C2", "D2:E2")
    draft = sl.describe(path)
    assert draft.schema.names == ("name", "person age", "person sex", "home pay", "home rooms")
    assert (draft.schema.layout.skip, draft.schema.layout.header) == (2, 2)  # type: ignore[union-attr]
    assert told(draft)["names"] == {"n": 2, "first": 2, "last": 3}
    assert again(draft, path) == 30


def test_names_that_repeat_are_joined_with_those_above(path: Path) -> None:
    sheet(
        path,
        [[None, 2019, None, 2020, None], ["name", "age", "pay", "age", "pay"], *([r[0], *r[1:2] * 4] for r in ROWS)],
    )
    draft = sl.describe(path)
    assert draft.schema.names == ("name", "2019 age", "2019 pay", "2020 age", "2020 pay")
    assert again(draft, path) == 30


def test_a_title_of_several_cells(path: Path) -> None:
    sheet(path, [["Table 1", None, None, "as of", dt.date(2020, 1, 1)], NAMES, *ROWS])
    draft = sl.describe(path)
    assert draft.schema.names == tuple(NAMES) and told(draft)["title"] == {"n": 1}


def test_a_record_of_words_is_no_header(path: Path) -> None:
    """Its values would become names of columns, which are shown."""
    sheet(path, [["town", None, "job"], ["Bonn", "SECRETVALUE", "cook"], ["Ulm", "x", "smith"], ["Bonn", "y", "cook"]])
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == ("unnamed-columns", "1 column has no name in row 1: B")
    assert "--range" in problem.hint and "SECRET" not in str(caught.value)


def test_an_index_is_the_number_of_the_record(path: Path) -> None:
    sheet(path, [[None, *NAMES], *([n, *row] for n, row in enumerate(ROWS))])
    assert sl.describe(path).schema.row_key == "row_number"


def test_a_range(path: Path) -> None:
    rows = [
        ["x"],
        [None, None, *NAMES, None, "other"],
        *([None, None, *row, None, 1] for row in ROWS),
        [None, None, "Sum", 7],
    ]
    sheet(path, rows)
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    assert caught.value.problems[0].code == "unnamed-columns"
    draft = sl.describe(path, range="$c$2:g32")
    assert (draft.records, draft.schema.names) == (30, tuple(NAMES))
    assert (draft.schema.layout.range, draft.schema.layout.skip) == ("C2:G32", 1)  # type: ignore[union-attr]
    assert told(draft)["range"] == {"cells": "C2:G32"}
    assert again(draft, path) == 30
    assert sl.describe(path, range="C2:G").records == 31


def test_rows_of_names_as_they_are_said(path: Path) -> None:
    sheet(path, [["a", "b", "c"], ["in euro", "in years", "text"], [1, 2, "x"], [3, 4, "y"]])
    draft = sl.describe(path, header=2)
    assert draft.schema.names == ("a in euro", "b in years", "c text") and draft.records == 2


def test_a_sheet_is_named_beside_the_file(path: Path) -> None:
    book = Workbook()
    book.active.append(["a"])
    book.active.append([1])
    other = book.create_sheet("Persons")
    for row in [NAMES, *ROWS]:
        other.append(row)
    book.save(path)
    assert told(sl.describe(path))["sheet"] == {"n": 2, "sheet": "Sheet"}
    draft = sl.describe(path, sheet="Persons")
    assert draft.records == 30 and draft.file.endswith("book.xlsx::Persons")
    with pytest.raises(SchleierError) as caught:
        sl.describe(f"{path}::Sheet", sheet="Persons")
    assert caught.value.problems[0].code == "two-sheets"


def test_a_longer_sheet_is_read_to_its_end(path: Path) -> None:
    sheet(path, [["Persons"], [], NAMES, *ROWS, [], ["Source: us"]])
    schema = sl.describe(path).schema
    sheet(path, [["Persons"], [], NAMES, *ROWS, *ROWS, [], ["Source: us"]])
    assert sl.read(path, schema.model_copy(update={"row_key": None, "others": "drop"})).rows == 60


@pytest.mark.parametrize("cells", ["Z2:ZZ9", "A900:B950"])
def test_a_range_beside_the_table(path: Path, cells: str) -> None:
    sheet(path, [NAMES, *ROWS])
    with pytest.raises(SchleierError) as caught:
        sl.describe(path, range=cells)
    assert [problem.code for problem in caught.value.problems] == ["no-range"]


@pytest.mark.parametrize("more", [{"range": "B2"}, {"range": "B0:C4"}, {"range": "1:2"}, {"header": 99}])
def test_what_is_no_range(path: Path, more: dict[str, Any]) -> None:
    sheet(path, [NAMES, *ROWS])
    with pytest.raises(RecipeError) as caught:
        sl.describe(path, **more)
    assert [problem.code for problem in caught.value.problems] == ["bad-range"]


def test_only_sheets_have_ranges(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,age\nAda,30\nBob,41\n")
    with pytest.raises(SchleierError) as caught:
        sl.describe(tmp_path / "people.csv", range="A1:B3")
    assert [problem.code for problem in caught.value.problems] == ["no-sheet"]


def test_joined_names_follow_merged_cells() -> None:
    rows = [["id", "x", "", "y"], ["", "a", "b", ""]]
    assert joined_names(rows, [((0, 1), (0, 2)), ((0, 0), (1, 0))]) == ["id", "x a", "x b", "y"]
