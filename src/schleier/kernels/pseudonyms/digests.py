"""MD5, SHA-1 and SHA-256 and their HMAC of a whole column, each value a slice of one run of bytes (see ``sha256``)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from schleier.kernels.compiled import inlined, unheld
from schleier.kernels.pseudonyms import md5, sha1, sha256
from schleier.kernels.pseudonyms.sha256 import BLOCK, LANES, Bytes, State, Whole
from schleier.kernels.pseudonyms.shapes import LENGTHS, Algorithm

MD5, SHA1 = 0, 1
K256, K5, TURNS = sha256.ROUNDS, md5.ROUNDS, md5.TURNS


@dataclass(frozen=True)
class Kind:
    """A digest: its number for kernels, its length in bytes, and the state it begins with."""

    number: int
    length: int
    start: State


KINDS: dict[Algorithm, Kind] = {
    "md5": Kind(MD5, LENGTHS["md5"], md5.START),
    "sha1": Kind(SHA1, LENGTHS["sha1"], sha1.START),
    "sha256": Kind(2, LENGTHS["sha256"], sha256.START),
}


def digests(algorithm: Algorithm, starts: Whole, data: Bytes) -> Bytes:
    """The digest of each value, a row of bytes.

    >>> starts, data = np.array([0, 3]), np.frombuffer(b"abc", np.uint8)
    >>> digests("md5", starts, data).tobytes() == hashlib.md5(b"abc").digest()
    True
    """
    return _hashed(algorithm, starts, data, KINDS[algorithm].start, 0)


def tags(algorithm: Algorithm, key: bytes, starts: Whole, data: Bytes) -> Bytes:
    """The HMAC (RFC 2104) of each value under one key, a row of bytes."""
    inner, outer = pads(algorithm, key)
    first = _hashed(algorithm, starts, data, inner, BLOCK)
    every = np.arange(len(first) + 1, dtype=np.int64) * first.shape[1]
    return _hashed(algorithm, every, first.reshape(-1), outer, BLOCK)


def pads(algorithm: Algorithm, key: bytes) -> tuple[State, State]:
    """The states after the two blocks that a key makes."""
    if len(key) > BLOCK:
        key = hashlib.new(algorithm, key).digest()
    padded = np.frombuffer(key.ljust(BLOCK, b"\0"), np.uint8)
    inner, outer = (_after_block(algorithm, padded ^ np.uint8(pad)) for pad in (0x36, 0x5C))
    return inner, outer


def _after_block(algorithm: Algorithm, block: Bytes) -> State:
    kind = KINDS[algorithm]
    state, words = np.zeros((8, LANES), np.uint32), np.zeros((80, LANES), np.uint32)
    state[: len(kind.start)] = kind.start[:, None]
    words[:16] = block.view("<u4" if kind.number == MD5 else ">u4").astype(np.uint32)[:, None]
    advance(kind.number, state, words, np.ones(LANES, np.uint32), K256, K5, TURNS)
    return np.ascontiguousarray(state[: len(kind.start), 0])


def _hashed(algorithm: Algorithm, starts: Whole, data: Bytes, begun: State, before: int) -> Bytes:
    """The digests of all values, each begun with this state, after so many bytes."""
    kind = KINDS[algorithm]
    found = np.empty((len(starts) - 1, len(begun)), np.uint32)
    _hash_all(kind.number, np.asarray(starts, np.int64), data, begun, before, K256, K5, TURNS, found)
    return found.astype("<u4" if kind.number == MD5 else ">u4").view(np.uint8).reshape(len(found), kind.length)


@inlined
def turned(word: Any) -> Any:
    """A word with its bytes the other way round."""
    return np.uint32(
        (word >> np.uint32(24))
        | ((word >> np.uint32(8)) & np.uint32(0xFF00))
        | ((word & np.uint32(0xFF00)) << np.uint32(8))
        | ((word & np.uint32(0xFF)) << np.uint32(24))
    )


@unheld
def advance(kind: int, state: Any, w: Any, live: Any, k256: Any, k5: Any, turns: Any) -> None:
    """One block into each state by the digest of this number."""
    if kind == MD5:
        md5.compress(state, w, live, k5, turns)
    elif kind == SHA1:
        sha1.compress(state, w, live)
    else:
        sha256.compress(state, w, live, k256)


@unheld
def _hash_all(
    kind: int, starts: Any, data: Any, begun: Any, before: int, k256: Any, k5: Any, turns: Any, found: Any
) -> None:
    """Sixteen values after sixteen values, block by block."""
    state, w = np.zeros((8, LANES), np.uint32), np.empty((80, LANES), np.uint32)
    live = np.empty(LANES, np.uint32)
    many, wide = len(found), len(begun)
    for first in range(0, many, LANES):
        blocks = 0
        for i in range(LANES):
            for j in range(wide):
                state[j, i] = begun[j]
            if first + i < many:
                blocks = max(blocks, (starts[first + i + 1] - starts[first + i] + 9 + 63) // 64)
        for block in range(blocks):
            for i in range(LANES):
                live[i] = 0
                if first + i < many:
                    live[i] = lay(kind, w, i, data, starts[first + i], starts[first + i + 1], block, before)
            advance(kind, state, w, live, k256, k5, turns)
        for i in range(min(LANES, many - first)):
            for j in range(wide):
                found[first + i, j] = state[j, i]


@unheld
def lay(kind: int, w: Any, i: int, data: Any, start: int, end: int, block: int, before: int) -> int:
    """Lay a block of a value into its lane in the order of bytes of this digest; whether it has this block at all."""
    live: int = sha256.fill(w, i, data, start, end, block, before)
    if kind == MD5 and live:
        high, low = w[14, i], w[15, i]
        for t in range(16):
            w[t, i] = turned(w[t, i])
        if block == (end - start + 8) // 64:  # the last block ends with the length
            w[14, i], w[15, i] = low, high
    return live
