"""How likely sizes are that are Poisson numbers with log-normal rates, none of them zero: sums over rates.

Large sizes tell their rate closely, so the rates looked at lie around the one that explains a size best: on rates that
are the same for all sizes the density would have bumps, and the result would be one of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled, inlined
from schleier.kernels.exponential import quick_exp

BEFORE, STEP, FAR, LOWEST = -0.6, 0.7, 40.0, -35.0
"""Where the density of a log rate is looked at, in widths of its peak, and the logarithm of what counts as nothing."""
BESIDE = 16
"""Places that are looked at side by side."""
ROOT = math.sqrt(2 * math.pi)
NODES = np.linspace(-8.0, 8.0, 33)
MASS = np.exp(-NODES * NODES / 2)
MASS /= MASS.sum()


@compiled
def sum_likelihood(p: Any, sigma: Any, at: Any, drawn: Any, counts: Any) -> Any:
    """Without the factorials of sizes: the sum, its slopes in the three parts of the level and in log sigma, and the
    sum of their products, which is about how the likelihood bends.

    Places are in equal steps, so that the rates there follow from the first by multiplication; a few are looked at
    side by side.
    """
    result, nothing, before, slopes = np.zeros(21), np.zeros(3), math.nan, np.zeros(4)
    rates, zeros = np.empty(len(NODES)), np.empty(len(NODES))
    heights, pulls, turns, densities = np.empty(BESIDE), np.empty(BESIDE), np.empty(BESIDE), np.empty(BESIDE)
    tight = 1 / sigma
    for i in range(len(drawn)):
        size, count = drawn[i], counts[i]
        level = at[i, 0] * p[0] + at[i, 1] * p[1] + at[i, 2] * p[2]
        if level != before:  # groups with the same level stand side by side
            _not_zero(level, sigma, rates, zeros, nothing)
            before = level
        peak = peak_of(level, sigma, size)
        middle = quick_exp(peak)
        width = 1 / math.sqrt(middle + tight * tight)
        top = size * peak - middle - ((peak - level) * tight) ** 2 / 2
        total = moved = turned = 0.0
        for way in range(2):  # to the left and to the right, until nothing is left of the density
            place, step = peak + width * (BEFORE if way == 0 else BEFORE + STEP), width * (STEP if way else -STEP)
            rate, growth = quick_exp(place), quick_exp(step)
            height = 0.0
            while height > LOWEST and abs(place - peak) < FAR * width:
                for k in range(len(heights)):
                    heights[k] = rate
                    rate = min(rate * growth, 1e15)
                for k in range(len(heights)):
                    away = (place + k * step - level) * tight
                    pulls[k] = size - heights[k]
                    turns[k] = pulls[k] * away
                    heights[k] = max(size * (place + k * step) - heights[k] - away * away / 2 - top, -600.0)
                for k in range(len(heights)):
                    densities[k] = quick_exp(heights[k])
                for k in range(len(heights)):
                    total += densities[k]
                    moved += densities[k] * pulls[k]
                    turned += densities[k] * turns[k]
                height, place = heights[-1], place + len(heights) * step
        result[0] += count * (top + math.log(total * STEP * width / (sigma * ROOT)) - math.log(nothing[0]))
        slopes[:3] = at[i] * (moved / total - nothing[1] / nothing[0])
        slopes[3] = sigma * (turned / total - nothing[2] / nothing[0])
        for j in range(4):
            result[1 + j] += count * slopes[j]
            for k in range(4):
                result[5 + 4 * j + k] += count * slopes[j] * slopes[k]
    return result


@compiled
def _not_zero(level: Any, sigma: Any, rates: Any, zeros: Any, result: Any) -> None:
    """P(size > 0), and its slopes in the level and in sigma; rates and zeros are room to work in."""
    result[:] = 0.0
    rate, growth = quick_exp(max(level + sigma * NODES[0], -600.0)), quick_exp(sigma * (NODES[1] - NODES[0]))
    for k in range(len(NODES)):
        rates[k] = rate
        rate = min(rate * growth, 600.0)  # no record of such a class stays away
    for k in range(len(NODES)):
        zeros[k] = quick_exp(-rates[k])
    for k in range(len(NODES)):
        rate, there = rates[k], MASS[k] * rates[k] * zeros[k]
        result[0] += MASS[k] * (rate - rate * rate / 2 if rate < 1e-5 else 1 - zeros[k])
        result[1] += there
        result[2] += there * NODES[k]


@inlined
def peak_of(level: Any, sigma: Any, size: Any) -> Any:
    """The log rate that explains a size best: where size - rate - (log rate - level) / sigma^2 is zero."""
    at, tight = min(level + size * sigma**2, max(math.log(size), level)), 1 / sigma**2
    for _ in range(400):
        rate = quick_exp(min(at, 300.0))
        step = (size - rate - (at - level) * tight) / (rate + tight)
        at += min(max(step, -2.0), 2.0)
        if abs(step) < 1e-6:
            break
    return at
