"""Exclusion: the example of the book, a slow oracle, coarse cells, gaps, noise, wrong rules, and no names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.exclusion import Exclusion
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.linkage.possible import Numbers, Words, remaining

KEY = bytes(range(32))
COMPLAINTS = "pregnancy complaints"
RULE: dict[str, Any] = {COMPLAINTS: {"age": ["<12", ">=60"], "sex": ["m"]}}


def people(age: Any, sex: Any, disease: Any, engine: Any = None, scale: Any = "discrete") -> Dataset:
    columns = [
        Column(name="age", role="quasi", scale=scale),
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="disease", role="sensitive", scale="nominal"),
    ]
    table = pa.table({"id": pa.array(range(len(age)), pa.int64()), "age": age, "sex": sex, "disease": disease})
    return Dataset.from_frame(table, Schema(row_key="id", columns=columns), engine)


def tried(original: Dataset, released: Dataset, **how: Any) -> Finding:
    attack = Exclusion(sensitive="disease", impossible=RULE, **{"targets": "all", **how})
    return attack.measure(Case(original, released), Run(key=KEY))


def test_the_child_has_measles() -> None:
    """Kneuper, K-043: ages 7, 34 and 36 shown as "<40", two of three with complaints in pregnancy."""
    disease = ["measles", COMPLAINTS, COMPLAINTS]
    before = people([7, 34, 36], ["f"] * 3, disease)
    shown = people(["<40"] * 3, ["f"] * 3, disease, before.engine, "ordinal")
    told = tried(before, shown).detail
    assert (told["claims"], told["correct"], told["certain_before"], told["smallest_left"]) == (1, 1, 0, 1)


def world(rows: int = 600, seed: int = 5) -> tuple[list[int], list[str], list[str]]:
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 80, rows), rng.choice(["f", "m"], rows)
    other = rng.choice(["flu", "measles"], rows, p=[0.8, 0.2])
    can = (sex == "f") & (age >= 12) & (age < 60)
    return age.tolist(), sex.tolist(), np.where(can & (rng.random(rows) < 0.7), COMPLAINTS, other).tolist()


def test_classes_of_several_give_more_away_than_they_seem_to() -> None:
    age, sex, disease = world()
    before = people(age, sex, disease)
    shown = people(
        [f"{one // 4 * 4}-{one // 4 * 4 + 3}" for one in age], [None] * 600, disease, before.engine, "ordinal"
    )
    told = tried(before, shown, sure=0.7)
    assert told.detail["claims"] > 1.5 * told.detail["certain_before"]
    assert told.value > 0.65 and told.detail["struck_share"] > 0.1


def test_values_dealt_anew_are_at_chance() -> None:
    """The rule strikes out a value that nobody can have; what is left was dealt anew, half of each."""
    age, sex, _ = world()
    rng = np.random.default_rng(4)
    deals = [np.where(rng.random(600) < 0.2, "c", rng.choice(["a", "b"], 600)).tolist() for _ in range(2)]
    truth = [one if one != "c" else "a" for one in deals[0]]
    before = people(age, sex, truth)
    told = Exclusion(sensitive="disease", impossible={"c": {"sex": ["f", "m"]}}, sure=0.01, targets="all").measure(
        Case(before, people(age, sex, deals[1], before.engine)), Run(key=KEY)
    )
    share = truth.count("a") / 600
    most = share * 0.5 + (1 - share) * 0.5  # claims are half and half, whatever is true
    assert told.detail["claims"] > 400 and told.detail["struck_share"] > 0.1
    assert abs(told.value - most) < 4 * np.sqrt(0.25 / told.detail["claims"]) + 0.03


def test_a_rule_that_is_wrong_makes_wrong_claims() -> None:
    before = people([7, 34], ["f", "f"], [COMPLAINTS, "flu"])
    shown = people(["<40"] * 2, ["f", "f"], [COMPLAINTS, "flu"], before.engine, "ordinal")
    told = tried(before, shown).detail
    assert (told["claims"], told["correct"]) == (1, 0)


ROW = st.tuples(st.integers(0, 2), st.sampled_from([1.0, 2.0, float("nan")]), st.integers(-1, 2))


@settings(max_examples=100, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=5), st.lists(ROW, min_size=1, max_size=8), st.integers(0, 511))
def test_what_is_left_equals_the_slow_way(mine: Any, theirs: Any, bits: int) -> None:
    meets = np.array([bool(bits >> i & 1) for i in range(9)]).reshape(3, 3)
    job = Words(np.array([row[0] for row in mine]), np.array([row[0] for row in theirs]), meets)
    (known, seen) = (np.array([row[1] for row in rows]) for rows in (mine, theirs))
    items = np.array([row[2] for row in theirs])
    excluded = np.array([[(row[0] + v) % 3 == 0 for v in range(3)] for row in mine])
    found = remaining([job, Numbers(known, known, seen, seen)], items, excluded, np.array([3, 1, 2]))
    for i, (word, number, _) in enumerate(mine):
        fits = [
            item
            for cell, other, item in theirs
            if meets[word, cell] and (number == other or (np.isnan(number) and np.isnan(other)))
        ]
        left = [item for item in fits if item < 0 or not excluded[i, item]]
        held = [item for item in left if item >= 0]
        best = max(set(held), key=lambda v: (held.count(v), [3, 1, 2][v]), default=-1)
        assert (found.candidates[i], found.left[i], found.item[i]) == (len(fits), len(left), best)
        assert found.many[i] == held.count(best)
        assert found.most[i] == max((fits.count(v) for v in range(3)), default=0)


def test_wrong_parameters_are_named() -> None:
    schema = people([1], ["f"], ["flu"]).schema
    odd = Exclusion(sensitive="disease", known=["age", "disease"], impossible={"flu": {"sex": ["m"]}})
    assert [p.code for p in odd.problems(schema)] == ["sensitive-key", "not-a-key"]
    from schleier.core.errors import RecipeError

    with pytest.raises(RecipeError):
        Exclusion(sensitive="disease", impossible={})


def test_no_person_is_told() -> None:
    run = Run(key=KEY)
    data = people([7, 34, 36], ["MARKER-1", "f", "f"], ["flu", "MARKER-2", "flu"])
    attack = Exclusion(sensitive="disease", impossible=RULE, targets="all")
    assert "MARKER" not in attack.measure(Case(data, data), run).model_dump_json() + repr(run.notes)
