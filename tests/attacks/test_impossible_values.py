"""What cannot be is pulled to what can."""

from __future__ import annotations

import numpy as np

from attacks.worlds import counts, table, tried
from schleier.attacks.impossible_values import ImpossibleValues


def test_values_are_pulled_to_the_limits_and_to_whole_numbers() -> None:
    original, released = table(x=[0.0, 2.0, 100.0, 50.0]), table(x=[-3.0, 2.3, 120.0, 60.0])
    attack = ImpossibleValues(sensitive="x", lower=0, upper=100, whole=True, targets="all")
    found = tried(attack, original, released)
    assert counts(found) == (4, 3)
    detail = found.detail
    assert (detail["impossible"], detail["impossible_targets"], detail["impossible_right"]) == (3, 3, 3)
    assert detail["as_it_stands"] == 0.0


def test_a_gap_is_not_impossible() -> None:
    found = tried(ImpossibleValues(sensitive="x", lower=0, targets="all"), table(x=[1.0, 2.0]), table(x=[np.nan, 2.0]))
    assert found.detail["impossible"] == 0 and counts(found) == (1, 1)


def test_without_limits_everything_can_be() -> None:
    data = table(x=[-1.5, 2.25])
    assert tried(ImpossibleValues(sensitive="x", targets="all"), data, data).detail["impossible"] == 0
