"""A sieve for words: what it lets through may be among those that were put in, what it holds back is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import inlined, unheld

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
PLACES = 32
"""Bits for each word: one word in about thirty passes that was not put in."""


class Sieve:
    """Bits for the words that were put in.

    >>> starts, data = np.array([0, 2, 4]), np.frombuffer(b"abcd", np.uint8)
    >>> sieve = Sieve(2)
    >>> sieve.put(starts, data)
    >>> sieve.passes(starts, data).tolist()
    [True, True]
    """

    def __init__(self, many: int) -> None:
        size = max(10, (PLACES * many - 1).bit_length())
        self.bits = np.zeros(1 << (size - 3), np.uint8)
        self.shift = np.uint64(64 - size)

    def put(self, starts: Whole, data: Bytes) -> None:
        """Words to be found again."""
        _put(starts, data, self.bits, self.shift)

    def passes(self, starts: Whole, data: Bytes) -> NDArray[np.bool_]:
        """Which words may have been put in."""
        found = np.empty(len(starts) - 1, np.bool_)
        _passes(starts, data, self.bits, self.shift, found)
        return found


@inlined
def _place(data: Any, start: int, end: int, shift: Any) -> Any:
    number = np.uint64(0xCBF29CE484222325)
    for j in range(start, end):
        number = (number ^ np.uint64(data[j])) * np.uint64(0x100000001B3)
    number ^= number >> np.uint64(29)
    return (number * np.uint64(0x9E3779B97F4A7C15)) >> shift


@unheld
def _put(starts: Any, data: Any, bits: Any, shift: Any) -> None:
    for i in range(len(starts) - 1):
        place = _place(data, starts[i], starts[i + 1], shift)
        bits[place >> np.uint64(3)] |= np.uint8(1) << np.uint8(place & np.uint64(7))


@unheld
def _passes(starts: Any, data: Any, bits: Any, shift: Any, found: Any) -> None:
    for i in range(len(starts) - 1):
        place = _place(data, starts[i], starts[i + 1], shift)
        found[i] = (bits[place >> np.uint64(3)] >> np.uint8(place & np.uint64(7))) & np.uint8(1) == 1
