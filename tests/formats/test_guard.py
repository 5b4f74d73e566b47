"""Text that a spreadsheet would run is marked in released CSV files, and our own reader takes the mark off."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import DataError
from schleier.core.guard import MARK, unguarded
from schleier.core.schema import Column, Layout, Schema
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.run.reader import read
from schleier.flow.run.runner import verify
from schleier.formats.csv import Csv

GUARD = Layout(guard="'")
RUN = re.compile(r"[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)?(e[+-]?\d+)?)?", re.IGNORECASE)
EVIL = ["=cmd|' /C calc'!A0", "+1+1", "-1+cmd", "@SUM(1)", "\t=1", "\r=1", "\n=1", "'=1", "''=1", "--", "-x", "a;=1+1"]
TAME = ["a", "'tis", "'", "''", "-5", "+5", "-5,25", "-1.5e3", "-", "a=b", " =1", "", "5", "x\n=1"]


def fields(path: Path, layout: Layout = GUARD) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream, delimiter=layout.delimiter))


def write(path: Path, columns: dict[str, list[str | None]], layout: Layout = GUARD) -> None:
    batch = pa.record_batch({name: pa.array(values, pa.string()) for name, values in columns.items()})
    Csv().write([batch], batch.schema, path, layout)


def test_what_would_be_run_is_marked_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "x.csv", {"x": EVIL + TAME, "=y": EVIL + TAME})
    header, *rows = fields(tmp_path / "x.csv")
    assert header == ["x", "'=y"]
    cells = [row[0] for row in rows]
    assert cells[: -len(TAME)] == [MARK + text for text in EVIL[:-1]] + EVIL[-1:]
    assert cells[-len(TAME) :] == TAME
    assert not [cell for cell in cells if RUN.match(cell) and not NUMBER.fullmatch(cell)]


def test_what_stands_behind_another_delimiter_is_quoted(tmp_path: Path) -> None:
    write(tmp_path / "x.csv", {"x": ["a;=1+1", "a; =1"]})
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == 'x\n"a;=1+1"\n"a; =1"\n'


def test_without_a_guard_nothing_is_marked(tmp_path: Path) -> None:
    write(tmp_path / "x.csv", {"x": EVIL}, Layout())
    assert [row[0] for row in fields(tmp_path / "x.csv")[1:]] == EVIL


@given(st.lists(st.text("='+-@1.,a\t;\" ", max_size=6), min_size=1, max_size=20))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("guard") / "x.csv"
    write(path, {"x": list(texts), "'=y": list(texts)})
    header, *rows = fields(path)
    assert [unguarded(cell, MARK) for cell in header] == ["x", "'=y"]
    assert [[unguarded(cell, MARK) for cell in row] for row in rows] == [[text, text] for text in texts]
    assert not [row for row in rows if RUN.match(row[0]) and not NUMBER.fullmatch(row[0])]


def test_the_reader_takes_the_mark_off(tmp_path: Path) -> None:
    write(tmp_path / "x.csv", {"=x": [*EVIL, *TAME, None], "key": [str(i) for i in range(len(EVIL + TAME) + 1)]})
    schema = Schema(columns=(Column(name="=x", scale="nominal", missing=("@SUM(1)",)),), row_key="key", layout=GUARD)
    values = [None if text == "@SUM(1)" else text for text in EVIL + TAME]
    assert sorted(map(str, read(tmp_path / "x.csv", schema).to_arrow()["=x"].to_pylist())) == sorted(
        map(str, [*values, None])
    )


RECIPE = """
[schema]
columns = [
  { name = "@who", role = "quasi", scale = "nominal" },
  { name = "change", role = "sensitive", scale = "discrete" },
  { name = "share", scale = "continuous" },
]
[[criteria]]
criterion = "k_anonymity"
k = 2
[release]
format = "csv"
"""


def test_a_release_declares_it_and_is_read_back(tmp_path: Path) -> None:
    rows = pa.table({"@who": ["=1+1", "-5"] * 20, "change": [-5, 7] * 20, "share": [-0.5, 0.5] * 20})
    recipe = Recipe.from_toml(RECIPE)
    release = recipe.run(rows, out=tmp_path / "out", key=bytes(32))
    public = tmp_path / "out" / "public"
    header, *lines = fields(public / "data.csv")
    assert header == ["'@who", "change", "share"]
    assert {tuple(line) for line in lines} == {("'=1+1", "-5", "-0.5"), ("-5", "7", "0.5")}
    assert tomllib.loads((public / "schema.toml").read_text(encoding="utf-8"))["schema"]["layout"] == {"guard": "'"}
    back = release.data.to_arrow()
    assert back.column_names == ["@who", "change", "share"]
    assert sorted(back.to_pylist(), key=str) == sorted(rows.to_pylist(), key=str)
    assert all(verdict.holds for verdict in verify(public / "data.csv", recipe))


def test_a_file_that_was_declared_so_is_read_so(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("@who,change,share\n'=1,-5,0.5\n'=1,-5,0.5\n", encoding="utf-8")
    plain = Recipe.from_toml(RECIPE).run(tmp_path / "x.csv", key=bytes(32))
    assert plain.data.to_arrow()["@who"].to_pylist() == ["'=1", "'=1"]  # no mark was declared: it is the value
    assert plain.schema.layout == GUARD


def test_a_released_file_is_read_so_wherever_a_recipe_names_it(tmp_path: Path) -> None:
    """As its source, and as the population that others are compared with: the schema beside it tells of the marks."""
    rows = pa.table({"@who": ["=1+1", "x"] * 20, "change": [-5, 7] * 20, "share": [-0.5, 0.5] * 20})
    Recipe.from_toml(RECIPE).run(rows, out=tmp_path / "out", key=bytes(32))
    released = tmp_path / "out" / "public" / "data.csv"
    again = Recipe.from_toml(RECIPE).run(released, key=bytes(32))
    assert set(again.data.to_arrow()["@who"].to_pylist()) == {"=1+1", "x"}
    compared = f"[data]\npopulation = {str(released)!r}\n" + RECIPE.replace("k_anonymity", "k_map")
    assert Recipe.from_toml(compared).run(rows, key=bytes(32)).report.criteria[0].level == 20
    (released.parent / "schema.toml").write_text("[schema", encoding="utf-8")  # nothing that could be understood
    with pytest.raises(DataError, match="@who"):
        Recipe.from_toml(RECIPE).run(released, key=bytes(32))
