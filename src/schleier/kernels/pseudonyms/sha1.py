"""SHA-1 (FIPS 180-4), sixteen values at a time: withdrawn, and still what old pseudonyms are made with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld
from schleier.kernels.pseudonyms.sha256 import LANES

START: NDArray[np.uint32] = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0], np.uint32)


@unheld
def compress(state: Any, w: Any, live: Any) -> None:
    """One block into each state (FIPS 180-4, 6.1.2); lanes that are not live stay as they are."""
    for t in range(16, 80):
        for i in range(LANES):
            x = np.uint32(w[t - 3, i] ^ w[t - 8, i] ^ w[t - 14, i] ^ w[t - 16, i])
            w[t, i] = np.uint32((x << 1) | (x >> 31))
    v = state.copy()
    a, b, c, d, e = v[0], v[1], v[2], v[3], v[4]
    for t in range(80):
        row = w[t]
        for i in range(LANES):
            x = b[i]
            if t < 20:
                mixed, k = (x & c[i]) | (~x & d[i]), 0x5A827999
            elif t < 40:
                mixed, k = x ^ c[i] ^ d[i], 0x6ED9EBA1
            elif t < 60:
                mixed, k = (x & c[i]) | (x & d[i]) | (c[i] & d[i]), 0x8F1BBCDC
            else:
                mixed, k = x ^ c[i] ^ d[i], 0xCA62C1D6
            turned = (a[i] << 5) | (a[i] >> 27)
            e[i] = np.uint32(turned + mixed + e[i] + k + row[i])
            b[i] = np.uint32((x << 30) | (x >> 2))
        a, b, c, d, e = e, a, b, c, d
    for i in range(LANES):
        for j in range(5):
            state[j, i] = np.uint32(state[j, i] + v[j, i] * live[i])
