"""k-map without a table of the population: how many records fewer than k persons leave."""

from __future__ import annotations

import itertools
import math

import pytest

from criteria.plain import SCHEMA, Row, dataset
from schleier.core.criterion import Limits
from schleier.criteria.estimated_k_map import EstimatedKMap


def tail(persons: int, fraction: float, records: int) -> float:
    """The chance that so many or more of some persons are drawn, person by person."""
    drawn = itertools.product((0, 1), repeat=persons)
    return sum(math.prod(fraction if one else 1 - fraction for one in who) for who in drawn if sum(who) >= records)


@pytest.mark.parametrize("k", [2, 5, 11])
@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("significance", [0.001, 0.05, 0.3])
def test_the_smallest_class_by_brute_force(k: int, fraction: float, significance: float) -> None:
    expected = next(s for s in range(k + 1) if tail(k - 1, fraction, s) <= significance)
    assert EstimatedKMap(k=k, fraction=fraction, significance=significance).enough == expected


def test_a_full_count_asks_for_all_of_them() -> None:
    assert EstimatedKMap(k=7, fraction=1, significance=0.05).enough == 7


def test_a_class_that_is_too_small() -> None:
    rows: list[Row] = [("x", 1, "flu", 1)] * 3 + [("y", 1, "flu", 1)]
    one = EstimatedKMap(k=5, fraction=0.1, significance=0.06)
    verdict = one.check(dataset(rows))
    assert one.enough == 2  # P(X >= 2) is 0.0523 for four persons
    assert (verdict.level, verdict.holds, verdict.bad_classes) == (1, False, 1)
    assert verdict.text.startswith("The smallest class has 1 record; at least 2 are required for 5 persons")
    assert one.limits(SCHEMA) == Limits(least=2, whole=True)
    assert one.weaker_than(EstimatedKMap(k=6, fraction=0.1, significance=0.06))
    assert one.weaker_than(EstimatedKMap(k=5, fraction=0.1, significance=0.05))
