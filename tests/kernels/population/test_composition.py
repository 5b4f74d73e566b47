"""The seven attackers of the overview, and how many tries they need."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.population.composition import (
    ROWS,
    Parts,
    applies,
    attacker_risk,
    certainty,
    factors,
    row_of_attacker,
    trials_needed,
)

SHARE = st.floats(0, 1)

# Übersicht 4.1 (L6623-6655), written down once more: R is representation, S certainty.
OVERVIEW = {
    1: "R * K * U * S",
    2: "K * U",
    3: "R * K * U",
    4: "I * K * U * S",
    5: "I * K * U",
    6: "K * U",
    7: "K * M",
}


@given(SHARE, SHARE, SHARE, SHARE, SHARE, SHARE)
def test_the_overview(r: float, i: float, k: float, u: float, s: float, m: float) -> None:
    parts = Parts(in_release=r, in_knowledge=i, compatible=k, unique=u, certain=s, unique_in_release=m)
    for row in ROWS:
        terms = {"R": r, "I": i, "K": k, "U": u, "S": s, "M": m}
        wanted = math.prod(terms[name] for name in OVERVIEW[row.number].split(" * "))
        assert attacker_risk(row, parts) == pytest.approx(wanted, abs=1e-12)
        assert math.prod(factors(row, parts)) == attacker_risk(row, parts)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.number))
def test_every_row_is_chosen_by_its_own_description(row: object) -> None:
    found = row_of_attacker(row.strategy, row.knowledge, row.release, participation=row.participation)  # type: ignore[attr-defined]
    assert found is row


def test_where_both_files_cover_everybody() -> None:
    """Not in the overview: nothing but compatibility and uniqueness is left to chance."""
    for strategy, number in (("targeted", 2), ("fishing", 6)):
        assert row_of_attacker(strategy, "total", "total").number == number  # type: ignore[arg-type]
    assert row_of_attacker("targeted", "total", "part", participation=True).number == 7


def test_which_attackers_a_release_has() -> None:
    assert [row.number for row in ROWS if applies(row, "part")] == [1, 3, 4, 6, 7]
    assert [row.number for row in ROWS if applies(row, "total")] == [2, 5, 6, 7]


@given(SHARE, st.floats(0.001, 1))
def test_certainty_is_a_probability_and_not_below_the_unconditional_one(unique: float, in_release: float) -> None:
    """P-08: violated by the print, which is what the erratum is about."""
    unique = min(unique, in_release)
    assert unique <= certainty(unique, in_release) <= 1
    assert certainty(unique, in_release, published=True) <= unique


def test_nobody_is_unique() -> None:
    assert certainty(0.0, 0.0) == 0.0


def test_an_attack_that_never_works() -> None:
    assert trials_needed(1, tried=10, correct=0).tries == math.inf
    assert trials_needed(0, tried=10, correct=0).tries == 0.0


def test_counts_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="negative: wanted, false; there are more right links"):
        trials_needed(-1, tried=1, correct=2, false=-3)
