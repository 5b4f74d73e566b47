"""Digests as words over an alphabet, and columns of text as runs of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Bytes = NDArray[np.uint8]
LIMBS = 4
"""Numbers of 64 bits in a digest."""


def per_limb(radix: int) -> int:
    """Letters that 64 bits give, so evenly that one letter in four thousand million is more likely than others.

    >>> per_limb(10), per_limb(26)
    (9, 6)
    """
    many = 0
    while radix ** (many + 1) <= 1 << 32:
        many += 1
    return many


def most_letters(radix: int) -> int:
    """The longest word a digest of 256 bits gives.

    >>> most_letters(32), most_letters(16), most_letters(10)
    (51, 64, 36)
    """
    if radix & (radix - 1) == 0:
        return 256 // (radix.bit_length() - 1)
    return LIMBS * per_limb(radix)


def letters(digests: Bytes, radix: int, length: int) -> Bytes:
    """Words as numerals, a row for each digest. Of an alphabet of 2, 4, 8, 16, 32 ... the bits in order (RFC 4648).

    >>> letters(np.frombuffer(bytes.fromhex("0f" * 32), np.uint8).reshape(1, 32), 16, 6).tolist()
    [[0, 15, 0, 15, 0, 15]]
    """
    found = np.empty((len(digests), length), np.uint8)
    if radix & (radix - 1) == 0:
        _by_bits(digests, radix.bit_length() - 1, found)
    else:
        limbs = np.ascontiguousarray(digests).view(">u8").astype(np.uint64)
        _by_limbs(limbs, radix, per_limb(radix), found)
    return found


@unheld
def _by_bits(digests: Any, bits: int, found: Any) -> None:
    """Each letter is so many bits, from the first on."""
    mask = (1 << bits) - 1
    for i in range(len(found)):
        held, left, at = 0, 0, 0
        for j in range(found.shape[1]):
            while left < bits:
                held = ((held << 8) | digests[i, at]) & 0xFFFFFF
                left += 8
                at += 1
            left -= bits
            found[i, j] = (held >> left) & mask


@unheld
def _by_limbs(limbs: Any, radix: int, many: int, found: Any) -> None:
    """So many letters from each number of 64 bits."""
    for i in range(len(found)):
        for first in range(0, found.shape[1], many):
            number = limbs[i, first // many]
            for j in range(first, min(first + many, found.shape[1])):
                found[i, j] = number % np.uint64(radix)
                number //= np.uint64(radix)
