"""What is seen by who attacks values, and what is counted of his claims, against going person by person."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.view import ValueTrustee, Wanted, viewed
from schleier.engine.duckdb import Duckdb
from schleier.methods.recode import Recode

AMOUNTS = st.sampled_from([math.nan, -100.0, -95.0, 0.0, 90.0, 95.0, 100.0, 105.0])
CODES = st.sampled_from([-1, 0, 1, 2])


def counted(rows: list[tuple[Any, Any, bool]], guess: Any, rare: list[int], within: float | None) -> dict[str, int]:
    """Truth, claim and whether the record is there, person by person."""

    def gone(value: Any) -> bool:
        return math.isnan(value) if within is not None else value < 0

    def right(claim: Any, true: Any) -> bool:
        if gone(claim) or gone(true):
            return False
        return claim == true if within is None else abs(claim - true) <= within * abs(true)

    held = [row for row in rows if not gone(row[0])]
    made = [row for row in held if not gone(row[1])]
    few = [row for row in held if row[0] in rare]
    return {
        "targets": len(held),
        "without": len(rows) - len(held),
        "contained": sum(row[2] for row in held),
        "claims": len(made),
        "correct": sum(right(row[1], row[0]) for row in made),
        "guessed": sum(right(guess, row[0]) for row in made),
        "gained": sum(right(row[1], row[0]) and not right(guess, row[0]) for row in made),
        "differing": sum(row[1] != guess for row in made),
        "rare": len(few),
        "rare_correct": sum(right(row[1], row[0]) for row in few),
        "rare_guessed": sum(right(guess, row[0]) for row in few),
    }


@given(st.lists(st.tuples(CODES, CODES, st.booleans()), max_size=12), CODES, st.sets(st.sampled_from([0, 1, 2])))
def test_claimed_texts_person_by_person(rows: list[tuple[int, int, bool]], guess: int, rare: set[int]) -> None:
    truth, claims = (np.array([row[i] for row in rows], dtype=np.int64) for i in range(2))
    trustee = ValueTrustee(truth, np.array([row[2] for row in rows], dtype=bool), None)
    assert vars(trustee.judge(claims, guess, rare)) == counted(rows, guess, sorted(rare), None)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, st.booleans()), max_size=12), AMOUNTS, st.sampled_from([0.05, 0.1]))
def test_claimed_numbers_person_by_person(rows: list[tuple[float, float, bool]], guess: float, within: float) -> None:
    truth, claims = (np.array([row[i] for row in rows], dtype=np.float64) for i in range(2))
    trustee = ValueTrustee(truth, np.array([row[2] for row in rows], dtype=bool), within)
    assert vars(trustee.judge(claims, guess)) == counted(rows, guess, [], within)
    off = [abs(b / a - 1) for a, b, _ in rows if a and not math.isnan(a) and not math.isnan(b)]
    assert trustee.least(claims) == (pytest.approx(min(off)) if off else None)
    half = len(rows) // 2
    assert vars(trustee.first(half).judge(claims[:half], guess)) == counted(rows[:half], guess, [], within)


def test_the_share_itself_is_near_enough() -> None:
    trustee = ValueTrustee(np.array([100.0, -100.0, 0.0]), np.ones(3, dtype=bool), 0.25)
    assert trustee.right(np.array([125.0, -75.0, 0.0])).tolist() == [True, True, True]
    assert trustee.right(np.array([125.5, -74.5, 0.5])).tolist() == [False, False, False]


SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="job", role="quasi", scale="nominal"),
        Column(name="pay", role="sensitive", scale="continuous"),
        Column(name="ill", role="sensitive", scale="nominal"),
    ],
)
PERSONS = {
    "id": [1, 2, 3, 4],
    "age": [30, 40, 50, 60],
    "job": ["a", "b", None, "b"],
    "pay": [10.0, 20.0, None, 40.0],
    "ill": ["x", "y", "x", None],
}


def loaded(table: dict[str, Any], engine: Duckdb) -> Dataset:
    return Dataset.from_frame(pa.table(table), SCHEMA, engine)


@pytest.fixture
def case(engine: Duckdb) -> Case:
    """Number 2 is not in the release, which has another order and other amounts."""
    released = {
        "id": [4, 3, 1],
        "age": [60, 50, 30],
        "job": ["b", None, "a"],
        "pay": [41.0, 31.0, None],
        "ill": ["y", "x", "z"],
    }
    return Case(loaded(PERSONS, engine), loaded(released, engine))


def by_age(of: Any, known: Any) -> dict[float, Any]:
    return dict(zip(known.tolist(), of.tolist(), strict=True))


def test_numbers_of_a_release_target_by_target(case: Case) -> None:
    wanted = Wanted("pay", numbers=("age",), texts=("job",), known_numbers=("age",), known_texts=("job",), within=0.05)
    view, trustee = viewed(case, wanted, None, Run(key=bytes(32)))
    assert set(view.known) == {"age", "job"} and set(view.release) == {"age", "job", "pay"}
    seen = by_age(view.of_targets("pay"), view.known["age"])
    assert seen[60.0] == 41 and seen[50.0] == 31 and math.isnan(seen[30.0]) and math.isnan(seen[40.0])
    # The same text has the same code on both sides, missing is -1.
    jobs, shown = (by_age(codes, view.known["age"]) for codes in (view.known["job"], view.of_targets("job")))
    assert jobs[40.0] == jobs[60.0] == shown[60.0] and jobs[30.0] == shown[30.0] != jobs[60.0]
    assert jobs[50.0] == shown[50.0] == -1 == shown[40.0]
    told = trustee.judge(view.of_targets("pay"), 10.0)
    # To be learned are 10, 20 and 40; claimed is only 41 of 40.
    assert (told.targets, told.without, told.contained, told.claims, told.correct) == (3, 1, 2, 1, 1)
    assert (told.guessed, told.gained) == (0, 1)


def test_texts_of_a_release_target_by_target(case: Case) -> None:
    view, trustee = viewed(case, Wanted("ill", known_numbers=("age",)), None, Run(key=bytes(32)))
    assert set(view.known) == {"age"}
    told = trustee.judge(view.of_targets("ill"), -1)
    # 1 is x and shown as z, 2 is not there, 3 is x and shown as x, 4 has nothing to be learned.
    assert (told.targets, told.without, told.contained, told.claims, told.correct) == (3, 1, 2, 2, 1)


def test_a_text_is_learned_in_the_words_of_the_release(case: Case) -> None:
    step = Recode(column="ill", map={"x": "xy", "y": "xy", "z": "z"})
    coarse = replace(case, released=step.apply(case.released, Run()), steps=(step,))
    view, trustee = viewed(coarse, Wanted("ill"), None, Run(key=bytes(32)))
    told = trustee.judge(view.of_targets("ill"), -1)
    assert (told.claims, told.correct) == (2, 1)
    both = trustee.judge(np.full(4, view.of_targets("ill").max()), -1)
    assert both.correct == 0  # "z", which nobody has
    assert trustee.judge(np.full(4, view.release["ill"].min()), -1).correct == 3  # "xy", whom all three have


@pytest.mark.parametrize("numeric", [True, False])
def test_further_releases_are_seen_target_by_target(case: Case, numeric: bool) -> None:
    name = "pay" if numeric else "ill"
    other = loaded({column: values[1:] for column, values in PERSONS.items()}, case.released.engine)
    wanted = Wanted(name, known_numbers=("age",), within=0.05 if numeric else None)
    view, trustee = viewed(case, wanted, None, Run(key=bytes(32)), (other,))
    (again,) = view.further
    seen = by_age(again, view.known["age"])
    assert seen[60.0] == 40.0 if numeric else seen[60.0] == -1
    # Number 1 is not in the other release; what it shows of the others is true.
    told = trustee.judge(again, -1)
    assert (told.claims, told.correct) == (2, 2)
    assert math.isnan(seen[30.0]) if numeric else seen[30.0] == -1


def test_a_column_under_another_name(case: Case) -> None:
    import narwhals as nw

    renamed = replace(case.released, frame=case.released.frame.with_columns(wage=nw.col("pay") * 2))
    other = replace(case, released=renamed)
    for held_in, shown in (("wage", 82.0), ("pay", 41.0), (None, 41.0)):
        wanted = Wanted("pay", known_numbers=("age",), within=0.05, held_in=held_in)
        view, _ = viewed(other, wanted, None, Run(key=bytes(32)))
        assert by_age(view.of_targets("pay"), view.known["age"])[60.0] == shown


def test_the_first_targets(case: Case) -> None:
    other = loaded(PERSONS, case.released.engine)
    wanted = Wanted("pay", known_numbers=("age",), within=0.05)
    view, _ = viewed(case, wanted, None, Run(key=bytes(32)), (other,))
    few, _ = viewed(case, wanted, 3, Run(key=bytes(32)), (other,))
    first = view.first(3)
    assert first.known["age"].tolist() == few.known["age"].tolist() == view.known["age"].tolist()[:3]
    assert first.place.tolist() == few.place.tolist()
    assert np.array_equal(first.further[0], few.further[0], equal_nan=True)
    assert np.array_equal(first.of_targets("pay"), few.of_targets("pay"), equal_nan=True)
