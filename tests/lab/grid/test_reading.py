"""What is wrong with a grid is said at once, before anything runs."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.grids import DOORS, GRID, MARKER, write_grid
from schleier.core.errors import SchleierError
from schleier.lab.grid.cells import Cell, cells_of
from schleier.lab.grid.reading import read_grid

MANY = "".join(f'[[techniques]]\nattack = "distance_match"\nname = "d{i}"\n' for i in range(30))


def cells(path: Path) -> tuple[Cell, ...]:
    return cells_of(read_grid(path, DOORS.look, DOORS.look_at_file), "key")


def codes(folder: Path, grid: str) -> list[str]:
    with pytest.raises(SchleierError) as caught:
        cells(write_grid(folder, grid))
    assert MARKER not in str(caught.value)
    return [problem.code for problem in caught.value.problems]


def test_every_combination_is_a_cell_of_its_own(tmp_path: Path) -> None:
    grid = 'thresholds = [0.5, 0.9]\nmethod = ["full", "none"]\n' + GRID + '[[techniques]]\nattack = "learned_match"\n'
    found = cells(write_grid(tmp_path, grid))
    # Two releases, two key sets, with and without the method; a threshold only where the technique has one.
    assert len(found) == 2 * 2 * 2 * (1 + 2) == len({one.digest for one in found})
    assert {one.attack.threshold for one in found if one.technique == "learned_match"} == {0.5, 0.9}  # type: ignore[attr-defined]


def test_a_digest_follows_from_what_decides_the_result_alone(tmp_path: Path) -> None:
    first = {one.digest for one in cells(write_grid(tmp_path))}
    assert {one.digest for one in cells(write_grid(tmp_path, GRID.replace('"fine"', '"finer"')))} == first
    assert {one.digest for one in cells(write_grid(tmp_path, rows=301))}.isdisjoint(first)
    assert {one.digest for one in cells(write_grid(tmp_path, GRID.replace("100", "99")))}.isdisjoint(first)


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        (GRID.replace("exact_match", "exact_macth"), ["unknown-attack"]),
        (
            GRID.replace("exact_match", "exact_macth").replace('"age", "sex"]', '"agee"]'),
            ["unknown-attack", "unknown-column"],
        ),
        (GRID.replace("exact_match", "auto"), ["not-in-grid"]),
        (GRID.replace('attack = "exact_match"', "targets2 = 1"), ["no-technique"]),
        ("thresholds = [0.5, 1.5]\n" + GRID, ["bad-parameter"]),
        ("thresholds = [0.5, 0.5]\n" + GRID, ["same-name"]),
        (GRID.replace('"age", "sex"]', '"height"]', 1), ["unknown-column"]),
        (GRID.replace("recipe.toml", "recept.toml"), ["no-recipe", "no-recipe"]),
        (GRID.replace("{ages =", "{age ="), ["no-such-step"]),
        (GRID.replace("level = 2", "levl = 2"), ["unknown-parameter"]),
        (GRID.replace("level = 2", "level = 1"), ["same-cell"]),
        (GRID.replace("change = {ages = {level = 2}}", 'folder = "release"'), ["bad-parameter"]),
        (GRID + 'known = ["age"]\n', ["set-by-grid"]),
        (GRID + '[[knowledge]]\nname = "a"\nknown = "a.csv"\ntruth = "b.parquet"\n', ["no-such-file", "no-such-file"]),
        (GRID + '[[knowledge]]\nname = "a"\npreset = "process_9"\ncolumns = {sex = "sex"}\n', ["unknown-preset"]),
        (GRID.replace("exact_match", "exact") + "runs = 0\n", ["unknown-attack"]),
        ("runs = 0\n" + GRID.replace("exact_match", "exact"), ["unknown-attack", "bad-parameter"]),
        ("runs = true\n" + GRID, ["bad-parameter"]),
        (GRID.replace('"fine"', '"fi\\u202Ene"'), ["bad-parameter"]),
        (GRID.replace('"Small"', '"Sm\\u0007all"'), ["bad-parameter"]),
        (GRID.replace("two =", '"t\\u001bwo" ='), ["bad-parameter"]),
        (GRID + 'name = "a\\u0000b"\n', ["bad-parameter"]),
        (GRID + f'name = "{"a" * 61}"\n', ["bad-parameter"]),
        (f"thresholds = {[round(i / 2000, 4) for i in range(1, 1001)]}\n" + GRID + MANY, ["too-many-cells"]),
        ("titel = 1\n" + GRID, ["unknown-parameter"]),
        ("[[[", ["bad-toml"]),
    ],
)
def test_bad_grids(tmp_path: Path, grid: str, expected: list[str]) -> None:
    assert codes(tmp_path, grid) == expected


def test_keys_that_a_file_lacks(tmp_path: Path) -> None:
    pq.write_table(pa.table({"entry": ["1"], "height": [180]}), tmp_path / "known.parquet")
    pq.write_table(pa.table({"id": ["x"], "entry": ["1"]}), tmp_path / "truth.parquet")
    knowledge = '[[knowledge]]\nname = "register"\nknown = "known.parquet"\ntruth = "truth.parquet"\n'
    assert set(codes(tmp_path, GRID + knowledge)) == {"no-common-column"}


@pytest.mark.parametrize("names", [["id", "number"], ["person", "entry"], ["id", "entry", "more"]])
def test_a_table_of_who_is_who_names_the_row_keys_of_both_files(tmp_path: Path, names: list[str]) -> None:
    known = {"entry": ["1"], "age": [30], "sex": ["f"], "region": ["north"]}
    pq.write_table(pa.table(known), tmp_path / "known.parquet")
    pq.write_table(pa.table({name: ["x"] for name in names}), tmp_path / "truth.parquet")
    knowledge = '[[knowledge]]\nname = "true"\n[[knowledge]]\nname = "register"\n'
    files = 'known = "known.parquet"\ntruth = "truth.parquet"\n'
    with pytest.raises(SchleierError) as raised:
        cells(write_grid(tmp_path, GRID + knowledge + files))
    assert [(one.code, one.where) for one in raised.value.problems] == [("bad-truth", "knowledge[1] (register).truth")]


def test_a_misspelt_column_is_said_once_with_the_nearest_name(tmp_path: Path) -> None:
    keys, techniques = GRID.index("[keys]"), GRID.index("[[releases]]")
    named = GRID[:keys] + GRID[techniques:] + 'known = ["age", "regoin"]\n[[techniques]]\nattack = "distance_match"\n'
    for grid in (GRID.replace('"age", "sex"]', '"agee", "sex"]', 1), named):
        with pytest.raises(SchleierError) as raised:
            cells(write_grid(tmp_path, grid))
        (one,) = raised.value.problems
        assert one.hint.startswith("did you mean") and ": :" not in str(raised.value)


def test_no_such_grid(tmp_path: Path) -> None:
    with pytest.raises(SchleierError, match=re.escape("there is no such grid")):
        cells(tmp_path / "none.toml")
