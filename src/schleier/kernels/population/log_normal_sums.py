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
WORTH = 4
"""So many times as many groups as levels make it worth computing the latter only."""
HIGHEST, MOST = 34.5, 6.4
"""Log rates that are high enough to be taken for any higher one: no size is so large; none is zero there."""
NODES = np.linspace(-7.75, 7.75, 2 * BESIDE)
MASS = np.exp(-NODES * NODES / 2)
MASS /= MASS.sum()


@compiled
def sum_likelihood(p: Any, sigma: Any, at: Any, drawn: Any, counts: Any, apart: Any) -> Any:
    """Without the factorials of sizes: the sum, then its slopes in the three parts of the level and in log sigma, then
    its second derivatives in them, row by row.

    Groups of one size must stand side by side: where they are many, it is computed at levels that are so far ``apart``,
    and with a polynomial of third degree between them.
    """
    result, levels, one, none, start = np.zeros(21), at @ p, np.zeros(6), np.zeros(6), 0
    room, lowest = np.empty((4, BESIDE)), levels.min()
    some = _some(levels, sigma, apart)
    table = np.empty((len(some), 6))
    while start < len(drawn):
        end = start + 1
        while end < len(drawn) and drawn[end] == drawn[start]:
            end += 1
        first = int((levels[start:end].min() - lowest) / apart)
        nodes = int((levels[start:end].max() - lowest) / apart) - first + 4
        for k in range(nodes if nodes < end - start and len(some) else 0):
            _one(lowest + (first + k - 1) * apart, sigma, drawn[start], room, table[k])
            table[k] -= some[first + k]
        for i in range(start, end):
            if len(some) == 0:
                _one(levels[i], sigma, drawn[i], room, one)
                _not_zero(levels[i], sigma, room, none)
                one -= none
            elif nodes < end - start:
                _between(table, (levels[i] - lowest) / apart - first, nodes, one)
            else:
                _one(levels[i], sigma, drawn[i], room, one)
                _between(some, (levels[i] - lowest) / apart, len(some), none)
                one -= none
            _add(result, at[i], counts[i], one)
        start = end
    for j in range(4):
        for k in range(j):
            result[5 + 4 * k + j] = result[5 + 4 * j + k]
    return result


@compiled
def _some(levels: Any, sigma: Any, apart: Any) -> Any:
    """What ``_not_zero`` tells, at levels in equal steps; nothing where that is not less work."""
    low, nodes, room = levels.min(), int((levels.max() - levels.min()) / apart) + 4, np.empty((4, BESIDE))
    table = np.empty((nodes if WORTH * nodes < len(levels) else 0, 6))
    for k in range(len(table)):
        _not_zero(low + (k - 1) * apart, sigma, room, table[k])
    return table


@inlined
def _add(result: Any, at: Any, count: Any, one: Any) -> None:
    result[0] += count * one[0]
    for j in range(3):
        part = count * at[j]
        result[1 + j] += part * one[1]
        for k in range(j + 1):
            result[5 + 4 * j + k] += part * at[k] * one[3]
        result[17 + j] += part * one[4]
    result[4] += count * one[2]
    result[20] += count * one[5]


@inlined
def _between(table: Any, place: Any, nodes: Any, result: Any) -> None:
    """The third-degree polynomial through the four nodes next to a place; the first node is at -1."""
    below = min(int(place), nodes - 4)
    t = place - below
    w0, w1 = -t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2
    w2, w3 = -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6
    for q in range(6):
        left, right = (
            w0 * table[below, q] + w1 * table[below + 1, q],
            w2 * table[below + 2, q] + w3 * table[below + 3, q],
        )
        result[q] = left + right


@compiled
def _one(level: Any, sigma: Any, size: Any, room: Any, result: Any) -> None:
    """The logarithm of the likelihood of a size, its slopes in the level and in log sigma, and second derivatives.

    With u = size - rate and w = u^2 - rate, the likelihood P of a size has P'/P = E[u] in the level and E[u s z] in log
    sigma, P''/P = E[w], E[w s z] and E[w (s z)^2 + u s z], where s z is how far the log rate is from the level.
    """
    heights, rates, places = room[0], room[1], room[2]
    tight = 1 / sigma
    peak = peak_of(level, sigma, size)
    middle = quick_exp(peak)
    width = 1 / math.sqrt(middle + tight * tight)
    top = size * peak - middle - ((peak - level) * tight) ** 2 / 2
    total = s1 = s2 = s3 = s4 = s5 = 0.0
    for way in range(2):  # to the left and to the right, until nothing is left of the density
        place, step = peak + width * (BEFORE if way == 0 else BEFORE + STEP), width * (STEP if way else -STEP)
        height = 0.0
        while height > LOWEST and abs(place - peak) < FAR * width:
            for k in range(BESIDE):  # a few side by side
                places[k] = place + k * step
                rates[k] = quick_exp(min(places[k], HIGHEST))
            for k in range(BESIDE):
                away = (places[k] - level) * tight
                heights[k] = size * places[k] - rates[k] - away * away / 2 - top
            height, place = heights[BESIDE - 1], place + BESIDE * step
            for k in range(BESIDE):
                heights[k] = quick_exp(heights[k])
            for k in range(BESIDE):
                density, u, away = heights[k], size - rates[k], places[k] - level
                w = u * u - rates[k]
                total += density
                s1 += density * u
                s2 += density * u * away
                s3 += density * w
                s4 += density * w * away
                s5 += density * (w * away + u) * away
    s1, s2, s3, s4, s5 = s1 / total, s2 / total, s3 / total, s4 / total, s5 / total
    result[0] = top + math.log(total * STEP * width / (sigma * ROOT))
    result[1], result[2] = s1, s2
    result[3], result[4], result[5] = s3 - s1 * s1, s4 - s1 * s2, s5 - s2 * s2


@compiled
def _not_zero(level: Any, sigma: Any, room: Any, result: Any) -> None:
    """The same for the probability that a size is not zero: with r for the rate, its slope is E[r exp(-r)]."""
    rates, zeros = room[0], room[1]
    total = s1 = s2 = s3 = s4 = s5 = 0.0
    for first in range(0, len(NODES), BESIDE):
        for k in range(BESIDE):
            rates[k] = quick_exp(min(level + sigma * NODES[first + k], MOST))
            zeros[k] = quick_exp(-rates[k])
        for k in range(BESIDE):
            rate, away, mass = rates[k], sigma * NODES[first + k], MASS[first + k]
            there = mass * rate * zeros[k]
            bent = there * (1 - rate)
            total += mass * (rate - rate * rate / 2 if rate < 1e-5 else 1 - zeros[k])
            s1 += there
            s2 += there * away
            s3 += bent
            s4 += bent * away
            s5 += (bent * away + there) * away
    s1, s2, s3, s4, s5 = s1 / total, s2 / total, s3 / total, s4 / total, s5 / total
    result[0], result[1], result[2] = math.log(total), s1, s2
    result[3], result[4], result[5] = s3 - s1 * s1, s4 - s1 * s2, s5 - s2 * s2


@inlined
def peak_of(level: Any, sigma: Any, size: Any) -> Any:
    """The log rate that explains a size best: where size - rate - (log rate - level) / sigma^2 is zero."""
    at, tight = min(level + size * sigma**2, max(math.log(size), level)), 1 / sigma**2
    for _ in range(400):
        rate = quick_exp(min(at, 300.0))
        step = (size - rate - (at - level) * tight) / (rate + tight)
        at += min(max(step, -2.0), 2.0)
        if abs(step) < 1e-4:
            break
    return at
