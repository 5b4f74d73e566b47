from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested
from schleier.core.errors import RecipeError, SchemaError
from schleier.core.hierarchy.table import Table

AGE = "1;0-4;0-9;*\n4;0-4;0-9;*\n5;5-9;0-9;*\n10;10-14;10-19;*"


def read(folder: Path, content: str | bytes) -> Table:
    (folder / "age.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    located = Table(table="age.csv", outside="root").located(folder)
    assert isinstance(located, Table) and located.outside == "root"
    return located


def test_reads_the_layout_of_arx(tmp_path: Path) -> None:
    age = read(tmp_path, AGE)
    assert age.depth == 3
    assert list(age.problems("")) == []
    assert age.labels(pa.array([4, 10, 11]), 1).to_pylist() == ["0-4", "10-14", None]
    assert age.labels(pa.array(["4", "10"]), 2).to_pylist() == ["0-9", "10-19"]
    assert age.covers(pa.array([4, 11])).tolist() == [True, False]
    assert age.to_toml() == {"outside": "root", "rows": [line.split(";") for line in AGE.split("\n")]}


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (AGE.replace(";", ","), None),
        (AGE + "\n", None),
        (AGE.replace("\n", "\r\n") + "\r\n\r\n", None),
        ("\ufeff" + AGE, None),
        ("a,b;x;*\nc;x;*", (("a,b", "x", "*"), ("c", "x", "*"))),
        ('"a;b",x,*\n"c;d",x,*', (("a;b", "x", "*"), ("c;d", "x", "*"))),
        ('"a;1";x;*\n"say ""no""";x;*', (("a;1", "x", "*"), ('say "no"', "x", "*"))),
        ("a\u2028b;*", (("a\u2028b", "*"),)),
        ("1,5;*\n2,5;*", (("1,5", "*"), ("2,5", "*"))),
        (" a ; b", ((" a ", " b"),)),
    ],
)
def test_separators_line_ends_and_quotes(tmp_path: Path, content: str, rows: object) -> None:
    assert read(tmp_path, content).rows == (rows or read(tmp_path, AGE).rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Köln;SECRET;*".encode("latin-1"), "the file 'age.csv' is not encoded as UTF-8"),
        ("", "the file 'age.csv' has no rows"),
        ("\n\n", "the file 'age.csv' has no rows"),
        ('"SECRET;b', "the file 'age.csv' has no rows"),
    ],
)
def test_bad_files_are_problems(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(RecipeError, match=message) as caught:
        read(tmp_path, content)
    assert "SECRET" not in str(caught.value)


def test_a_file_that_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        Table(table="none.csv").located(tmp_path, "hierarchies.age")
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("hierarchy-file", "hierarchies.age")
    (tmp_path / "folder").mkdir()
    for name in ("folder", "nul\0byte"):
        with pytest.raises(RecipeError, match="cannot be read"):
            Table(table=name).located(tmp_path)


def test_an_unread_table_is_never_mistaken_for_a_sound_one() -> None:
    table = Table(table="age.csv")
    assert [problem.code for problem in table.problems("x")] == ["hierarchy-unread"]
    assert table.to_toml() == {"table": "age.csv"}
    with pytest.raises(RecipeError, match="not been read"):
        _ = table.depth
    with pytest.raises(SchemaError, match="either"):
        Table()


@pytest.mark.parametrize(
    "values",
    [
        pa.array([23, 5]),
        pa.array([23.0, 5.0]),
        pa.array([23.0, 5.0], pa.float32()),
        pa.array(["23", "5"]),
        pa.array(["23", "5"], pa.large_string()),
        pa.array([Decimal("23.00"), Decimal("5.00")]),
        pa.array([23, 5], pa.uint8()),
    ],
)
def test_numbers_match_their_text(values: pa.Array) -> None:
    for rows in ((("23", "a", "*"), ("5", "b", "*")), ((23, "a", "*"), (5.0, "b", "*"))):
        assert Table(rows=rows).labels(values, 1).to_pylist() == ["a", "b"]


def test_broken_numbers_truth_values_and_days_match_their_text() -> None:
    rows = (
        (0.25, "quarter", "*"),
        (True, "yes", "*"),
        (dt.date(2020, 1, 2), "day", "*"),
        (1e-7, "tiny", "*"),
    )
    table = Table(rows=rows)
    assert table.labels(pa.array([0.25, 1e-7, 0.5, float("nan")]), 1).to_pylist() == [
        "quarter",
        "tiny",
        None,
        None,
    ]
    assert table.labels(pa.array([True, False]), 1).to_pylist() == ["yes", None]
    assert table.labels(pa.array([dt.date(2020, 1, 2)]), 1).to_pylist() == ["day"]


@pytest.mark.parametrize(
    ("rows", "codes", "count"),
    [
        ([], ["hierarchy-empty"], ""),
        ([[]], ["hierarchy-empty"], ""),
        ([["SECRET"]], ["hierarchy-root"], ""),
        ([["a", "*"], ["SECRET", "x", "*"], ["b", "*"]], ["hierarchy-ragged"], "1"),
        ([["a", "x"], ["b", "SECRET"]], ["hierarchy-root"], "2"),
        ([["SECRET", "*"], ["SECRET", "*"], ["a", "*"]], ["hierarchy-duplicate"], "1"),
        (
            [
                ["a", "SECRET", "p", "*"],
                ["b", "SECRET", "q", "*"],
                ["c", "t", "p", "*"],
                ["d", "t", "q", "*"],
            ],
            ["hierarchy-not-nested"],
            "2",
        ),
        ([["SECRET", "x", "*"], ["SECRET", "y", "*"]], ["hierarchy-duplicate", "hierarchy-not-nested"], "1"),
        ([["SECRET", "", "*"], ["b", "x", "*"]], ["hierarchy-blank"], "1"),
    ],
)
def test_problems_are_counted_and_never_quoted(rows: Any, codes: list[str], count: str) -> None:
    problems = list(Table(rows=rows).problems("hierarchies.x"))
    assert [problem.code for problem in problems] == codes
    assert problems[-1].message.endswith(count)
    assert not any("SECRET" in str(problem) for problem in problems)


LABELS = st.sampled_from("abc")


@given(st.lists(st.tuples(st.sampled_from("stuvw"), LABELS, LABELS, st.sampled_from("**+")), max_size=6))
def test_no_problem_means_a_tree(rows: list[tuple[str, ...]]) -> None:
    """Whatever passes as sound nests, and what does not nest never passes."""
    table = Table(rows=tuple(rows))
    leaves = [row[0] for row in rows]
    splits: dict[tuple[int, str], set[str]] = {(level, row[level]): set() for row in rows for level in range(3)}
    for row in rows:
        for level in range(3):
            splits[level, row[level]].add(row[level + 1])
    sound = len(set(leaves)) == len(leaves) > 0 and len({row[-1] for row in rows}) == 1
    sound = sound and all(len(above) == 1 for above in splits.values())
    assert (list(table.problems("")) == []) == sound
    if sound:
        nested(table, pa.array(leaves))
