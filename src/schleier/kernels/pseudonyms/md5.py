"""MD5 (RFC 1321), sixteen values at a time: broken for signatures, and still what old pseudonyms are made with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld
from schleier.kernels.pseudonyms.sha256 import LANES

START: NDArray[np.uint32] = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476], np.uint32)
ROUNDS: NDArray[np.uint32] = np.array([int(abs(math.sin(i + 1)) * 2**32) for i in range(64)], np.uint32)
TURNS: NDArray[np.uint32] = np.array(
    [turn for four in ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21)) for turn in four * 4],
    np.uint32,
)
"""By how many bits each step turns (RFC 1321, 3.4)."""


@unheld
def compress(state: Any, w: Any, live: Any, constants: Any, turns: Any) -> None:
    """One block into each state, given as words of which the first byte is the least; other lanes stay as they are."""
    v = state.copy()
    a, b, c, d = v[0], v[1], v[2], v[3]
    for t in range(64):
        k, turn = constants[t], turns[t]
        back = np.uint32(32 - turn)
        if t < 16:
            row = w[t]
        elif t < 32:
            row = w[(5 * t + 1) % 16]
        elif t < 48:
            row = w[(3 * t + 5) % 16]
        else:
            row = w[(7 * t) % 16]
        for i in range(LANES):
            if t < 16:
                mixed = (b[i] & c[i]) | (~b[i] & d[i])
            elif t < 32:
                mixed = (d[i] & b[i]) | (~d[i] & c[i])
            elif t < 48:
                mixed = b[i] ^ c[i] ^ d[i]
            else:
                mixed = c[i] ^ (b[i] | ~d[i])
            total = np.uint32(a[i] + mixed + k + row[i])
            a[i] = np.uint32(b[i] + ((total << turn) | (total >> back)))
        a, b, c, d = d, a, b, c
    for i in range(LANES):
        for j in range(4):
            state[j, i] = np.uint32(state[j, i] + v[j, i] * live[i])
