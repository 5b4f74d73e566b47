"""The first numbers of usual generators for many seeds: what noise would be if somebody had seeded it.

``numpy`` is ``numpy.random.seed``, ``numpy_new`` is ``numpy.random.default_rng``, ``python`` is ``random.seed``, and
``r`` is ``set.seed`` of R with its usual kinds (Mersenne Twister, inversion). Three of them are the Mersenne Twister
(Matsumoto and Nishimura, 1998), seeded in different ways.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.inference.permuted import permuted_draws

Generator = Literal["numpy", "numpy_new", "python", "r"]
Law = Literal["normal", "uniform"]
GENERATORS: tuple[Generator, ...] = get_args(Generator)
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
LOW32 = 0xFFFFFFFF
BIG = 134217728.0
"""R makes one normal number of two uniform ones: the first to 27 bits, the second for the rest."""


def first_draws(generator: Generator, law: Law, seeds: Whole, many: int) -> Floats:
    """So many standard normal numbers, or uniform ones between -1 and 1, by seed.

    >>> first_draws("numpy", "normal", np.array([42]), 2).round(4).tolist()
    [[0.4967, -0.1383]]
    >>> first_draws("r", "normal", np.array([42]), 2).round(4).tolist()
    [[1.371, -0.5647]]
    """
    if generator == "numpy_new":
        drawn: Floats = permuted_draws(law == "normal", seeds, many)
        return drawn if law == "normal" else 2 * drawn - 1
    kind = {"numpy": 0, "python": 1, "r": 2}[generator]
    drawn = _twister(kind, law == "normal", seeds.astype(np.int64), many)
    if generator == "r" and law == "normal":
        from scipy.special import ndtri

        return np.asarray(ndtri(drawn))
    return drawn if law == "normal" else 2 * drawn - 1


@compiled
def _seeded(kind: int, seed: int, state: Any) -> None:
    """The state of the Mersenne Twister as each of the three fills it; whole numbers below 2^32 in signed ones."""
    if kind == 2:  # R: a congruential generator, after 50 turns and the place of the position
        for _ in range(51):
            seed = (69069 * seed + 1) & LOW32
        for j in range(624):
            seed = (69069 * seed + 1) & LOW32
            state[j] = seed
        return
    state[0] = (seed if kind == 0 else 19650218) & LOW32
    for j in range(1, 624):
        state[j] = (1812433253 * (state[j - 1] ^ (state[j - 1] >> 30)) + j) & LOW32
    if kind == 0:
        return
    # Python: init_by_array with the seed as one or two words.
    key = np.empty(2, dtype=np.int64)
    key[0], key[1] = seed & LOW32, seed >> 32
    words, j, i = (2 if key[1] else 1), 0, 1
    for _ in range(624):
        state[i] = ((state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525 & LOW32)) + key[j] + j) & LOW32
        i, j = i + 1, (j + 1) % words
        if i >= 624:
            state[0], i = state[623], 1
    for _ in range(623):
        state[i] = ((state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941 & LOW32)) - i) & LOW32
        i += 1
        if i >= 624:
            state[0], i = state[623], 1
    state[0] = 0x80000000


@compiled
def _next(state: Any, place: int) -> int:
    """The next 32 bits; the place is that of the word they are made of."""
    mixed = (state[place] & 0x80000000) | (state[(place + 1) % 624] & 0x7FFFFFFF)
    word = state[(place + 397) % 624] ^ (mixed >> 1)
    if mixed & 1:
        word ^= 0x9908B0DF
    state[place] = word
    word ^= word >> 11
    word ^= (word << 7) & 0x9D2C5680
    word ^= (word << 15) & 0xEFC60000
    return int(word ^ (word >> 18))


@compiled
def _uniform(kind: int, state: Any, place: int) -> float:
    """A number in [0, 1): 32 bits in R, else 53 bits of two words."""
    first = _next(state, place)
    if kind == 2:
        return float(first * 2.3283064365386963e-10)
    second = _next(state, (place + 1) % 624)
    return float(((first >> 5) * 67108864.0 + (second >> 6)) / 9007199254740992.0)


@compiled
def _twister(kind: int, normal: bool, seeds: Any, many: int) -> Any:
    found = np.empty((len(seeds), many))
    state = np.empty(624, dtype=np.int64)
    for i in range(len(seeds)):
        _seeded(kind, seeds[i], state)
        place, step, j = 0, 1 if kind == 2 else 2, 0
        while j < many:
            one = _uniform(kind, state, place)
            place = (place + step) % 624
            if not normal:
                found[i, j] = one
                j += 1
                continue
            other = _uniform(kind, state, place)
            place = (place + step) % 624
            if kind == 2:
                found[i, j] = (np.floor(BIG * one) + other) / BIG
                j += 1
                continue
            if kind == 0:  # polar method; the second of the pair comes first
                x, y = 2 * one - 1, 2 * other - 1
                square = x * x + y * y
                if square >= 1 or square == 0:
                    continue
                factor = np.sqrt(-2 * np.log(square) / square)
                pair = (factor * y, factor * x)
            else:  # Box and Muller
                radius = np.sqrt(-2 * np.log(1 - other))
                pair = (np.cos(2 * np.pi * one) * radius, np.sin(2 * np.pi * one) * radius)
            found[i, j] = pair[0]
            if j + 1 < many:
                found[i, j + 1] = pair[1]
            j += 2
    return found
