"""Rescaling undoes a factor per record, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from attacks.worlds import codes, counts, table, tried
from schleier.attacks.rescale import Rescale
from schleier.core.errors import InfeasibleError

RNG = np.random.default_rng(1)
X, Y = RNG.lognormal(8, 1, 400), RNG.lognormal(6, 1, 400)
ALL = Rescale(known="x", sensitive="y", targets="all")


def test_a_factor_per_record_is_undone_exactly() -> None:
    factor = RNG.uniform(0.5, 1.5, 400)
    found = tried(ALL.model_copy(update={"within": 1e-9}), table(x=X, y=Y), table(x=X * factor, y=Y * factor))
    assert counts(found) == (400, 400)
    assert found.detail["as_it_stands"] < 0.05 and found.detail["baseline"] < 0.05


def test_factors_of_their_own_are_made_worse_by_it() -> None:
    released = table(x=X * RNG.uniform(0.7, 1.3, 400), y=Y * RNG.uniform(0.9, 1.1, 400))
    found = tried(ALL, table(x=X, y=Y), released)
    assert found.value < found.detail["as_it_stands"]


def test_nothing_is_claimed_where_the_known_value_is_missing_or_zero_or_the_record_left_out() -> None:
    original = table(x=[1.0, 0.0, np.nan, 4.0], y=[1.0, 2.0, 3.0, 4.0])
    released = table(keys=[0, 1, 2], x=[2.0, 0.0, 3.0], y=[2.0, 4.0, 6.0])
    found = tried(ALL, original, released)
    assert counts(found) == (1, 1)
    assert (found.detail["targets"], found.detail["contained"]) == (4, 3)


def test_negative_numbers() -> None:
    found = tried(ALL, table(x=[-2.0, 5.0], y=[-7.0, 3.0]), table(x=[-1.0, 10.0], y=[-3.5, 6.0]))
    assert counts(found) == (2, 2)


def test_only_so_many_targets() -> None:
    data = table(x=X, y=Y)
    found = tried(Rescale(known="x", sensitive="y", targets=50), data, data)
    assert found.detail["targets"] == 50
    with pytest.raises(InfeasibleError, match="401 targets"):
        tried(Rescale(known="x", sensitive="y", targets=401), data, data)


def test_wrong_parameters_are_named() -> None:
    schema = table(x=[1.0], y=[1.0], branch=["a"]).schema
    assert codes(ALL, schema) == []
    assert codes(Rescale(known="branch", sensitive="y"), schema) == ["not-numeric"]
    assert codes(Rescale(known="x", sensitive="branch"), schema) == ["not-numeric"]
    assert codes(Rescale(known="z", sensitive="y"), schema) == ["unknown-column"]
