"""Pairs of households in different areas with the same profile (targeted record swapping)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Ints = NDArray[np.int64]


def risky(area: Ints, key: Ints, household: Ints, households: int, k: int) -> NDArray[np.bool_]:
    """Households with a member whose key fewer than ``k`` persons have in the area.

    >>> risky(np.zeros(4, int), np.array([1, 1, 1, 2]), np.array([0, 0, 1, 1]), 2, 2).tolist()
    [False, True]
    """
    _, place, counts = np.unique(np.stack([area, key], axis=1), axis=0, return_inverse=True, return_counts=True)
    found = np.zeros(households, dtype=bool)
    found[household[counts[place.reshape(-1)] < k]] = True
    return found


def pair_households(wanting: Ints, pool: Ints, area: Ints, partner: Ints, draws: NDArray[np.float64]) -> int:
    """Find partners for the households ``wanting``, in that order; the number of those who find nobody.

    Partners are in the same pool and another area, free (their own partner), and drawn at random: the next free one
    from a random place on among those of the pool in other areas. A pool below 0 takes part in nothing.
    """
    order = np.lexsort((area, pool))
    order = order[pool[order] >= 0]
    place = np.full(len(pool), -1)
    place[order] = np.arange(len(order))
    of, where = pool[order], area[order]
    pools, areas = np.flatnonzero(np.diff(of, prepend=-1)), np.flatnonzero(_new(of, where))
    pool_end = np.append(pools[1:], len(order))[np.cumsum(np.diff(of, prepend=-1) != 0) - 1]
    pool_start = pools[np.cumsum(np.diff(of, prepend=-1) != 0) - 1] if len(order) else order
    area_end = np.append(areas[1:], len(order))[np.cumsum(_new(of, where)) - 1]
    area_start = areas[np.cumsum(_new(of, where)) - 1] if len(order) else order
    found: int = _pair(wanting, order, place, pool_start, pool_end, area_start, area_end, partner, draws)
    return found


def _new(of: Ints, where: Ints) -> NDArray[np.bool_]:
    changed: NDArray[np.bool_] = (np.diff(of, prepend=-1) != 0) | (np.diff(where, prepend=-1) != 0)
    return changed


@compiled
def _pair(wanting, order, place, pool_start, pool_end, area_start, area_end, partner, draws):  # type: ignore[no-untyped-def]
    """``free[i]`` leads to the next place from i on whose household has no partner yet (union-find)."""
    alone, count = 0, len(order)
    free = np.arange(count + 1)
    for i in range(count):
        if partner[order[i]] != order[i]:
            free[i] = i + 1
    for n in range(len(wanting)):
        who = wanting[n]
        i = place[who]
        if partner[who] != who:
            continue
        if i < 0:
            alone += 1
            continue
        start, end, own, rest = pool_start[i], pool_end[i], area_start[i], area_end[i]
        others = (end - start) - (rest - own)
        found = -1
        if others > 0:
            first = start + int(draws[n] * others)
            if first >= own:
                first += rest - own
            # Once round the pool from the random place on, past the own area.
            for turn in range(2):
                j = first if turn == 0 else start
                last = end if turn == 0 else first
                while True:
                    while free[j] != j:
                        free[j] = free[free[j]]
                        j = free[j]
                    if own <= j < rest:
                        j = rest
                        continue
                    break
                if j < last:
                    found = j
                    break
        if found < 0:
            alone += 1
            continue
        giver = order[found]
        partner[who], partner[giver] = giver, who
        free[i], free[found] = i + 1, found + 1
    return alone
