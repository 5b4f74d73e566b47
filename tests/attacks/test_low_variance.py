"""Where releases agree, they are believed."""

from __future__ import annotations

import numpy as np

from attacks.worlds import codes, counts, table, tried
from schleier.attacks.low_variance import LowVariance


def test_numbers_are_claimed_where_the_releases_hardly_differ() -> None:
    original = table(x=[100.0, 100.0, 100.0, 100.0])
    releases = {n: table(x=v) for n, v in {"2": [101.0, 150.0, 200.0, 100.0], "3": [99.0, 70.0, 201.0, np.nan]}.items()}
    attack = LowVariance(sensitive="x", within=0.05, releases=("2", "3"), targets="all")
    found = tried(attack, original, table(x=[100.0, 100.0, 200.0, 100.0]), further=releases)
    assert counts(found) == (2, 1)  # the third agree on something false, and the fourth has a gap


def test_categories_are_claimed_where_all_agree() -> None:
    attack = LowVariance(sensitive="ill", releases=("2",), targets="all")
    found = tried(
        attack, table(ill=["a", "b", "c"]), table(ill=["a", "b", "b"]), further={"2": table(ill=["a", "c", "b"])}
    )
    assert counts(found) == (2, 1)


def test_numbers_need_a_tolerance_and_only_numbers_have_one() -> None:
    schema = table(x=[1.0], ill=["a"]).schema
    assert codes(LowVariance(sensitive="x"), schema) == ["no-tolerance"]
    assert codes(LowVariance(sensitive="ill", within=0.1), schema) == ["not-numeric"]
    assert codes(LowVariance(sensitive="ill"), schema) == []
