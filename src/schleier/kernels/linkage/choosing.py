"""Which of the near pairs an attacker claims: the best of each person, one after the other, mutual, or all at once."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.penalties import Neighbours

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Rule = Literal["best", "greedy", "mutual", "assignment"]


class Pairs(NamedTuple):
    """Claims by place, in the order of their targets."""

    target: Whole
    record: Whole
    distance: Floats


def best_pairs(found: Neighbours, within: float) -> Pairs:
    """Each target's nearest record, where no other is as near; several targets may claim one record.

    >>> near = Neighbours(np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([[3, 1], [3, 2]]), np.array([1, 2]))
    >>> [part.tolist() for part in best_pairs(near, 5.0)]
    [[0], [3], [0.0]]
    """
    good = np.flatnonzero((found.tied == 1) & (found.distance[:, 0] <= within))
    return Pairs(good, found.record[good, 0], found.distance[good, 0])


def mutual_pairs(found: Neighbours, back: Neighbours, within: float) -> Pairs:
    """Those of the best pairs in which the record's nearest target is this one, too, and no other is as near.

    >>> there = Neighbours(np.array([[0.0], [1.0]]), np.array([[1], [1]]), np.array([1, 1]))
    >>> back = Neighbours(np.array([[3.0], [0.0]]), np.array([[1], [0]]), np.array([1, 1]))
    >>> [part.tolist() for part in mutual_pairs(there, back, 5.0)]
    [[0], [1], [0.0]]
    """
    pairs = best_pairs(found, within)
    good = (back.record[pairs.record, 0] == pairs.target) & (back.tied[pairs.record] == 1)
    return Pairs(pairs.target[good], pairs.record[good], pairs.distance[good])


def greedy_pairs(found: Neighbours, within: float) -> Pairs:
    """The nearest pairs first, each target and each record once: whoever comes first takes a record away from others.

    >>> near = Neighbours(np.array([[0.5, 2.0], [0.4, 3.0]]), np.array([[3, 1], [3, 2]]), np.array([1, 1]))
    >>> [part.tolist() for part in greedy_pairs(near, 5.0)]
    [[0, 1], [1, 3], [2.0, 0.4]]
    """
    target, record, distance = _candidates(found, within)
    if not len(target):
        return _in_order(target, record, distance)
    from schleier.kernels.linkage.penalties_of_pairs import take_in_turn

    chosen = take_in_turn(np.lexsort((target, distance)), target, record)
    return _in_order(target[chosen], record[chosen], distance[chosen])


def assigned_pairs(found: Neighbours, within: float) -> Pairs:
    """Each target and each record at most once, as many as go, with the least sum of distances.

    >>> near = Neighbours(np.array([[0.5, 0.6], [0.4, 3.0]]), np.array([[3, 1], [3, 2]]), np.array([1, 1]))
    >>> [part.tolist() for part in assigned_pairs(near, 5.0)]
    [[0, 1], [1, 3], [0.6, 0.4]]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    target, record, distance = _candidates(found, within)
    if not len(target):
        return _in_order(target, record, distance)
    people, who = np.unique(target, return_inverse=True)
    records, what = np.unique(record, return_inverse=True)
    # Nobody has to be assigned: everybody may also take a place of his own, which costs more than all others together.
    alone = (float(distance.max()) + 1.0) * (len(people) + 1)
    costs = csr_array(
        (
            np.concatenate([distance + 1.0, np.full(len(people), alone)]),
            (
                np.concatenate([who.reshape(-1), np.arange(len(people))]),
                np.concatenate([what.reshape(-1), len(records) + np.arange(len(people))]),
            ),
        ),
        shape=(len(people), len(records) + len(people)),
    )
    rows, columns = min_weight_full_bipartite_matching(costs)
    real = columns < len(records)
    chosen = people[rows[real]], records[columns[real]]
    width = int(records.max()) + 1
    place = np.argsort(target * width + record)
    spot = place[np.searchsorted((target * width + record)[place], chosen[0] * width + chosen[1])]
    return _in_order(*chosen, distance[spot])


def by_rule(rule: Rule, found: Neighbours, back: Neighbours, within: float) -> Pairs:
    """The pairs that a rule claims; only the mutual ones ask for the way back.

    >>> near = Neighbours(np.array([[0.0], [1.0]]), np.array([[3], [3]]), np.array([1, 1]))
    >>> len(by_rule("best", near, near, 5.0).target), len(by_rule("greedy", near, near, 5.0).target)
    (2, 1)
    """
    if rule == "mutual":
        return mutual_pairs(found, back, within)
    return {"best": best_pairs, "greedy": greedy_pairs, "assignment": assigned_pairs}[rule](found, within)


def _candidates(found: Neighbours, within: float) -> tuple[Whole, Whole, Floats]:
    target, rank = np.nonzero((found.record >= 0) & (found.distance <= within))
    return target.astype(np.int64), found.record[target, rank], found.distance[target, rank]


def _in_order(target: Whole, record: Whole, distance: Floats) -> Pairs:
    order = np.argsort(target, kind="stable")
    return Pairs(np.asarray(target)[order], np.asarray(record)[order], np.asarray(distance)[order])
