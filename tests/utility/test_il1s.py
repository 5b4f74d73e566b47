"""IL1s by hand, with gaps and columns that do not spread."""

from __future__ import annotations

import numpy as np

from schleier.utility.il1s import Il1s
from utility.tables import data, found, noisy, sample, three


def test_the_formula_of_the_source() -> None:
    old = sample(gaps=False)
    new = noisy(old)
    sums = [(np.abs(new[n] - old[n]) / (np.sqrt(2) * old[n].std(ddof=1))).sum() for n in "xyz"]
    finding = found(Il1s(columns=["x", "y", "z"]), data(old), data(new))
    assert finding.value == three(sum(sums) / (3 * len(old)))
    assert finding.detail["columns"]["x"] == three(sums[0] / len(old))


def test_gaps_and_constant_columns_are_left_out() -> None:
    old, new = data(x=[0.0, 2.0, 4.0, None], y=[1.0] * 4), data(x=[1.0, None, 4.0, 7.0], y=[2.0] * 4)
    finding = found(Il1s(), old, new)
    assert finding.value == three((1 + 0) / (np.sqrt(2) * 2) / 2)
    assert finding.detail["not_comparable"] == ["y"]
    assert found(Il1s(columns=["y"]), old, new).detail["compared"] == 0


def test_a_weight_counts() -> None:
    old, new = data(x=[0.0, 2.0, 4.0], w=[1.0, 1.0, 2.0]), data(x=[0.0, 2.0, 5.0], w=[1.0] * 3)
    even = found(Il1s(), old, new).value
    assert found(Il1s(weighted=True), old, new).value > even
