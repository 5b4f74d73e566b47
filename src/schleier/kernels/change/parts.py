"""Amounts changed a little, and amounts divided among several."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def similar(
    amounts: NDArray[np.float64], draws: NDArray[np.float64], spread: float, step: float, zero: bool = False
) -> NDArray[np.float64]:
    """Each amount moved by between half of ``spread`` and all of it, up or down, in whole steps and never by none.

    Zero stays zero: it may be one that must be. The draw tells direction (first half up) and distance. An amount of
    one step can only go up, unless it may become ``zero``.

    >>> similar(np.array([100.0, 1.0, 0.0, -40.0, 3.0]), np.array([0.0, 0.75, 0.2, 0.49, 0.75]), 0.1, 1.0).tolist()
    [105.0, 2.0, 0.0, -44.0, 2.0]
    """
    up = draws < 0.5
    far = spread * (0.5 + 0.5 * ((2 * draws) % 1.0))
    moved = amounts * (1 + np.where(up, far, -far))
    if step:
        whole = np.floor(amounts / step + 0.5)
        steps = np.floor(moved / step + 0.5)
        aside = whole + np.sign(amounts) * np.where(up, 1, -1)
        steps = np.where(steps == whole, aside, steps)
        wrong = (np.sign(steps) != np.sign(amounts)) & ~(zero & (steps == 0))
        steps = np.where(wrong, whole + np.sign(amounts), steps)
        moved = _times(steps, step)
        moved = np.where(moved == amounts, _times(whole + np.sign(amounts), step), moved)
    return np.where(amounts == 0, 0.0, moved)


def _times(steps: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """So many steps, as the nearest number with as few decimals: 3 * 0.1 is 0.3."""
    digits = max(math.ceil(-math.log10(step) + 1e-9), 0) + (step < 1)
    return np.round(steps * step, digits)


def divided(amounts: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole amounts divided into as many parts as there are columns of draws; the parts add up exactly.

    The largest part is at most about three times the smallest: no part alone tells the whole.

    >>> divided(np.array([100.0, -7.0]), np.array([[0.0, 0.5], [0.25, 0.25]])).tolist()
    [[33.0, 67.0], [-3.0, -4.0]]
    """
    shares = 0.5 + draws
    shares = shares / shares.sum(axis=1, keepdims=True)
    size = np.abs(amounts)
    parts = np.floor(size[:, None] * shares[:, :-1])
    last = size - parts.sum(axis=1)
    result: NDArray[np.float64] = np.sign(amounts)[:, None] * np.column_stack([parts, last])
    return result


def parted(amounts: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for broken amounts: the last part is what the others leave, so the sum is right but for rounding."""
    shares = 0.5 + draws
    shares = shares / shares.sum(axis=1, keepdims=True)
    parts = amounts[:, None] * shares[:, :-1]
    return np.column_stack([parts, amounts - parts.sum(axis=1)])
