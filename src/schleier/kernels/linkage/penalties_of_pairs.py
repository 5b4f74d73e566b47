"""Loops over pairs of targets and records whose distances are known: the nearest, and who takes which."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import unheld


@unheld
def look_through(
    sums: Any, own: Any, first: int, start: int, alike: float, distance: Any, record: Any, tied: Any
) -> None:
    """Keep the nearest of some records, whose distances from some targets are known but for a part of each target's."""
    many = distance.shape[1]
    for i in range(sums.shape[0]):
        place, near = start + i, sums[i]
        base = own[place]
        least = near[0]
        for r in range(1, len(near)):
            least = min(least, near[r])
        least = max(least + base, np.float32(0))
        if least > distance[place, many - 1] and least > distance[place, 0] * (1 + alike):
            continue
        for r in range(len(near)):
            value = max(near[r] + base, np.float32(0))
            if value <= distance[place, many - 1] or value <= distance[place, 0] * (1 + alike):
                keep(value, first + r, distance[place], record[place], tied, place, alike)


@unheld
def take_in_turn(order: Any, target: Any, record: Any) -> Any:
    """Places of pairs in which neither person nor record was taken before, in the given order."""
    given = np.zeros(target.max() + 1, dtype=np.bool_)
    taken = np.zeros(record.max() + 1, dtype=np.bool_)
    chosen, many = np.empty(len(order), dtype=np.int64), 0
    for place in order:
        who, what = target[place], record[place]
        if not given[who] and not taken[what]:
            given[who] = taken[what] = True
            chosen[many] = place
            many += 1
    return chosen[:many]


@unheld
def beyond(edge: Any, share: float) -> Any:
    """A sum and a share of it more, or less: of one below nothing, as for what speaks for a pair, too."""
    return edge * (1 + share) if edge >= 0 else edge * (1 - share)


@unheld
def keep(value: float, place: int, distance: Any, record: Any, tied: Any, i: int, alike: float) -> None:
    """Put a record in its place among the nearest, behind those that are as near; rounding makes no difference."""
    edge = distance[0]
    if value < beyond(edge, -alike):
        tied[i] = 1
    elif value <= beyond(edge, alike):
        tied[i] += 1
        value = max(value, edge)
    many = len(distance)
    if value >= distance[many - 1]:
        return
    spot = many - 1
    while spot > 0 and distance[spot - 1] > value:
        distance[spot], record[spot] = distance[spot - 1], record[spot - 1]
        spot -= 1
    distance[spot], record[spot] = value, place
