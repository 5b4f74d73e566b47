"""Rows of codes as a few 64-bit words: leaving a column out is one AND, and hash tables compare whole rows at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import MISSING, Codes
from schleier.kernels.compiled import compiled

Words = NDArray[np.uint64]
Masks = NDArray[np.int64]
WORD = 64
STEP = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Packed:
    """Rows of codes side by side; a missing code and a blanked one are both zero bits.

    >>> rows = Packed.of(np.array([[0, 1], [2, -1]], dtype=np.int32))
    >>> rows.words.tolist(), rows.gaps.tolist(), rows.kept(1).tolist()
    ([[9], [3]], [0, 2], [12])
    """

    words: Words
    """``[row, word]``."""
    fields: Words
    """Bits of each column; ``[column, word]``."""
    gaps: Masks
    """Missing columns of each row, one bit each."""

    @staticmethod
    def of(codes: Codes) -> Packed:
        """Pack codes; -1 is missing."""
        rows, columns = codes.shape
        bits = [(int(column.max(initial=MISSING)) + 1).bit_length() for column in codes.T]
        places, word, at = [], 0, 0
        for width in bits:
            if at + width > WORD:
                word, at = word + 1, 0
            places.append((word, at))
            at += width
        words = np.zeros((rows, word + 1), dtype=np.uint64)
        fields = np.zeros((columns, word + 1), dtype=np.uint64)
        gaps = np.zeros(rows, dtype=np.int64)
        for j, ((place, at), width) in enumerate(zip(places, bits, strict=True)):
            words[:, place] |= (codes[:, j] + 1).astype(np.uint64) << np.uint64(at)
            fields[j, place] = np.uint64(((1 << width) - 1) << at)
            gaps |= (codes[:, j] == MISSING).astype(np.int64) << j
        return Packed(words, fields, gaps)

    def kept(self, blank: int) -> Words:
        """The bits that stay when some columns are blanked."""
        result = np.zeros(self.fields.shape[1], dtype=np.uint64)
        for j in members(blank):
            result |= self.fields[j]
        kept: Words = ~result & np.bitwise_or.reduce(self.fields, axis=0)
        return kept


def members(mask: int) -> Iterable[int]:
    """The columns of a mask.

    >>> list(members(5))
    [0, 2]
    """
    return (j for j in range(mask.bit_length()) if mask >> j & 1)


@compiled
def mix_bits(number: Any) -> Any:
    """Spread the bits of a number: the last step of SplitMix64."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def spot(row: Any, keep: Any) -> Any:
    """Where the kept bits of a row begin to look for their slot."""
    result = np.uint64(0)
    for w in range(len(keep)):
        result = mix_bits(result ^ ((row[w] & keep[w]) + np.uint64(STEP)))
    return result


@compiled
def agree(one: Any, other: Any, keep: Any) -> Any:
    """Whether two rows agree on the kept bits."""
    same = True
    for w in range(len(keep)):
        same &= (one[w] & keep[w]) == (other[w] & keep[w])
    return same


@compiled
def met(here: Any, there: Any, amounts: Any, keep: Any) -> Any:
    """For each row here, the amounts of all rows there that agree with it on the kept bits."""
    room = 16
    while room < 2 * len(here):
        room *= 2
    last = np.uint64(room - 1)
    slots = np.full(room, -1, np.int64)
    first = np.empty(len(here), np.int64)
    sums = np.zeros(len(here), np.int64)
    for i in range(len(here)):
        place = spot(here[i], keep) & last
        while slots[place] >= 0 and not agree(here[slots[place]], here[i], keep):
            place = (place + np.uint64(1)) & last
        if slots[place] < 0:
            slots[place] = i
        first[i] = slots[place]
    for i in range(len(there)):
        place = spot(there[i], keep) & last
        while slots[place] >= 0 and not agree(here[slots[place]], there[i], keep):
            place = (place + np.uint64(1)) & last
        if slots[place] >= 0:
            sums[slots[place]] += amounts[i]
    return sums[first]
