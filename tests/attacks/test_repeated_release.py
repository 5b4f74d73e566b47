"""Noise cancels out in the mean of several releases."""

from __future__ import annotations

import math

import numpy as np

from attacks.worlds import counts, table, tried
from schleier.attacks.repeated_release import RepeatedRelease

RNG = np.random.default_rng(6)


def test_the_error_falls_with_the_root_of_the_number_of_releases() -> None:
    n, x = 4000, RNG.lognormal(7, 1, 4000)
    noisy = [table(x=x * RNG.normal(1, 0.1, n)) for _ in range(5)]
    attack = RepeatedRelease(sensitive="x", releases=tuple("2345"), targets="all")
    found = tried(attack, table(x=x), noisy[0], further=dict(zip("2345", noisy[1:], strict=True)))
    for value, releases in ((found.detail["as_it_stands"], 1), (found.value, 5)):
        expected = math.erf(0.05 / (0.1 / math.sqrt(releases)) / math.sqrt(2))
        assert abs(value - expected) < 4 * math.sqrt(expected * (1 - expected) / n)


def test_a_gap_in_one_release_is_left_out_of_the_mean() -> None:
    further = {"2": table(x=[110.0, 1.0, np.nan])}
    attack = RepeatedRelease(sensitive="x", releases=("2",), targets="all", within=1e-9)
    found = tried(attack, table(x=[100.0, 1.0, 3.0]), table(x=[90.0, np.nan, np.nan]), further=further)
    assert counts(found) == (2, 2)


def test_without_random_steps_repeating_adds_nothing() -> None:
    data = table(x=RNG.lognormal(7, 1, 50))
    found = tried(RepeatedRelease(sensitive="x", targets="all"), data, data)
    assert counts(found) == (50, 50) and found.detail["as_it_stands"] == 1.0
