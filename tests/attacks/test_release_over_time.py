"""Two dates: the vector of Kneuper both ways, chance where many move, and only counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.release_over_time import ReleaseOverTime
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.answer import Inferred

KEY = bytes(32)
SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="course", role="quasi", scale="nominal"),
        Column(name="passed", role="sensitive", scale="nominal"),
    ],
)


def students(rows: list[tuple[int, Any, Any]], engine: Any = None) -> Dataset:
    ids, courses, passed = ([row[j] for row in rows] for j in range(3))
    table = {"id": pa.array(ids, pa.int64()), "course": pa.array(courses, pa.string())}
    return Dataset.from_frame(pa.table({**table, "passed": pa.array(passed, pa.string())}), SCHEMA, engine)


def tried(later: Dataset, *earlier: Dataset, **how: Any) -> Finding:
    further = {str(i): one for i, one in enumerate(earlier)}
    attack = ReleaseOverTime(**{"sensitive": "passed", "targets": "all", **how})
    return attack.measure(Case(later, later, further=further), Run(key=KEY))


@pytest.mark.parametrize("result", ["yes", "no"])
def test_the_one_who_came_in_june(result: str) -> None:
    """Kneuper K-023: 120 of 131 passed in May; in June 120, or 121, of 132."""
    may = [(i, "statistics", "yes" if i < 120 else "no") for i in range(131)]
    later = students([*may, (131, "statistics", result)])
    found = tried(later, students(may, later.engine))
    assert (found.detail["targets"], found.detail["claims"], found.detail["correct"]) == (1, 1, 1)
    # The other way round: who left by June.
    left = tried(students(may, later.engine), later)
    assert (left.detail["targets"], left.detail["correct"], left.detail["contained"]) == (1, 1, 0)


def test_a_value_that_was_changed_is_not_learned() -> None:
    """The release says of everybody the contrary: who came is claimed to have passed, and failed."""
    original = students([(i, "statistics", "no" if i == 131 else "yes") for i in range(132)])
    turned = [(i, "statistics", "yes" if i == 131 else "no") for i in range(132)]
    later, may = (students(turned[:end], original.engine) for end in (132, 131))
    attack = ReleaseOverTime(sensitive="passed", targets="all")
    found = attack.measure(Case(original, later, further={"may": may}), Run(key=KEY)).detail
    assert (found["claims"], found["correct"]) == (1, 0)


cell = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y", "z", None]))


@given(before=st.lists(cell, min_size=1, max_size=15), after=st.lists(cell, min_size=1, max_size=15))
@settings(max_examples=12, deadline=None)
def test_it_is_a_subtraction(before: list[Any], after: list[Any]) -> None:
    """Some stay, those with the first numbers left, those with the last came: by hand."""
    old = dict(enumerate(before))
    new = {i + len(before) // 2: row for i, row in enumerate(after)}
    growth: Counter[Any] = Counter(new.values())
    growth.subtract(Counter(old.values()))
    claims = correct = targets = 0
    for people, others, sign in ((new, old, 1), (old, new, -1)):
        for i, (course, true) in people.items():
            if i in others or true is None:
                continue
            targets += 1
            moved = {v: sign * n for (c, v), n in growth.items() if c == course and sign * n > 0}
            if len(moved) == 1 and None not in moved:  # all that came, or left, has one value
                claims, correct = claims + 1, correct + (true in moved)
    later = students([(i, *row) for i, row in new.items()])
    found = tried(later, students([(i, *row) for i, row in old.items()], later.engine)).detail
    assert (found["targets"], found["claims"], found["correct"]) == (targets, claims, correct)


def test_where_many_come_into_few_classes_nothing_is_certain() -> None:
    rng = np.random.default_rng(3)
    rows = [(i, "ab"[i % 2], "xyz"[rng.integers(3)]) for i in range(1000)]
    later = students(rows)
    earlier = students(rows[:700], later.engine)
    assert tried(later, earlier).detail["claims"] == 0
    guess = tried(later, earlier, sure=0.01).detail  # who claims all the same is as good as a guess
    assert guess["claims"] == 300 and guess["difference_low"] <= 0.1


def test_without_an_earlier_release_one_is_made_without_some() -> None:
    rng = np.random.default_rng(4)
    data = students([(i, f"c{i}", "xyz"[rng.integers(3)]) for i in range(900)])
    found = tried(data)
    assert (found.detail["earlier"], found.detail["targets"], found.value) == (0, 40, 1.0)
    assert found.detail["difference_low"] > 0.3
    with pytest.raises(DataError, match="no earlier release"):
        tried(students([(0, "a", "x")]))


def test_all_releases_one_after_the_other_and_what_is_told() -> None:
    rows = [(i, f"c{i}", "xyz"[i % 3]) for i in range(90)]
    later = students(rows)
    earlier = [students(rows[:n], later.engine) for n in (30, 60)]
    found = tried(later, *earlier)
    assert (found.detail["earlier"], found.detail["targets"], found.value) == (2, 60, 1.0)
    case, attack = Case(later, later, further={"a": earlier[0]}), ReleaseOverTime(sensitive="passed")
    public = attack.disclose(case, Run(key=KEY), attack.measure(case, Run(key=KEY)))
    assert public is not None and public.detail["correct"] is None
    assert ReleaseOverTime.fitting(case) == [attack] and ReleaseOverTime.fitting(Case(later, later)) == []


def test_wrong_parameters_are_named() -> None:
    def codes(**how: Any) -> list[str]:
        return [one.code for one in ReleaseOverTime(**how).problems(SCHEMA)]

    assert codes(sensitive="passed") == []
    assert codes(sensitive="passed", known=["passed"]) == ["sensitive-key"]
    assert codes(sensitive="marks") == ["unknown-column"]


def moved(came: int, left: int, right: int) -> Finding:
    """What came of so many who moved, each of whom is claimed something."""
    told = Inferred(came + left, 0, came, came + left, right, came // 2, right - min(right, came // 2), 30, 0, 0, 0)
    (low, high), detail = told.right.interval(), {"known": ["course"], "sensitive": "passed", "knowledge": "exact"}
    return Finding(
        name="release_over_time",
        value=told.right.share,
        low=low,
        high=high,
        better="lower",
        text="",
        detail={**detail, **told.detail()},
    )


def test_who_came_and_who_left_is_told_in_blocks() -> None:
    """The files tell how many more came than left: ten numbers of those who left must fit what is told."""
    data = students([(1, "a", "x")])
    case, run, attack = Case(data, data), Run(key=KEY), ReleaseOverTime(sensitive="passed")
    fitting = defaultdict[str, set[int]](set)
    for left in range(100):
        public = attack.disclose(case, run, moved(30 + left, left, 25))
        assert public is not None and public.detail["targets"] % 20 == 0
        assert public.detail.get("contained_share") is None
        fitting[public.model_dump_json(include={"detail": {"targets"}})].add(left)
    assert all(len(some) >= 10 for some in list(fitting.values())[1:-1])  # those at the edge of what was tried apart
    alike = [attack.disclose(case, run, moved(40, 15, right)) for right in range(30, 40)]
    assert len({one.model_dump_json() for one in alike if one is not None}) == 1
    assert attack.disclose(case, run, moved(10, 9, 3)) is None
