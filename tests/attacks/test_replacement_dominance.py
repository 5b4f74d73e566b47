"""A mean of few values tells the largest when the others are small."""

from __future__ import annotations

import numpy as np

from attacks.worlds import counts, table, tried
from schleier.attacks.replacement_dominance import ReplacementDominance

SECOND = ReplacementDominance(sensitive="x")
OUTSIDER = ReplacementDominance(sensitive="x", knows="nothing")


def replaced(x: list[float], limit: float) -> list[float]:
    values = np.array(x)
    values[values > limit] = values[values > limit].mean()
    return values.tolist()


def test_the_second_largest_tells_the_largest_when_the_third_is_small() -> None:
    x = [900.0, 400.0, 101.0, 99.0, 5.0]
    found = tried(SECOND, table(x=x), table(x=replaced(x, 100)))
    assert counts(found) == (1, 1)  # 3 * 467 - 400 - 99 = 902
    assert counts(tried(OUTSIDER, table(x=x), table(x=replaced(x, 100)))) == (1, 0)  # 3 * 467 - 2 * 99 = 1203


def test_an_outsider_can_when_both_are_small() -> None:
    x = [9000.0, 102.0, 101.0, 99.0, 5.0]
    assert counts(tried(OUTSIDER, table(x=x), table(x=replaced(x, 100)))) == (1, 1)


def test_even_tails_hide_their_largest() -> None:
    x = [500.0, 480.0, 470.0, 460.0, 90.0]
    assert counts(tried(SECOND, table(x=x), table(x=replaced(x, 100)))) == (1, 0)


def test_tails_by_group() -> None:
    x, by = [900.0, 101.0, 5.0, 7.0], ["a", "a", "b", "b"]
    attack = SECOND.model_copy(update={"by": ("branch",)})
    released = [500.5, 500.5, 5.0, 7.0]
    # 2 * 500.5 - 101 = 900; the largest of b is told as it stands
    assert counts(tried(attack, table(x=x, branch=by), table(x=released, branch=by))) == (2, 2)


def test_nobody_and_gaps() -> None:
    assert counts(tried(SECOND, table(x=[]), table(x=[]))) == (0, 0)
    assert counts(tried(SECOND, table(x=[None, 3.0]), table(x=[9.0, 3.0]))) == (1, 1)
