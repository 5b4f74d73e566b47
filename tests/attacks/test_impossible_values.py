"""What cannot be is pulled to what can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attacks.worlds import counts, table, tried
from schleier.attacks.impossible_values import ImpossibleValues
from schleier.cli.problems import translated
from schleier.core.errors import RecipeError


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


def test_without_limits_there_is_nothing_to_judge() -> None:
    """To find nothing would read as if nothing were to be found."""
    with pytest.raises(RecipeError, match="say lower, upper or whole = true") as caught:
        ImpossibleValues(sensitive="x")
    said = translated(caught.value.problems[0], "de")
    assert said is not None and "kein Wert unmöglich" in said.text + said.details


@pytest.mark.parametrize("limit", [{"lower": 0}, {"upper": 2}, {"whole": True}])
def test_one_limit_is_enough(limit: dict[str, Any]) -> None:
    data = table(x=[-1.5, 2.25])
    assert tried(ImpossibleValues(sensitive="x", targets="all", **limit), data, data).detail["impossible"] >= 1
