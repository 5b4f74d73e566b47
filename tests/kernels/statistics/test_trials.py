"""Intervals of what two ways of claiming gain on each other, by simulation and by a published vector."""

from __future__ import annotations

import math

import numpy as np
import pytest

from schleier.kernels.statistics.trials import Gain, paired_ratio


def test_thirty_before_and_ninety_five_after() -> None:
    """Bitkom (2020), 2.1."""
    gain = Gain(both=300, gained=650, lost=0, neither=50)
    assert gain.skill == pytest.approx(0.92857, abs=1e-5)
    assert gain.odds_ratio == pytest.approx(44.33, abs=1e-2)
    assert gain.bits == pytest.approx(1.66297, abs=1e-5)


CELLS = [(0.25, 0.4, 0.05, 0.3), (0.05, 0.1, 0.1, 0.75), (0.6, 0.2, 0.1, 0.1)]


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("attempts", [60, 400])
def test_the_intervals_hold_the_truth(cells: tuple[float, ...], attempts: int) -> None:
    """In 95 % of the cases, less three standard errors of 600 trials."""
    both, gained, lost, _ = cells
    first, second = both + gained, both + lost
    truth = {
        "skill": (first - second) / (1 - second),
        "bits": math.log2(first / second),
        "odds": first / (1 - first) / (second / (1 - second)),
    }
    drawn = np.random.default_rng(attempts).multinomial(attempts, cells, 600)
    held = dict.fromkeys(truth, 0)
    for counts in drawn:
        gain = Gain(*map(int, counts))
        for name, value in truth.items():
            low, high = getattr(gain, f"{name}_interval")()
            held[name] += low <= value <= high
    assert min(held.values()) / 600 > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 600)
    assert max(held.values()) / 600 <= 1


def test_where_nothing_is_right_or_wrong() -> None:
    none = Gain(0, 0, 0, 10)
    assert math.isnan(none.odds_ratio) and none.skill == 0 and math.isnan(none.bits)
    sure = Gain(0, 10, 0, 0)
    assert sure.skill == 1 and sure.odds_ratio == math.inf and sure.bits == math.inf
    assert sure.odds_interval()[0] > 1 and sure.bits_interval()[0] > 0 and 0 < sure.skill_interval()[0] < 1
    assert paired_ratio(0, 0, 0) == (0.0, math.inf)
