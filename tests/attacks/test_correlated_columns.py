"""Columns that say the same are averaged, and no others."""

from __future__ import annotations

import numpy as np

from attacks.worlds import counts, table, tried
from schleier.attacks.correlated_columns import CorrelatedColumns

RNG = np.random.default_rng(7)
N = 3000
X = RNG.uniform(1000, 3000, N)


def test_three_columns_have_less_noise_than_one() -> None:
    true = {"x": X, "y": 2 * X + 10, "z": -X}
    noisy = {name: values + RNG.normal(0, 0.1 * values.std(), N) for name, values in true.items()}
    attack = CorrelatedColumns(sensitive="x", columns=["y", "z"], targets="all", within=0.02)
    found = tried(attack, table(**true), table(**noisy))
    assert found.value > found.detail["as_it_stands"] + 0.1


def test_columns_that_say_something_else_are_not_used() -> None:
    true = {"x": X, "y": RNG.uniform(0, 1, N), "z": np.full(N, 3.0)}
    attack = CorrelatedColumns(sensitive="x", columns=["y", "z"], targets="all", within=1e-12)
    assert counts(tried(attack, table(**true), table(**true))) == (N, N)


def test_gaps() -> None:
    data = table(x=[1.0, 2.0, 3.0, np.nan], y=[1.0, 2.0, np.nan, 4.0])
    found = tried(CorrelatedColumns(sensitive="x", columns=["y"], targets="all"), data, data)
    assert counts(found) == (3, 3)  # two common values are too few to relate the columns
