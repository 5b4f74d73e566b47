"""Singling out: a slow oracle, cells that stand for several values, gaps, outsiders, and no names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.singling_out import SinglingOut
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.inference.predicates import Numbers, Predicates, Words, blind_predicates, matches
from schleier.testing import example_schema, example_table

KEY = bytes(range(32))
CELL = st.sampled_from([0, 1, 2])
NUMBER = st.sampled_from([10.0, 20.0, 30.0, float("nan")])
ROW = st.tuples(CELL, NUMBER)


@settings(max_examples=200, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=6), st.lists(ROW, min_size=1, max_size=8), st.integers(-1, 1), st.data())
def test_matches_equal_the_slow_way(released: list[Any], people: list[Any], side: int, data: Any) -> None:
    may_be = np.array(data.draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=3, max_size=3)))
    low, ages = np.array([row[1] for row in released]), np.array([row[1] for row in people])
    job = Words(np.array([row[0] for row in released]), np.array([row[0] for row in people]), may_be)
    age = Numbers(low, low + 5, ages, ages, middle=20.0)
    every = [(c, r) for r in range(len(released)) for c in ([0, 1], [1, 0])]
    one = Predicates(
        np.array([c for c, _ in every]), np.array([[r, r] for _, r in every]), np.full((len(every), 2), side)
    )

    def fits(record: Any, person: Any) -> bool:
        if not may_be[record[0], person[0]]:
            return False
        if np.isnan(record[1]):
            return bool(np.isnan(person[1]))
        above = side > 0 if side else record[1] + 2.5 > 20
        return bool(person[1] >= record[1] if above else person[1] <= record[1] + 5)

    slow = [min(sum(fits(released[r], person) for person in people), 2) for _, r in every]
    assert matches([job, age], one).tolist() == slow


def loaded(ages: Any, jobs: Any, engine: Any = None, scale: Any = "discrete") -> Dataset:
    schema = Schema(
        row_key="id",
        columns=[Column(name="age", role="quasi", scale=scale), Column(name="job", role="quasi", scale="nominal")],
    )
    return Dataset.from_frame(
        pa.table({"id": pa.array(range(len(ages)), pa.int64()), "age": ages, "job": jobs}), schema, engine
    )


def tried(case: Case, **how: Any) -> dict[str, Any]:
    return SinglingOut(**how).measure(case, Run(key=KEY)).detail


def test_in_the_open_every_description_is_right_and_counts_once() -> None:
    data = loaded([30, 31, 32, 33], ["a", "b", "c", "c"])
    found = tried(Case(data, data), conditions=1, targets=50)
    # youngest, oldest, and the two lonely jobs; the others are more than one
    assert (found["targets"], found["claims"], found["correct"]) == (50, 4, 4)


def test_what_the_release_hides_is_no_description() -> None:
    data = loaded([30, 31, 32, 33], ["a", "b", "c", "c"])
    coarse = loaded(["30-39"] * 4, ["*"] * 4, data.engine, "nominal")
    found = tried(Case(data, coarse), conditions=2, targets=50)
    assert (found["claims"], found["correct"]) == (0, 0)


def test_cells_that_stand_for_several_values_are_judged_as_such() -> None:
    """The lonely cell "{b, c}" fits three people, "a" one; and a cell that may be the same is not told apart."""
    data = loaded([30] * 4, ["a", "b", "c", "c"])
    released = loaded([30] * 4, ["a", "{b, c}", "d", "d"], data.engine)
    found = tried(Case(data, released), known=["job"], conditions=1, targets=50)
    assert (found["claims"], found["correct"]) == (2, 1)
    mixed = loaded([30] * 4, ["a", "{a, b}", "d", "d"], data.engine)
    assert tried(Case(data, mixed), known=["job"], conditions=1, targets=50)["claims"] == 0


def test_a_lonely_gap_singles_out() -> None:
    data = loaded([30, 30, 30, None], ["a"] * 4)
    assert tried(Case(data, data), known=["age"], conditions=1, targets=20)["correct"] == 1


def test_a_release_of_other_people_is_right_as_often_as_for_the_control() -> None:
    people, columns = example_table(3600), ["age", "sex", "region", "income", "children"]
    first = Dataset.from_frame(people.slice(0, 1200), example_schema())
    rest = [Dataset.from_frame(people.slice(at, 1200), example_schema(), first.engine) for at in (1200, 2400)]
    attack = SinglingOut(known=columns, targets=600)
    told = attack.measure(Case(first, rest[1], control=rest[0]), Run(key=KEY))
    spread = 4 * np.sqrt(2 * 0.25 / 600)
    assert abs(told.value - told.detail["control_claims"]) < spread
    own = attack.measure(Case(first, first, control=rest[0]), Run(key=KEY))
    assert own.value == 1.0 and own.detail["control_claims"] < 0.6
    assert own.detail["control_targets"] == 1200


def test_blind_descriptions_put_together_what_does_not_belong_together() -> None:
    blind = blind_predicates(5, 1000, 200, 3, np.random.default_rng(1))
    assert (blind.records[:, 0] != blind.records[:, 1]).mean() > 0.9
    assert all(len(set(row)) == 3 for row in blind.columns.tolist())
    assert set(blind.sides.ravel().tolist()) == {-1, 1}


def test_nothing_to_describe() -> None:
    empty = loaded(pa.array([], pa.int64()), pa.array([], pa.string()))
    found = tried(Case(empty, empty), targets=5)
    assert (found["claims"], found["correct"], found["baseline"]) == (0, 0, 0.0)
    schema = Schema(columns=[Column(name="who", role="identifier", scale="text")])
    assert [problem.code for problem in SinglingOut().problems(schema)] == ["no-keys"]


def test_no_person_is_told() -> None:
    data = loaded(list(range(4000, 4060)), [f"MARKER-{i}" for i in range(60)])
    run = Run(key=KEY)
    told = SinglingOut(targets=100).measure(Case(data, data, control=data), run)
    assert "MARKER" not in told.model_dump_json() + repr(run.notes)
    assert told.value == pytest.approx(told.detail["correct"] / 100)
