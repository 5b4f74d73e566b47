"""Simulated surveys against the exact expectation, and against counting."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.designs import correlated, design
from planning.test_estimators import shares_of
from schleier.core.run import Run
from schleier.planning import simulation
from schleier.planning.design import Design
from schleier.planning.simulation import repeats_for, size_summary, uniques

KEY = bytes(32)


def expected(planned: Design, persons: int) -> float:
    """N p (1 - p)^(N - 1), summed over all combinations."""
    return math.fsum(persons * float(p) * (1 - float(p)) ** (persons - 1) for p in shares_of(planned))


PLANNED = {
    "by persons": design(".8 .2", ".5 .3 .2", ".4 .3 .2 .1", persons=60),
    "by combinations": design(".8 .2", ".5 .3 .2", persons=400),
    "correlated": correlated(persons=80),
    "nobody answers so": design("1/2 1/2 0", "0 1", persons=20),
}


@pytest.mark.parametrize("name", PLANNED)
def test_the_mean_is_the_expected_number(name: str) -> None:
    planned = PLANNED[name]
    found = size_summary(uniques(planned, [planned.persons], 2000, Run(key=KEY).rng("test"))[:, 0])
    error = (found.mean_high - found.mean_low) / 2 / simulation.Z95
    assert abs(found.mean - expected(planned, planned.persons)) < 4 * error + 1e-3
    assert found.favourable <= found.low <= found.mean <= found.high <= found.unfavourable
    assert found.mean_low <= found.mean <= found.mean_high and found.repeats == 2000


def test_both_ways_of_drawing_agree() -> None:
    """Person by person and combination by combination have the same means over all sizes."""
    planned, sizes = design(".6 .3 .1", ".4 .3 .2 .1"), [5, 20, 60, 150]
    one, other = Run(key=KEY).rng("one"), Run(key=KEY).rng("other")
    ways = simulation._asked(planned, sizes), simulation._counted(planned, sizes)
    means = [np.mean([draw(rng) for _ in range(1500)], axis=0) for draw, rng in zip(ways, (one, other), strict=True)]
    for i, size in enumerate(sizes):  # a single survey has at most 12 uniques, so its spread is below 3
        assert abs(means[0][i] - means[1][i]) < 4 * 3 * math.sqrt(2 / 1500)
        assert abs(means[0][i] - expected(planned, size)) < 4 * 3 / math.sqrt(1500)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_persons_alone_among_the_first_are_counted(answers: list[int], sizes: list[int]) -> None:
    sizes = sorted(min(size, len(answers)) for size in sizes)
    found = simulation._alone(np.array(answers, dtype=np.int64), sizes)
    assert found.tolist() == [sum(n == 1 for n in Counter(answers[:size]).values()) for size in sizes]


def test_more_combinations_than_can_be_numbered_do_not_collide() -> None:
    planned = Design(50, Fraction(5), tuple(design("1/10 " * 10).questions * 40))
    assert planned.combinations == 10**40
    assert uniques(planned, [50], 3, Run(key=KEY).rng("test")).tolist() == [[50]] * 3


def test_the_key_decides() -> None:
    planned = PLANNED["by persons"]
    draws = [uniques(planned, [60], 50, Run(key=key).rng("test")).tolist() for key in (KEY, KEY, bytes([1] * 32))]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize(
    ("planned", "repeats"),
    [
        (design("1/2 1/2", persons=100), 1000),
        (design("1/2 1/2", persons=10**10), 1000),  # two combinations: their counts are drawn
        (design(*(["1/10 " * 10] * 9), persons=10_000), 111),
        (design(*(["1/10 " * 10] * 9), persons=300_000), 20),
        (design(*(["1/10 " * 10] * 9), persons=10**6), 0),
    ],
)
def test_large_surveys_are_simulated_less_often(planned: Design, repeats: int) -> None:
    assert repeats_for(planned, [planned.persons]) == repeats
