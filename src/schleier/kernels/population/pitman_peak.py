"""Where the likelihood of the Pitman sampling formula is largest (Hoshino 2001).

With alpha and theta = exp(tau) - alpha, n records in u classes of sizes s have the likelihood

    alpha^(u-1) G(theta/alpha + u) / G(theta/alpha + 1) * G(theta + 1) / G(theta + n) * prod G(s - alpha) / G(1 - alpha)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled

GRID, HALVINGS = 32, 100
"""Values of alpha that are tried first, and how often the place where a slope is zero may be narrowed down."""
ALPHA = 3e-4
"""Smallest alpha, next to the formula of Ewens: below it the slopes are lost to rounding."""


@compiled
def pitman_peak(sizes: Any, counts: Any, n: Any, u: Any) -> Any:
    """Alpha and tau of the largest likelihood: the best on a grid, then where the slope is zero next to it."""
    step, top, best, tau = (1 - 2 * ALPHA) / GRID, -np.inf, 0, 0.0
    for place in range(GRID + 1):
        alpha = ALPHA + place * step
        tau = _tau(alpha, n, u, tau)
        theta = math.exp(tau) - alpha
        height = (u - 1) * math.log(alpha) + math.lgamma(theta / alpha + u) - math.lgamma(theta / alpha + 1)
        height += math.lgamma(theta + 1) - math.lgamma(theta + n)
        own = math.lgamma(1 - alpha)
        for i in range(len(sizes)):
            height += counts[i] * (math.lgamma(sizes[i] - alpha) - own)
        if height > top:
            top, best = height, place
    low, high = ALPHA + max(best - 1, 0) * step, ALPHA + min(best + 1, GRID) * step
    tau = _tau(low, n, u, tau)
    left, right = _slope(low, tau, sizes, counts, n, u), _slope(high, _tau(high, n, u, tau), sizes, counts, n, u)
    if left <= 0 or right >= 0:  # at the end of the grid
        alpha = low if left <= 0 else high
        return alpha, _tau(alpha, n, u, tau)
    for _ in range(HALVINGS):
        alpha = (low * right - high * left) / (right - left)  # false position; an end that stays counts half
        tau = _tau(alpha, n, u, tau)
        slope = _slope(alpha, tau, sizes, counts, n, u)
        if slope > 0:
            low, left, right = alpha, slope, right / 2
        else:
            high, right, left = alpha, slope, left / 2
        if high - low < 1e-12 or slope == 0:
            break
    return alpha, tau


@compiled
def _slope(alpha: Any, tau: Any, sizes: Any, counts: Any, n: Any, u: Any) -> Any:
    """Of the logarithm of the likelihood in alpha, where tau stays."""
    theta = math.exp(tau) - alpha
    ratio, own = theta / alpha, _digamma(1 - alpha)
    found = (u - 1) / alpha - (ratio + 1) / alpha * (_digamma(ratio + u) - _digamma(ratio + 1))
    found += _digamma(theta + n) - _digamma(theta + 1)
    for i in range(len(sizes)):
        found -= counts[i] * (_digamma(sizes[i] - alpha) - own)
    return found


@compiled
def _tau(alpha: Any, n: Any, u: Any, near: Any) -> Any:
    """Where the likelihood of one alpha is largest."""
    least, most = -15.0, math.log(1e4 * n)
    low = high = min(max(near, least), most)
    left = right = _turn(alpha, n, u, low)
    step = 0.1
    while left < 0 and low > least:
        high, right, low = low, left, max(low - step, least)
        left, step = _turn(alpha, n, u, low), 2 * step
    while right > 0 and high < most:
        low, left, high = high, right, min(high + step, most)
        right, step = _turn(alpha, n, u, high), 2 * step
    if left <= 0 or right >= 0:
        return low if left <= 0 else high
    tau = low
    for _ in range(HALVINGS):
        tau = (low * right - high * left) / (right - left)
        turn = _turn(alpha, n, u, tau)
        if turn > 0:
            low, left, right = tau, turn, right / 2
        else:
            high, right, left = tau, turn, left / 2
        if high - low < 1e-12 or abs(turn) < 1e-15:
            break
    return tau


@compiled
def _turn(alpha: Any, n: Any, u: Any, tau: Any) -> Any:
    """Above zero where the likelihood rises with tau."""
    theta = math.exp(tau) - alpha
    classes = (_digamma(theta / alpha + u) - _digamma(theta / alpha + 1)) / alpha
    return math.log(classes / (_digamma(theta + n) - _digamma(theta + 1)))


@compiled
def _digamma(x: Any) -> Any:
    """The slope of the logarithm of the gamma function, for positive numbers."""
    found = 0.0
    while x < 10:
        found -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12))))))
    return found + math.log(x) - 0.5 / x - series
