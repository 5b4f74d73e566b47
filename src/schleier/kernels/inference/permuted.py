"""What ``numpy.random.default_rng`` draws for many seeds: PCG64 (O'Neill, 2014), seeded by hashing, and the ziggurat.

Made again here for guessing the seeds of others; draws of ours never come from it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
LOW32 = 0xFFFFFFFF
TAIL = 3.6541528853610087963519472518
"""Where the tail of the ziggurat begins."""
HIGH, LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
"""Both halves of the multiplier."""
HALF, BITS = np.uint64(32), np.uint64(LOW32)
ONE, BYTE, FRACTION = np.uint64(1), np.uint64(0xFF), np.uint64(0x000FFFFFFFFFFFFF)


def permuted_draws(normal: bool, seeds: NDArray[np.int64], many: int) -> Floats:
    """So many normal numbers, or uniform ones in [0, 1), by seed.

    >>> permuted_draws(True, np.array([42]), 2).round(4).tolist()
    [[0.3047, -1.04]]
    """
    found: Floats = _draws(normal, seeds.astype(np.int64), many, *_ziggurat())
    return found


@cache
def _ziggurat() -> tuple[NDArray[np.uint64], Floats, Floats]:
    """Limits, widths and heights of 256 layers of equal area (Marsaglia and Tsang, 2000)."""
    from scipy.special import erfc

    def height(x: float) -> float:
        return float(np.exp(-0.5 * x * x))

    area = TAIL * height(TAIL) + float(np.sqrt(np.pi / 2) * erfc(TAIL / np.sqrt(2)))
    edge = np.zeros(256)
    edge[255] = TAIL
    for i in range(255, 1, -1):
        edge[i - 1] = np.sqrt(-2 * np.log(area / edge[i] + height(edge[i])))
    edge[0] = area / height(TAIL)
    share = np.zeros(256)
    share[0], share[2:] = TAIL / edge[0], edge[1:-1] / edge[2:]
    heights = np.exp(-0.5 * edge**2)
    heights[0] = 1.0
    return (share * 2.0**52).astype(np.uint64), edge / 2.0**52, heights


@compiled
def _words(seed: int, found: Any) -> None:
    """The seed hashed to eight words of 32 bits; products wrap, and only their low bits count."""
    pool = np.zeros(4, dtype=np.int64)
    pool[0], pool[1] = seed & LOW32, seed >> 32
    constant = 0x43B0D7E5
    for i in range(4):
        value = pool[i] ^ constant
        constant = (constant * 0x931E8875) & LOW32
        value = (value * constant) & LOW32
        pool[i] = value ^ (value >> 16)
    for i in range(4):
        for j in range(4):
            if i == j:
                continue
            value = pool[i] ^ constant
            constant = (constant * 0x931E8875) & LOW32
            value = (value * constant) & LOW32
            value ^= value >> 16
            mixed = (((pool[j] * 0xCA01F9DD) & LOW32) - ((value * 0x4973F715) & LOW32)) & LOW32
            pool[j] = mixed ^ (mixed >> 16)
    constant = 0x8B51F9DD
    for i in range(8):
        value = pool[i % 4] ^ constant
        constant = (constant * 0x58F38DED) & LOW32
        value = (value * constant) & LOW32
        found[i] = np.uint64(value ^ (value >> 16))


@compiled
def _step(state: Any) -> None:
    """state = state * multiplier + increment, all of 128 bits in two halves: high, low, high and low increment."""
    a, b = state[1] >> HALF, state[1] & BITS
    c, d = LOW >> HALF, LOW & BITS
    cross = a * d + ((b * d) >> HALF)
    middle = b * c + (cross & BITS)
    high = a * c + (cross >> HALF) + (middle >> HALF) + state[0] * LOW + state[1] * HIGH
    low = state[1] * LOW + state[3]
    if low < state[3]:
        high += ONE
    state[0], state[1] = high + state[2], low


@compiled
def _next(state: Any) -> Any:
    """The next 64 bits."""
    _step(state)
    turn = state[0] >> np.uint64(58)
    mixed = state[0] ^ state[1]
    return (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))


@compiled
def _uniform(state: Any) -> float:
    return float(np.float64(_next(state) >> np.uint64(11)) / 9007199254740992.0)


@compiled
def _normal(state: Any, limits: Any, widths: Any, heights: Any) -> float:
    while True:
        bits = _next(state)
        layer = np.int64(bits & BYTE)
        bits >>= np.uint64(8)
        part = (bits >> ONE) & FRACTION
        x = np.float64(part) * widths[layer]
        x = -x if bits & ONE else x
        if part < limits[layer]:
            return float(x)
        if layer == 0:
            while True:
                over = -np.log1p(-_uniform(state)) / TAIL
                drawn = -np.log1p(-_uniform(state))
                if drawn + drawn > over * over:
                    return float(-(TAIL + over) if (part >> np.uint64(8)) & ONE else TAIL + over)
        if (heights[layer - 1] - heights[layer]) * _uniform(state) + heights[layer] < np.exp(-0.5 * x * x):
            return float(x)


@compiled
def _draws(normal: bool, seeds: Any, many: int, limits: Any, widths: Any, heights: Any) -> Any:
    found = np.empty((len(seeds), many))
    words = np.empty(8, dtype=np.uint64)
    state = np.empty(4, dtype=np.uint64)
    for i in range(len(seeds)):
        _words(seeds[i], words)
        start_high, start_low = words[0] | (words[1] << HALF), words[2] | (words[3] << HALF)
        high, low = words[4] | (words[5] << HALF), words[6] | (words[7] << HALF)
        state[2], state[3] = (high << ONE) | (low >> np.uint64(63)), (low << ONE) | ONE
        state[0], state[1] = np.uint64(0), np.uint64(0)
        _step(state)
        state[1] += start_low
        state[0] += start_high + (ONE if state[1] < start_low else np.uint64(0))
        _step(state)
        for j in range(many):
            found[i, j] = _normal(state, limits, widths, heights) if normal else _uniform(state)
    return found
