"""Weights that many records share, while the totals of some categories stay what they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.halving import Floats, Whole

SWEEPS = 20_000
"""So often the totals are put right in turn before it is given up."""
CLOSE = 1e-12
"""How far a total may be off, as a share of it: what adding up in another order makes of it."""


class Entries(NamedTuple):
    """Records with the same cell, weight and unit, in the order of these."""

    cells: Whole
    """The combination of categories they are in."""
    weights: Floats
    units: Whole
    """The number of the unit, from 0; -1 where nobody knows it."""
    alone: Whole
    """How many hide each other without belonging to a unit."""
    records: Whole


def shared_weights(entries: Entries, margins: Sequence[Whole], k: int) -> tuple[Floats, Whole] | None:
    """A weight for each entry that at least k units share, and its group; none where the totals cannot be kept.

    Groups are neighbours by weight within a cell and get their mean, so that every cell keeps its total. Records of
    cells with fewer than k units are grouped across cells; then all shared weights are moved as little as needed, until
    each category of each of the ``margins`` (given as codes) has its total again.
    """
    groups, mixed = grouped(entries, k)
    if groups is None:
        return None
    count = int(groups.max()) + 1
    held = np.bincount(groups, entries.records, count).astype(np.float64)
    means = np.bincount(groups, entries.records * entries.weights, count) / held
    if mixed and margins:
        means, settled = _with_totals(entries, margins, groups, means, held)
        if not settled:
            return None
    return means[groups], groups


def grouped(entries: Entries, k: int) -> tuple[Whole | None, bool]:
    """The group of each entry, none where there are fewer than k units, and whether groups reach across cells."""
    units = int(entries.units.max(initial=-1)) + 1
    groups = _cut(entries.cells, entries.weights, entries.units, entries.alone, units, k)
    rest = np.flatnonzero(groups < 0)
    if not len(rest):
        return groups, False
    order = rest[np.lexsort((entries.cells[rest], entries.weights[rest]))]
    one = np.zeros(len(order), np.int64)
    further = _cut(one, entries.weights[order], entries.units[order], entries.alone[order], units, k)
    start = int(groups.max()) + 1
    if (further >= 0).all():
        groups[order] = start + further
    elif not start:
        return None, True
    else:  # too few: they join the group that is nearest
        held = np.bincount(groups[groups >= 0], entries.records[groups >= 0], start)
        sums = np.bincount(groups[groups >= 0], (entries.records * entries.weights)[groups >= 0], start)
        mine = (entries.records * entries.weights)[rest].sum() / entries.records[rest].sum()
        groups[rest] = int(np.abs(sums / held - mine).argmin())
    return groups, True


@compiled
def _cut(cells: Whole, weights: Floats, units: Whole, alone: Whole, count: int, k: int) -> Whole:
    """Groups of neighbours with at least k units in each cell, equal weights together; -1 in cells with fewer."""
    groups, seen = np.full(len(cells), -1, np.int64), np.full(count, -1, np.int64)
    group, last, begin, found = 0, -1, 0, 0
    for i in range(len(cells) + 1):
        fresh = i == len(cells) or (i > 0 and cells[i] != cells[i - 1])
        if fresh or (found >= k and weights[i] != weights[i - 1]):
            if found >= k:
                last = group
                group += 1
            groups[begin:i] = last  # too few at the end of a cell join the group before
            begin, found = i, 0
            last = -1 if fresh else last
        if i == len(cells):
            break
        if units[i] < 0:
            found += alone[i]
        elif seen[units[i]] != begin:
            seen[units[i]] = begin
            found += 1
    return groups


def _with_totals(
    entries: Entries, margins: Sequence[Whole], groups: Whole, means: Floats, held: Floats
) -> tuple[Floats, bool]:
    """The shared weights moved until every category has its total, and whether that came about."""
    starts, places, shares, totals = [0], [], [], []
    for codes in margins:
        for category in range(int(codes.max()) + 1):
            mine = codes == category
            found = np.bincount(groups[mine], entries.records[mine], len(means))
            places.append(np.flatnonzero(found))
            shares.append(found[places[-1]])
            starts.append(starts[-1] + len(places[-1]))
            totals.append((entries.records * entries.weights)[mine].sum())
    loose = means * means / held  # in small groups of large weights a change is least
    table = np.array(starts), np.concatenate(places), np.concatenate(shares), np.array(totals)
    moved = _rake(*table, loose, means.copy())
    positive = bool((moved > 0).all() or not (means > 0).all())
    return moved, positive and _off(*table, moved) <= CLOSE


@compiled
def _rake(starts: Whole, places: Whole, shares: Floats, totals: Floats, loose: Floats, weights: Floats) -> Floats:
    """One total after the other put right, as often as needed."""
    for _ in range(SWEEPS):
        if _off(starts, places, shares, totals, weights) <= CLOSE / 10:
            break
        for c in range(len(totals)):
            total, give = 0.0, 0.0
            for at in range(starts[c], starts[c + 1]):
                total += shares[at] * weights[places[at]]
                give += shares[at] * shares[at] * loose[places[at]]
            if give > 0.0:
                step = (totals[c] - total) / give
                for at in range(starts[c], starts[c + 1]):
                    weights[places[at]] += step * shares[at] * loose[places[at]]
    return weights


@compiled
def _off(starts: Whole, places: Whole, shares: Floats, totals: Floats, weights: Floats) -> float:
    """How far the totals are off at most, as a share of them."""
    worst = 0.0
    for c in range(len(totals)):
        total, size = 0.0, abs(totals[c])
        for at in range(starts[c], starts[c + 1]):
            total += shares[at] * weights[places[at]]
        if abs(total - totals[c]) > worst * size:
            worst = abs(total - totals[c]) / size if size > 0.0 else 1.0
    return worst


def units_of(entries: Entries, codes: Whole | None = None) -> Whole:
    """Different units in each category that occurs, or in all."""
    categories = np.zeros(len(entries.cells), np.int64) if codes is None else np.unique(codes, return_inverse=True)[1]
    count = int(categories.max(initial=-1)) + 1
    known = entries.units >= 0
    pairs = np.unique(np.stack([categories[known], entries.units[known]]), axis=1)[0]
    found: Whole = np.bincount(pairs, minlength=count) + np.bincount(categories, entries.alone, count).astype(np.int64)
    return found
