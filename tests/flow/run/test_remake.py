"""An earlier release is made once more: wherever its rows are now, and whatever their key is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import schleier as sl
from flow.sequels import (
    BY_TENS,
    HALVES,
    JUDGED,
    OTHER,
    PERSONS,
    ROW_KEY,
    SCHEMA,
    SHIFTED,
    codes,
    command,
    people,
    recipe,
    released,
)
from schleier.core.errors import DataError, InfeasibleError, Problem, RecipeError

STRICT = SCHEMA.replace('others = "drop"\n', "")


def renamed(rows: pa.Table) -> pa.Table:
    return rows.rename_columns(["pid", *rows.column_names[1:]])


def with_pid(steps: str) -> sl.Recipe:
    return sl.Recipe.from_toml(SCHEMA.format(key='row_key = "pid"\n') + steps + JUDGED)


def refused(made: sl.Recipe, rows: Any, after: Any) -> Problem:
    with pytest.raises(RecipeError) as caught:
        made.run(rows, after=after, key=OTHER)
    (problem,) = caught.value.problems
    assert problem.code == "after-not-linked"
    return problem


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_row_key_may_be_declared_later(tmp_path: Path, suffix: str) -> None:
    """The file had it all the time; nobody said so when the first release was made."""
    january, february = str(tmp_path / f"january.{suffix}"), str(tmp_path / f"february.{suffix}")
    write = pyarrow.csv.write_csv if suffix == "csv" else pq.write_table
    write(people(), january)
    write(people(0, 2 * PERSONS), february)
    first = released(tmp_path / "first", rows=january, keyed=False)
    (found,) = recipe(HALVES).run(january, key=OTHER, after=[first]).audit.after
    assert (found["in_both"], found["came"], found["left"]) == (PERSONS, 0, 0)
    assert codes(InfeasibleError, [first], SHIFTED, january) == ["after-apart"]
    (found,) = recipe(HALVES).run(february, key=OTHER, after=[first]).audit.after
    assert (found["in_both"], found["came"], found["left"]) == (PERSONS, PERSONS, 0)


def test_a_row_key_may_be_added_later(tmp_path: Path) -> None:
    """The same rows in the same order, to which numbers of persons were added."""
    bare = people().drop_columns(["id"])
    sl.Recipe.from_toml(STRICT.format(key="") + BY_TENS + JUDGED).run(bare, out=tmp_path / "first", key=OTHER)
    again = sl.Recipe.from_toml(STRICT.format(key=ROW_KEY) + HALVES + JUDGED)
    (found,) = again.run(people(), key=OTHER, after=[tmp_path / "first"]).audit.after
    assert found["in_both"] == PERSONS
    problem = refused(again, people(0, 2 * PERSONS), {tmp_path / "first": bare})
    assert "no column 'id'" in problem.message and "--after RELEASE=FILE" in problem.hint


def test_a_row_key_may_be_called_otherwise_later(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    (found,) = with_pid(HALVES).run(renamed(people()), key=OTHER, after=[first]).audit.after
    assert (found["in_both"], found["came"], found["left"]) == (PERSONS, 0, 0)
    with pytest.raises(InfeasibleError):
        with_pid(SHIFTED).run(renamed(people()), key=OTHER, after=[first])


def test_other_rows_with_another_name_of_the_key_are_refused_with_a_way_out(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    problem = refused(with_pid(HALVES), renamed(people(0, 2 * PERSONS)), {first: people()})
    assert "'pid' here and 'id' in the earlier release" in problem.message and "'id'" in problem.hint


def test_a_row_key_that_is_no_longer_declared_is_told(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    problem = refused(recipe(HALVES, keyed=False), people(), [first])
    assert "'id'" in problem.message and 'row_key = "id"' in problem.hint


def test_rows_that_were_moved_can_be_named_on_the_command_line(tmp_path: Path) -> None:
    moved = tmp_path / "archive=2024" / "people.csv"
    moved.parent.mkdir()
    for name, rows in (("january", people()), ("february", people(0, 2 * PERSONS))):
        pyarrow.csv.write_csv(rows, tmp_path / f"{name}.csv")
        text = f'[data]\nfile = "{name}.csv"\n' + SCHEMA.format(key=ROW_KEY) + BY_TENS + JUDGED
        (tmp_path / f"{name}.toml").write_text(text)
    first, second = tmp_path / "first=1", tmp_path / "second"
    assert command("run", tmp_path / "january.toml", "--out", first).exit_code == 0
    (tmp_path / "january.csv").rename(moved)
    lost = command("run", tmp_path / "february.toml", "--out", second, "--after", first)
    assert lost.exit_code == 4 and "--after RELEASE=FILE" in " ".join(lost.stderr.split())
    wrong = f"{first}={tmp_path / 'february.csv'}"
    told = command("run", tmp_path / "february.toml", "--out", second, "--after", wrong)
    assert told.exit_code == 4 and "given for it are not those" in " ".join(told.stderr.split())
    found = command("run", tmp_path / "february.toml", "--out", second, "--after", f"{first}={moved}")
    assert found.exit_code == 0
    again = command("replay", first, tmp_path / "february.csv", "--out", tmp_path / "x", "--after", f"{first}={moved}")
    assert again.exit_code == 0
    nowhere = command("run", tmp_path / "february.toml", "--out", tmp_path / "y", "--after", f"{tmp_path}/none={moved}")
    assert nowhere.exit_code == 4


def test_rows_that_are_given_must_be_the_right_ones(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    assert codes(DataError, {first: people(1)}, BY_TENS) == ["after-no-rows"]
