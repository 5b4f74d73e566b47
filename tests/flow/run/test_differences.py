"""Numbers of two reports are compared by what they are about, whatever the steps are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schleier as sl
from flow.sequels import BY_TENS, JUDGED, KEY, OTHER, ROW_KEY, SCHEMA, people, recipe, released
from schleier.core.errors import InfeasibleError

K = 5


def capped(upper: int, name: str) -> str:
    return f'[[steps]]\nmethod = "top_code"\ncolumn = "income"\nupper = {upper}\nmin_affected = 3\nname = "{name}"\n'


def raised(rows: pa.Table) -> pa.Table:
    """One person more earns more than 1,500."""
    incomes = rows["income"].to_pylist()
    incomes[next(i for i, income in enumerate(incomes) if income < 1500)] = 1501
    return rows.set_column(4, "income", pa.array(incomes))


def told(after: Any, steps: str, rows: pa.Table) -> list[str]:
    with pytest.raises(InfeasibleError) as caught:
        recipe(BY_TENS + steps).run(rows, after=after, key=OTHER)
    assert {problem.code for problem in caught.value.problems} == {"after-difference"}
    return [problem.message for problem in caught.value.problems]


def test_a_step_with_another_name_is_the_same_step(tmp_path: Path) -> None:
    first = released(tmp_path / "first", BY_TENS + capped(1500, "high"))
    (message,) = told({first: people()}, capped(1500, "very high"), raised(people()))
    assert "very high" in message


def test_a_step_for_other_columns_beside_it_is_another(tmp_path: Path) -> None:
    """The number of the step before it moves no number of this one."""
    first = released(tmp_path / "first", BY_TENS + capped(1500, "a"))
    earlier = '[[steps]]\nmethod = "drop"\ncolumns = ["job"]\n'
    assert told({first: people()}, earlier + capped(1500, "a"), raised(people()))


def test_two_like_steps_are_compared_each_with_its_own(tmp_path: Path) -> None:
    """Two limits, one after the other; the names change places."""
    two = capped(2500, "one") + capped(1500, "two")
    counts = [sum(income > limit for income in people()["income"].to_pylist()) for limit in (2500, 1500)]
    assert counts[1] - counts[0] >= K  # no small difference between the two themselves
    first = released(tmp_path / "first", BY_TENS + two)
    swapped = capped(2500, "two") + capped(1500, "one")
    again = recipe(BY_TENS + swapped).run(people(), key=OTHER, after=[first])
    assert again.report.after is not None
    (message,) = told({first: people()}, swapped, raised(people()))
    assert "one" in message


def test_the_same_step_twice_is_compared_in_order(tmp_path: Path) -> None:
    """The second finds nothing left to cap; with it or without it the first is the same number."""
    column = SCHEMA.format(key=ROW_KEY)
    twice = sl.Recipe.from_toml(column + BY_TENS + capped(1500, "a") + capped(1500, "b") + JUDGED)
    twice.run(people(), out=tmp_path / "first", key=KEY)
    assert twice.run(people(), key=OTHER, after=[tmp_path / "first"]).report.after is not None
    assert told({tmp_path / "first": people()}, capped(1500, "b"), raised(people()))
