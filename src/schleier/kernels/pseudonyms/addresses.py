"""Addresses of the internet between text and bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
Numbers = NDArray[np.uint32]
HEAD = 16
"""Leading bits by which a number is looked up first."""
LONGEST = 15
"""Letters of the longest address of four numbers."""


def four_numbers(starts: Whole, data: Bytes) -> tuple[Bytes, NDArray[np.bool_]]:
    """Four bytes for each text such as 10.0.0.1, and which texts are such: no leading zeros, nothing else.

    >>> starts, data = np.array([0, 8, 16]), np.frombuffer(b"10.0.0.110.0.0.x", np.uint8)
    >>> [part.tolist() for part in four_numbers(starts, data)]
    [[[10, 0, 0, 1], [0, 0, 0, 0]], [True, False]]
    """
    found = np.zeros((len(starts) - 1, 4), np.uint8)
    right = np.zeros(len(starts) - 1, np.bool_)
    _read(np.asarray(starts, np.int64), data, found, right)
    found[~right] = 0
    return found, right


def as_text(addresses: Bytes) -> tuple[Whole, Bytes]:
    """Addresses of four bytes as runs of text.

    >>> starts, data = as_text(np.array([[10, 0, 0, 1]], np.uint8))
    >>> data[starts[0] : starts[1]].tobytes()
    b'10.0.0.1'
    """
    starts = np.zeros(len(addresses) + 1, np.int64)
    data = np.empty(len(addresses) * LONGEST, np.uint8)
    _write(addresses, starts, data)
    return starts, data[: starts[-1]]


def numbers_of(addresses: Bytes) -> Numbers:
    """Addresses of four bytes as numbers.

    >>> numbers_of(np.array([[0, 0, 1, 2]], np.uint8)).tolist()
    [258]
    """
    found: Numbers = np.ascontiguousarray(addresses).view(">u4").reshape(-1).astype(np.uint32)
    return found


def rows_of(numbers: Numbers) -> Bytes:
    """Numbers as addresses of four bytes.

    >>> rows_of(np.array([258], np.uint32)).tolist()
    [[0, 0, 1, 2]]
    """
    found: Bytes = numbers.astype(">u4").view(np.uint8).reshape(-1, 4)
    return found


def firsts_of(different: Numbers) -> Whole:
    """Where among different numbers, in order, those with each head begin."""
    heads = np.arange((1 << HEAD) + 1, dtype=np.int64) << (32 - HEAD)
    found: Whole = np.searchsorted(different.astype(np.int64), heads)
    return found


def places_of(different: Numbers, firsts: Whole, numbers: Numbers) -> Whole:
    """Where numbers stand among those that are different and in order; each of them does.

    >>> different = np.array([3, 70_000, 70_001], np.uint32)
    >>> places_of(different, firsts_of(different), np.array([70_001, 3], np.uint32)).tolist()
    [2, 0]
    """
    found = np.empty(len(numbers), np.int64)
    _find(different, firsts, numbers, found)
    return found


@unheld
def _find(different: Any, firsts: Any, numbers: Any, found: Any) -> None:
    for i in range(len(numbers)):
        number = numbers[i]
        head = number >> np.uint32(32 - HEAD)
        low, high = firsts[head], firsts[head + 1]
        while high - low > 1:
            middle = (low + high) // 2
            if different[middle] <= number:
                low = middle
            else:
                high = middle
        found[i] = low


@unheld
def _read(starts: Any, data: Any, found: Any, right: Any) -> None:
    for i in range(len(found)):
        place, number, digits, sound = 0, 0, 0, True
        for j in range(starts[i], starts[i + 1]):
            letter = data[j]
            if letter == 46:
                sound = sound and digits > 0 and place < 3
                if place < 3:
                    found[i, place] = number & 255
                place += 1
                number, digits = 0, 0
            elif 48 <= letter <= 57:
                sound = sound and not (digits > 0 and number == 0)
                number = min(number * 10 + letter - 48, 1000)
                digits += 1
                sound = sound and number <= 255
            else:
                sound = False
        if place == 3:
            found[i, 3] = number & 255
        right[i] = sound and place == 3 and digits > 0


@unheld
def _write(addresses: Any, starts: Any, data: Any) -> None:
    at = 0
    for i in range(len(addresses)):
        for place in range(4):
            number = addresses[i, place]
            if number >= 100:
                data[at] = 48 + number // 100
                at += 1
            if number >= 10:
                data[at] = 48 + number // 10 % 10
                at += 1
            data[at] = 48 + number % 10
            at += 1
            if place < 3:
                data[at] = 46
                at += 1
        starts[i + 1] = at
