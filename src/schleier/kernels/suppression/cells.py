"""The cheapest gaps of each class by itself: which cells must go so that what stays is shared by enough records.

A class that keeps the cells K is safe when at least so many records of the original table could have K, a missing
cell being anything. No class depends on the gaps of another one, so the cheapest gaps of each are the best there are;
and no way to form classes with gaps in common can cost less.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes
from schleier.kernels.classes.packed import Masks, Packed, Words, members, met

Whole = NDArray[np.int64]


def patterns(costs: Sequence[float], deepest: int | None = None) -> list[int]:
    """Sets of columns to blank, the cheapest first; at most so many columns, or all of them.

    >>> patterns([1, 3, 1])
    [0, 1, 4, 5, 2, 3, 6, 7]
    """
    columns = len(costs)
    sizes = range(columns + 1) if deepest is None else (*range(min(deepest, columns - 1) + 1), columns)
    every = [sum(1 << j for j in chosen) for size in sizes for chosen in combinations(range(columns), size)]
    return sorted(every, key=lambda blank: (price(blank, costs), blank.bit_count(), blank))


def price(blank: int, costs: Sequence[float]) -> float:
    """What it costs to blank some columns of one record."""
    return float(sum(costs[j] for j in members(blank)))


def own_gaps(codes: Codes, sizes: Whole, costs: Sequence[float], least: int, most: int) -> Masks:
    """For each class the cheapest columns to blank so that all ``most`` kept columns are shared by ``least`` records.

    Needs at least ``least`` records in all.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> own_gaps(codes, np.array([1, 4, 3]), [1, 1], 3, 2).tolist()
    [2, 0, 0]
    """
    rows, columns = Packed.of(codes), len(costs)
    result = np.zeros(len(sizes), dtype=np.int64)
    waiting = np.arange(len(sizes))
    safe: dict[int, NDArray[np.bool_]] = {}
    for blank in patterns(costs):
        if not len(waiting):
            break
        kept = [j for j in range(columns) if not blank >> j & 1]
        good = np.ones(len(waiting), dtype=bool)
        for chosen in combinations(kept, min(most, len(kept))):
            seen = sum(1 << j for j in chosen)
            if seen not in safe:  # who waits later waits now
                safe[seen] = np.zeros(len(sizes), dtype=bool)
                safe[seen][waiting] = _shared(rows, waiting, rows, sizes, seen) >= least
            good &= safe[seen][waiting]
        result[waiting[good]] = blank & ~rows.gaps[waiting[good]]
        waiting = waiting[~good]
    return result


def lent_gaps(codes: Codes, sizes: Whole, costs: Sequence[float], least: int, gaps: Masks) -> Masks:
    """The gaps of ``own_gaps`` with some taken back where the gaps of other classes help: as sdcMicro counts.

    Only classes with several gaps give some back, and keep at least one. They count on classes that give none back.

    >>> codes = np.array([[0, 0], [1, 1], [0, 2], [1, 3]], dtype=np.int32)
    >>> own = own_gaps(codes, np.array([1, 1, 1, 1]), [1, 1], 2, 2)
    >>> own.tolist(), lent_gaps(codes, np.array([1, 1, 1, 1]), [1, 1], 2, own).tolist()
    ([2, 2, 2, 2], [2, 2, 2, 2])
    """
    rows, columns = Packed.of(codes), len(costs)
    several = (gaps & (gaps - 1)) != 0
    result, steady = gaps.copy(), np.flatnonzero(~several)
    released = _blanked(rows, steady, gaps[steady])
    waiting = np.flatnonzero(several)
    prices = np.zeros(len(waiting))
    for blank, places in _by(gaps[waiting]):
        prices[places] = price(blank, costs)
    for blank in patterns(costs):
        if not blank or not len(waiting):
            continue
        tried = np.flatnonzero((prices > price(blank, costs)) & ((rows.gaps[waiting] & blank) == 0))
        who = waiting[tried]
        here = _blanked(rows, who, np.full(len(who), blank))
        found = _shared(here, np.arange(len(who)), released, sizes[steady], (1 << columns) - 1) + sizes[who]
        good = tried[found >= least]
        result[waiting[good]] = blank
        waiting, prices = np.delete(waiting, good), np.delete(prices, good)
    return result


def _blanked(rows: Packed, who: Whole, gaps: Masks) -> Packed:
    """Some rows with further gaps."""
    words = rows.words[who]
    for blank in np.unique(gaps):
        words[gaps == blank] &= rows.kept(int(blank))
    return Packed(words, rows.fields, rows.gaps[who] | gaps)


def _shared(here: Packed, who: Whole, there: Packed, amounts: Whole, seen: int) -> Whole:
    """For some rows here, the amounts of all rows there that may agree with them on the columns seen."""
    result = np.zeros(len(who), dtype=np.int64)
    columns = len(here.fields)
    for mine, places in _by(here.gaps[who] & seen):
        for theirs, others in _by(there.gaps & seen):
            blank = (mine | theirs | ~seen) & ((1 << columns) - 1)
            mine_words, their_words = _rows(here.words, who[places]), _rows(there.words, others)
            result[places] += met(mine_words, their_words, amounts[others], here.kept(blank))
    return result


def _rows(words: Words, which: Whole) -> Words:
    return words if len(which) == len(words) and np.array_equal(which, np.arange(len(words))) else words[which]


def _by(masks: Masks) -> list[tuple[int, Whole]]:
    """The places of each mask."""
    return [(int(mask), np.flatnonzero(masks == mask)) for mask in np.unique(masks)]
