"""Two files laid side by side by the same key, as a program of 1987 did it (MATCH FILES of SPSS-X), and what is common.

Müller, Blien, Knoche, Wirth et al. (1991), 9.1.1, Übersicht 9.1 and 9.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
NOBODY = -1


class MatchFile(NamedTuple):
    """Rows in the order of their keys; -1 where one of the files has nobody (left)."""

    key: Whole
    record: Whole
    target: Whole


class Relations(NamedTuple):
    """How many keys both files have, by how many records and how many targets share them; and who has none of them."""

    one_to_one: int
    """One record, one target: the only unique assignments."""
    one_to_many: int
    """One record, several targets."""
    many_to_one: int
    """Several records, one target."""
    many_to_many: int
    unmatched: int
    """Targets whose key no record has."""

    @property
    def common(self) -> int:
        """Keys that both files have: so many assignments are possible."""
        return sum(self[:4])


def match_file(records: Whole, targets: Whole) -> MatchFile:
    """Pair the k-th record with the k-th target of a key; whoever is left over gets a row without a partner.

    Twins are paired by their place, which means nothing: only a key that each file has once is an assignment.

    >>> found = match_file(np.array([22, 74, 74]), np.array([21, 22, 74]))
    >>> [part.tolist() for part in found]
    [[21, 22, 74, 74], [-1, 0, 1, 2], [0, 1, 2, -1]]
    """
    twins = np.concatenate([_turns(records), _turns(targets)])
    keys = np.concatenate([records, targets]).astype(np.int64)
    of_record = np.concatenate([np.arange(len(records)), np.full(len(targets), NOBODY)])
    of_target = np.concatenate([np.full(len(records), NOBODY), np.arange(len(targets))])
    order = np.lexsort((of_target, twins, keys))
    keys, twins = keys[order], twins[order]
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (twins[1:] != twins[:-1])
    start = np.flatnonzero(first)
    if not len(start):
        nothing = np.zeros(0, np.int64)
        return MatchFile(nothing, nothing, nothing)
    # A record and its partner are neighbours now: the larger of both places is the one that is not nobody.
    return MatchFile(
        keys[start], np.maximum.reduceat(of_record[order], start), np.maximum.reduceat(of_target[order], start)
    )


def _turns(keys: Whole) -> Whole:
    """For each row how many rows with the same key stand before it."""
    order = np.argsort(keys, kind="stable")
    held = keys[order]
    new = np.ones(len(held), dtype=np.bool_)
    new[1:] = held[1:] != held[:-1]
    place = np.arange(len(held))
    turns = np.empty(len(held), np.int64)
    turns[order] = place - np.maximum.accumulate(np.where(new, place, 0))
    return turns


def relations(records: Whole, targets: Whole) -> Relations:
    """The keys both files have, by relation.

    >>> relations(np.array([22, 74, 74, 132]), np.array([21, 22, 74, 74, 132, 132]))
    Relations(one_to_one=1, one_to_many=1, many_to_one=0, many_to_many=1, unmatched=1)
    """
    keys, place = np.unique(np.concatenate([records, targets]), return_inverse=True)
    here = np.bincount(place[: len(records)], minlength=len(keys))
    there = np.bincount(place[len(records) :], minlength=len(keys))
    both = (here > 0) & (there > 0)
    single, alone = here == 1, there == 1
    return Relations(
        one_to_one=int((both & single & alone).sum()),
        one_to_many=int((both & single & ~alone).sum()),
        many_to_one=int((both & ~single & alone).sum()),
        many_to_many=int((both & ~single & ~alone).sum()),
        unmatched=int(there[here == 0].sum()),
    )


class SubKey(NamedTuple):
    """What some of the columns make of two files."""

    columns: tuple[int, ...]
    pairs: int
    """Pairs of a record and a target that are alike in these columns."""
    record: Whole
    target: Whole
    """The assignments that are unique: places of both, in the order of the targets."""


def sub_keys(records: Whole, sizes: Whole, targets: Whole, many: Whole, most: int) -> Iterator[SubKey]:
    """Every set of at most so many columns, by way of the smaller sets; rows are combinations of codes, with sizes.

    Whoever has no partner in some columns has none in more of them, and is left out from there on.

    >>> one = np.array([[1, 5], [2, 5]]), np.array([1, 1]), np.array([[1, 5], [2, 6]]), np.array([1, 1])
    >>> [(found.columns, found.pairs, found.record.tolist()) for found in sub_keys(*one, most=2)]
    [((0,), 2, [0, 1]), ((0, 1), 1, [0]), ((1,), 2, [])]
    """
    here = len(records)
    codes = np.concatenate([records, targets]).astype(np.int64)
    held = np.concatenate([sizes, many]).astype(np.int64)
    columns = [np.unique(codes[:, j], return_inverse=True)[1].reshape(-1) for j in range(codes.shape[1])]

    def below(chosen: tuple[int, ...], rows: Whole, group: Whole) -> Iterator[SubKey]:
        for j in range(chosen[-1] + 1 if chosen else 0, len(columns)):
            finer = _dense(group, columns[j][rows])
            found, rest, merged = _shared(rows, finer, held, here)
            yield SubKey((*chosen, j), *found)
            if len(chosen) + 1 < most:
                yield from below((*chosen, j), rest, merged)

    yield from below((), np.arange(len(codes)), np.zeros(len(codes), np.int64))


def _dense(group: Whole, column: Whole) -> Whole:
    """Groups cut by a column, numbered from 0 on."""
    if not len(group):
        return group
    joint = group * (int(column.max()) + 1) + column
    top = int(joint.max()) + 1
    if top > 4 * len(joint) + 1000:
        found: Whole = np.unique(joint, return_inverse=True)[1].reshape(-1)
        return found
    there = np.zeros(top, dtype=np.bool_)
    there[joint] = True
    number: Whole = (np.cumsum(there) - 1)[joint]
    return number


def _shared(rows: Whole, group: Whole, held: Whole, here: int) -> tuple[tuple[int, Whole, Whole], Whole, Whole]:
    """Pairs and unique assignments of some groups, and the rows of the groups that both files have."""
    groups = int(group.max()) + 1 if len(group) else 0
    mine = rows < here
    records = np.bincount(group[mine], held[rows[mine]], groups).astype(np.int64)
    targets = np.bincount(group[~mine], held[rows[~mine]], groups).astype(np.int64)
    alone = (records == 1) & (targets == 1)
    place = np.zeros(groups, np.int64)
    place[group[mine]] = rows[mine]
    who = np.flatnonzero(~mine & alone[group])  # one row each, as there is one target
    found = int((records * targets).sum()), place[group[who]], rows[who] - here
    kept = ((records > 0) & (targets > 0))[group]
    return found, rows[kept], group[kept]
