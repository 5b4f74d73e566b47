"""Attacks of one report that hardly differ are told alike: otherwise two of them judge a single claim."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks.attribute_inference import AttributeInference
from schleier.attacks.closeness import Closeness
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.exact_match import ExactMatch
from schleier.attacks.fingerprint_match import FingerprintMatch
from schleier.attacks.majority_vote import MajorityVote
from schleier.attacks.membership import Membership
from schleier.core.data import Dataset
from schleier.core.measure import Case, Measure
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.holding import Claimed, Held, hold
from schleier.flow.run.measuring import Measured, measured, steady
from schleier.kernels.statistics.sketches import sketch
from schleier.testing import example_schema, example_table

ROWS = 200
SCHEMA = Schema(
    columns=[
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="job", role="quasi", scale="nominal"),
        Column(name="ill", role="sensitive", scale="nominal"),
        Column(name="income", role="sensitive", scale="continuous"),
    ],
    row_key="id",
)
JUDGED = ("false_share", "outcome", "baseline", "difference_low", "difference_high")


def case() -> Case:
    """Persons of whom some are alone by age and job; some ages are off by one in the release."""
    rng = np.random.default_rng(3)
    table = pa.table(
        {
            "id": [f"p{i}" for i in range(ROWS)],
            "age": rng.integers(18, 90, ROWS),
            "job": rng.choice(list("abcd"), ROWS),
            "ill": rng.choice(["yes", "no", "unsaid"], ROWS),
            "income": rng.integers(500, 6000, ROWS).astype(float),
        }
    )
    ages = table["age"].to_numpy() + np.where(np.arange(ROWS) % 7, 0, 1)
    released = table.set_column(1, "age", pa.array(ages))
    return Case(Dataset.from_frame(table, SCHEMA), Dataset.from_frame(released, SCHEMA))


def told(*attacks: Measure) -> tuple[tuple[Measured, ...], tuple[Measured, ...]]:
    found = measured(attacks, case(), Run(bytes(32)), "attacking", open_file=True)
    return found, steady(found)


def numbers(one: Measured) -> dict[str, Any]:
    assert one.public is not None
    detail = {name: one.public.detail.get(name) for name in JUDGED}
    return {**detail, "low": one.public.low, "high": one.public.high, "value": one.public.value}


@pytest.mark.parametrize(
    "attacks",
    [
        (ExactMatch(targets="all"), ExactMatch(targets="all", name="again")),
        (
            DistanceMatch(targets="all", metric="hamming", within=0),
            DistanceMatch(targets="all", metric="gower", within=0.004),
        ),
    ],
    ids=["under another name", "by another distance"],
)
def test_almost_the_same_claims_are_told_as_the_first(attacks: tuple[Measure, Measure]) -> None:
    found, held = told(*attacks)
    assert found[0].exact.detail["claims"] >= 20 and held[0].public == found[0].public
    assert held[1].public is not None and numbers(held[1]) == numbers(held[0])
    assert found[1].claimed is not None and found[1].claimed.sketch is not None


def test_a_person_more_is_not_told() -> None:
    """Whoever repeats both knows who that is."""
    found, held = told(ExactMatch(targets=ROWS - 1), ExactMatch(targets=ROWS))
    exact = [one.exact.detail for one in found]
    assert abs(exact[1]["claims"] - exact[0]["claims"]) <= 2
    assert held[0].public == found[0].public
    public = held[1].public
    assert public is not None and public.detail["outcome"] == "withheld" and public.detail["as_earlier"]
    assert (public.low, public.high, public.detail["false_share"]) == (0.0, 1.0, None)
    assert "almost those of an earlier experiment" in public.text


def test_other_claims_are_told_as_they_are() -> None:
    found, held = told(
        ExactMatch(targets="all"),
        ExactMatch(targets="all", known=("age",)),
        AttributeInference(sensitive="ill", targets="all", without=0),
        AttributeInference(sensitive="income", within=0.1, targets="all", without=0),
    )
    assert held == found


@pytest.mark.parametrize("sure", [0.0, 0.01])
def test_claims_of_values_are_compared_too(sure: float) -> None:
    first = AttributeInference(sensitive="ill", targets="all", without=0)
    found, held = told(first, AttributeInference(sensitive="ill", targets="all", without=0, sure=sure, name="surer"))
    assert numbers(held[1]) == numbers(found[0])


def test_claims_about_records_found_are_compared_by_person() -> None:
    """Draws put the targets in another order for each attack; row keys say who they are."""
    found, held = told(
        Closeness(sensitive="income", targets="all"),
        Closeness(sensitive="income", targets="all", name="once more"),
        Closeness(sensitive="income", targets="all", within=0.2),
    )
    assert numbers(held[1]) == numbers(found[0])
    public = held[2].public  # the same claims, judged once more: by many tolerances one learns how far each is off
    assert public is not None and public.detail["outcome"] == "withheld" and public.detail["as_earlier"]


def test_claims_of_values_are_compared_whichever_trustee_judges_them() -> None:
    """Who finds the record claims what stands in it; so does who knows enough to find it."""
    looked_up = AttributeInference(sensitive="ill", known=("job", "income"), targets="all", without=0)
    found, held = told(MajorityVote(sensitive="ill", targets="all"), looked_up)
    claimed = [one.claimed for one in found]
    assert claimed[0] is not None and claimed[1] is not None and claimed[0].kind == claimed[1].kind
    assert np.array_equal(claimed[0].guesses, claimed[1].guesses)
    assert held[1].public is not None and held[1].public.detail["as_earlier"]


def test_the_same_guess_for_one_person_more_is_not_told() -> None:
    """Both claim something else, so that the guess alone tells two sets of persons apart."""
    who = np.arange(101, dtype=np.float64)

    def claimed(persons: int, what: float) -> Claimed:
        some = who[:persons]
        return Claimed("values", sketch(some, some + what), (100, None), sketch(some, some * 0))

    assert hold([claimed(100, 1), claimed(101, 2), claimed(102, 3)]) == [
        Held(0),
        *(Held(i, guess=False) for i in (1, 2)),
    ]
    assert hold([claimed(100, 1), claimed(101, 2), claimed(101, 2)])[2] == Held(1, guess=False)  # as that one is told
    assert hold([claimed(100, 1), claimed(100, 2), claimed(60, 3)]) == [Held(0), Held(1), Held(2)]


def test_what_is_not_told_against_the_guess() -> None:
    guessing = AttributeInference(sensitive="ill", known=("job",), targets="all", without=0)
    found, held = told(
        MajorityVote(sensitive="ill", targets=ROWS - 1), guessing, guessing.model_copy(update={"name": "b"})
    )
    own, public = (one.public for one in (found[1], held[1]))
    assert own is not None and public is not None and own.detail["baseline"] is not None
    assert (public.value, public.low, public.high) == (own.value, own.low, own.high)
    assert public.detail["baseline"] is None and public.detail["outcome"] == "unclear"
    assert (public.detail["difference_low"], public.detail["difference_high"]) == (-1.0, 1.0)
    assert public.detail["skill"] is None and "depends on a few claims" in public.text
    assert numbers(held[2]) == numbers(held[1])


def test_claims_that_nobody_judges_do_not_set_others_apart() -> None:
    table = pa.table({"id": [f"p{i}" for i in range(60)], "age": range(60), "ill": ["yes"] * 30 + [None] * 30})
    schema = Schema(columns=[c for c in SCHEMA if c.name in ("age", "ill")], row_key="id")
    original = Dataset.from_frame(table, schema)
    filled = Dataset.from_frame(table.set_column(2, "ill", pa.array(["no"] * 60)), schema)
    one = AttributeInference(sensitive="ill", targets="all", without=0)
    (found,) = measured((one,), Case(original, filled), Run(bytes(32)), "attacking", open_file=True)
    assert found.claimed is not None and found.claimed.sketch is not None
    assert found.claimed.sketch.sum() == found.exact.detail["claims"] == 30


def test_units_are_compared_by_whose_they_are() -> None:
    """Their aliases are drawn anew for each attack."""
    people = Dataset.from_frame(example_table(), example_schema())
    one = FingerprintMatch(known=("age", "sex", "region"), targets="all")
    attacks = (one, one.model_copy(update={"name": "again"}))
    found = measured(attacks, Case(people, people), Run(bytes(32)), "attacking", open_file=True)
    assert found[0].exact.detail["claims"] >= 20
    public = steady(found)[1].public
    assert public is not None and public.detail["as_earlier"]


def test_units_of_one_record_are_compared_with_persons() -> None:
    """Nearly everybody lives alone, so that both attacks claim the same of the same."""
    rows = example_table()
    alone = [f"h{max(i, 1)}" for i in range(len(rows))]
    people = Dataset.from_frame(rows.set_column(2, "household", pa.array(alone)), example_schema())
    known = ("age", "sex", "region", "income")
    attacks = DistanceMatch(known=known, targets="all"), FingerprintMatch(known=known, targets="all")
    found = measured(attacks, Case(people, people), Run(bytes(32)), "attacking", open_file=True)
    public = steady(found)[1].public
    assert found[0].exact.detail["claims"] > 200 and public is not None and public.detail["as_earlier"]


def test_claims_that_hardly_differ_are_right_together() -> None:
    """A number a little off is another number, and the same claim."""
    from schleier.core.trust.overheard import roughly

    one = np.random.default_rng(4).uniform(500, 6000, 2000)
    assert np.mean(roughly(one) == roughly(one * (1 + 1e-6))) > 0.999
    assert np.mean(roughly(one) == roughly(one * 1.05)) == 0
    assert len(set(roughly(np.array([0.0, 1e-9, 5.0, -5.0, np.inf])).tolist())) == 5


def test_of_two_attacks_that_are_not_heard_the_first_is_told() -> None:
    """Whom each takes for a member its reader knows; one person more, and a block more, and she took part."""
    attacks = [Membership(targets=many, name=f"m{many}") for many in range(60, 100, 3)]
    found, held = told(*attacks)
    # Without the rule the attack succeeds: a few persons more are asked about, and another number is told.
    own = [one.public for one in found]
    assert any(one.detail["area"] != two.detail["area"] for one, two in pairwise(own) if one and two)
    assert held[0].public == own[0]
    for one in held[1:]:
        assert one.public is not None and one.public.detail["as_earlier"]
        assert (one.public.low, one.public.high, one.public.detail["area"]) == (0.0, 1.0, None)
