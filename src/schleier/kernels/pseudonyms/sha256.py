"""SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104) of a whole column, sixteen values at a time.

Each value is a slice of one run of bytes, as columns of text are kept: value i is ``data[starts[i]:starts[i + 1]]``.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
State = NDArray[np.uint32]

LANES = 16
"""Values that are worked on together: as many as fit a few registers."""
BLOCK = 64


def _roots(power: int, many: int) -> list[int]:
    """The first 32 bits after the point of square or cube roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3).

    >>> [hex(number) for number in _roots(2, 2)], hex(_roots(3, 64)[-1])
    (['0x6a09e667', '0xbb67ae85'], '0xc67178f2')
    """
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, int(n**0.5) + 1))][:many]
    found = []
    for prime in primes:
        root, step = 0, 1 << 40
        while step:  # the largest number whose power is not above the prime, in parts of 2**-32
            if (root + step) ** power <= prime << (32 * power):
                root += step
            step >>= 1
        found.append(root & 0xFFFFFFFF)
    return found


START: State = np.array(_roots(2, 8), np.uint32)
ROUNDS: State = np.array(_roots(3, 64), np.uint32)


def digests(starts: Whole, data: Bytes) -> Bytes:
    """SHA-256 of each value, a row of 32 bytes.

    >>> starts, data = np.array([0, 3]), np.frombuffer(b"abc", np.uint8)
    >>> digests(starts, data).tobytes() == hashlib.sha256(b"abc").digest()
    True
    """
    return _as_bytes(_hashed(starts, data, START, 0))


def tags(key: bytes, starts: Whole, data: Bytes) -> Bytes:
    """HMAC-SHA-256 of each value under one key, a row of 32 bytes."""
    if len(key) > BLOCK:
        key = hashlib.sha256(key).digest()
    padded = np.frombuffer(key.ljust(BLOCK, b"\0"), np.uint8)
    inner, outer = (_after_block(padded ^ np.uint8(pad)) for pad in (0x36, 0x5C))
    first = _as_bytes(_hashed(starts, data, inner, BLOCK))
    every = np.arange(len(first) + 1, dtype=np.int64) * 32
    return _as_bytes(_hashed(every, first.reshape(-1), outer, BLOCK))


def _as_bytes(states: State) -> Bytes:
    return states.astype(">u4").view(np.uint8).reshape(len(states), 32)


def _after_block(block: Bytes) -> State:
    """The state after one whole block."""
    state = np.repeat(START[:, None], LANES, axis=1)
    words = np.zeros((64, LANES), np.uint32)
    words[:16] = block.view(">u4").astype(np.uint32)[:, None]
    compress(state, words, np.ones(LANES, np.uint32), ROUNDS)
    return np.ascontiguousarray(state[:, 0])


def _hashed(starts: Whole, data: Bytes, state: State, before: int) -> State:
    """The states after all values, each begun with this state, after so many bytes."""
    found = np.empty((len(starts) - 1, 8), np.uint32)
    _hash_all(np.asarray(starts, np.int64), data, state, before, ROUNDS, found)
    return found


@unheld
def compress(state: Any, w: Any, live: Any, constants: Any) -> None:
    """One block into each state (FIPS 180-4, 6.2.2); lanes that are not live stay as they are."""
    for t in range(16, 64):
        for i in range(LANES):
            x, y = w[t - 15, i], w[t - 2, i]
            small = ((x >> 7) | (x << 25)) ^ ((x >> 18) | (x << 14)) ^ (x >> 3)
            large = ((y >> 17) | (y << 15)) ^ ((y >> 19) | (y << 13)) ^ (y >> 10)
            w[t, i] = np.uint32(w[t - 16, i] + small + w[t - 7, i] + large)
    v = state.copy()
    a, b, c, d, e, f, g, h = v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
    for t in range(64):
        k = constants[t]
        row = w[t]
        for i in range(LANES):
            x, y = e[i], a[i]
            s1 = ((x >> 6) | (x << 26)) ^ ((x >> 11) | (x << 21)) ^ ((x >> 25) | (x << 7))
            choice = (x & f[i]) ^ (~x & g[i])
            one = np.uint32(h[i] + s1 + choice + k + row[i])
            s0 = ((y >> 2) | (y << 30)) ^ ((y >> 13) | (y << 19)) ^ ((y >> 22) | (y << 10))
            most = (y & b[i]) ^ (y & c[i]) ^ (b[i] & c[i])
            d[i] = np.uint32(d[i] + one)
            h[i] = np.uint32(one + s0 + most)
        a, b, c, d, e, f, g, h = h, a, b, c, d, e, f, g
    for i in range(LANES):
        for j in range(8):
            state[j, i] = np.uint32(state[j, i] + v[j, i] * live[i])


@unheld
def _hash_all(starts: Any, data: Any, begun: Any, before: int, constants: Any, found: Any) -> None:
    """Sixteen values after sixteen values, block by block."""
    state, w = np.empty((8, LANES), np.uint32), np.empty((64, LANES), np.uint32)
    live = np.empty(LANES, np.uint32)
    many = len(found)
    for first in range(0, many, LANES):
        blocks = 0
        for i in range(LANES):
            for j in range(8):
                state[j, i] = begun[j]
            if first + i < many:
                length = starts[first + i + 1] - starts[first + i]
                blocks = max(blocks, (length + 9 + 63) // 64)
        for block in range(blocks):
            for i in range(LANES):
                live[i] = 0
                if first + i < many:
                    start, end = starts[first + i], starts[first + i + 1]
                    live[i] = fill(w, i, data, start, end, block, before)
            compress(state, w, live, constants)
        for i in range(min(LANES, many - first)):
            for j in range(8):
                found[first + i, j] = state[j, i]


@unheld
def fill(w: Any, i: int, data: Any, start: int, end: int, block: int, before: int) -> int:
    """Lay a block of a value into its lane, with what ends it; whether it has this block at all."""
    length = end - start
    last = (length + 8) // 64
    for t in range(16):
        w[t, i] = 0
    if block > last:
        return 0
    at = start + 64 * block
    for j in range(min(64, end - at)):
        w[j >> 2, i] |= np.uint32(data[at + j]) << np.uint32(24 - 8 * (j & 3))
    place = length - 64 * block
    if 0 <= place < 64:
        w[place >> 2, i] |= np.uint32(128) << np.uint32(24 - 8 * (place & 3))
    if block == last:
        bits = (length + before) * 8
        w[14, i], w[15, i] = np.uint32(bits >> 32), np.uint32(bits & 0xFFFFFFFF)
    return 1
