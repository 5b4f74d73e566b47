"""Array work on equivalence classes: coding, rolling up, matching missing values."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Gaps = Literal["own", "others", "both"]
"""Whose missing keys may be anything: those of the class itself, of the others, or of both."""
MISSING = -1
"""Code of a missing key."""
DENSE = 8
"""Numbers up to so many times their count are marked instead of sorted."""
WORD = 63
"""Bits of a whole number."""
MANY = 200_000
"""Numbers from which sorting them with compiled code pays for loading it."""


def number_rows(codes: Codes) -> NDArray[np.int64]:
    """One whole number per row of codes, equal exactly for equal rows.

    >>> number_rows(np.array([[0, 1], [2, -1], [0, 1]], dtype=np.int32)).tolist()
    [0, 1, 0]
    """
    result = np.zeros(len(codes), dtype=np.int64)
    size = 1
    room = 2 ** (WORD - _spare(result)) if len(codes) >= MANY else 2**62
    for column in np.ascontiguousarray(codes.T) if len(codes) else ():  # one walk across the rows, then along columns
        low = int(column.min())
        width = int(column.max()) - low + 1
        if size * width >= room:  # make the numbers dense again before they overflow
            result = rank_numbers(result, size)[1]
            size = int(result.max(initial=0)) + 1
        result *= width
        result += column
        result -= low
        size *= width
    return rank_numbers(result, size)[1]


def rank_numbers(numbers: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Different whole numbers below ``size`` in order, and the place of each among them.

    >>> [a.tolist() for a in rank_numbers(np.array([7, 3, 7]), 10)]
    [[3, 7], [1, 0, 1]]
    """
    sparse = size > DENSE * len(numbers) + 1000
    if len(numbers) >= MANY:
        from schleier.kernels.classes.ranking import marked, placed, ranked

        if sparse and (size - 1).bit_length() + (spare := _spare(numbers)) <= WORD:
            mixed = numbers << spare
            mixed |= np.arange(len(numbers))
            mixed.sort()  # with their places in the lowest bits: far cheaper than sorting places
            return placed(mixed, spare)  # type: ignore[no-any-return]
        return ranked(numbers, size) if sparse else marked(numbers, size)  # type: ignore[no-any-return]
    if sparse and (size - 1).bit_length() + (spare := _spare(numbers)) <= WORD:
        mixed = np.sort(numbers << spare | np.arange(len(numbers)))
        found = mixed >> spare
        new = np.ones(len(found), dtype=np.bool_)
        new[1:] = found[1:] != found[:-1]
        place = np.empty(len(found), dtype=np.int64)
        place[mixed & ((1 << spare) - 1)] = np.cumsum(new) - 1
        return found[new], place
    if sparse:
        found, place = np.unique(numbers, return_inverse=True)
        return found, place.astype(np.int64).reshape(-1)
    there = np.zeros(size, dtype=np.bool_)  # few enough to mark them all: no sorting
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def _spare(numbers: NDArray[np.int64]) -> int:
    """Bits that the place of a number takes."""
    return max(len(numbers) - 1, 0).bit_length()


def merge(codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """Distinct rows of codes in lexical order, column by column in memory, and for each old row its new place.

    >>> rows, place = merge(np.array([[1, 0], [0, 0], [1, 0]], dtype=np.int32))
    >>> rows.tolist(), place.tolist()
    ([[0, 0], [1, 0]], [1, 0, 1])
    """
    place = number_rows(codes)
    first = np.zeros(int(place.max(initial=-1)) + 1, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return np.take(codes.T, first, axis=1).T, place


def add_up(values: NDArray[Any], place: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Sums of values by place; whole numbers stay whole."""
    result = np.zeros(size, dtype=values.dtype)
    np.add.at(result, place, values)
    return result


def sum_pairs(
    classes: NDArray[np.int64], items: NDArray[Any], amounts: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Amounts added up by class and item, in order of class and item; an item is -1 or more.

    >>> [a.tolist() for a in sum_pairs(np.array([1, 0, 1]), np.array([2, -1, 2]), np.array([5, 6, 7]))]
    [[0, 1], [-1, 2], [6, 12]]
    """
    width = int(items.max(initial=MISSING)) + 2
    size = (int(classes.max(initial=-1)) + 1) * width
    pairs, place = rank_numbers(classes * width + (items + 1), size)
    return pairs // width, pairs % width - 1, add_up(amounts, place, len(pairs))


def compatible(codes: Codes, amounts: NDArray[Any], others: Codes | None = None, *, gaps: Gaps = "own") -> NDArray[Any]:
    """Amounts a class shares with all classes it could be when a missing key may be anything.

    A gap widens only its own class, unless ``gaps`` says otherwise: a key that a class has, the others must have too.
    For every pair of missing patterns the classes meet on the keys both have. Not a partition:
    the sums count classes several times. With ``others`` the amounts are those of other combinations of keys.

    >>> codes, sizes = np.array([[0, 0], [0, -1], [1, 1]], dtype=np.int32), np.array([3, 1, 2])
    >>> compatible(codes, sizes).tolist(), compatible(codes, sizes, gaps="both").tolist()
    ([3, 4, 2], [4, 4, 2])
    """
    others = codes if others is None else others
    (own, which), (foreign, whose) = _patterns(codes), _patterns(others)
    result = np.zeros(len(codes), dtype=amounts.dtype)
    for i, mine in enumerate(own):
        here = np.flatnonzero(which == i)
        for j, theirs in enumerate(foreign):
            if not could_meet(mine, theirs, gaps):
                continue
            there = np.flatnonzero(whose == j)
            shared = ~(mine | theirs)
            result[here] += equal_amounts(codes[here][:, shared], amounts[there], others[there][:, shared])
    return result


def could_meet(mine: NDArray[np.bool_], theirs: NDArray[np.bool_], gaps: Gaps) -> bool:
    """Whether a class with some keys missing may count one with others missing; see ``compatible``."""
    lent, owed = bool((theirs & ~mine).any()), bool((mine & ~theirs).any())
    return gaps == "both" or not (lent if gaps == "own" else owed)


def equal_amounts(codes: Codes, amounts: NDArray[Any], others: Codes) -> NDArray[Any]:
    """The amounts of other combinations of keys that are the same; missing equals missing only.

    >>> codes, others = np.array([[0], [-1]], dtype=np.int32), np.array([[0], [2], [0]], dtype=np.int32)
    >>> equal_amounts(codes, np.array([5, 7, 1]), others).tolist()
    [6, 0]
    """
    joint = number_rows(np.concatenate([codes, others]))
    return add_up(amounts, joint[len(codes) :], int(joint.max(initial=-1)) + 1)[joint[: len(codes)]]


def _patterns(codes: Codes) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which keys are missing together, and the pattern of each row."""
    patterns, which = np.unique(codes == MISSING, axis=0, return_inverse=True)
    return patterns, which.reshape(-1)
