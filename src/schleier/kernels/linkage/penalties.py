"""Which records are nearest to what is known of a person, by the sum of what each column costs, among all pairs.

A column of words costs what a table says of a value and a cell, so weights, similar categories and cells that stand
for several values are all the same work. A column of numbers costs how far a number is from an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

ALIKE = 1e-5
"""Sums that differ by a smaller share are equal: the rest is rounding."""


@dataclass(frozen=True)
class Words:
    """A column of words: the value of each target, the cell of each record, and what they cost together."""

    known: Whole = field(repr=False)
    cells: Whole = field(repr=False)
    costs: Floats = field(repr=False)
    """By value and cell."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: that of each target, and the interval of each record; nan for a gap."""

    known: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    upto: Floats | None = field(default=None, repr=False)
    """Upper ends where intervals are known of the targets, too."""
    weight: float = 1.0
    """What a distance of one costs."""
    power: int = 1
    """Of the distance: 2 for its square, 0 where every distance costs the same."""
    gap: float = 1.0
    """What it costs when one of both is a gap; two gaps are alike."""


@dataclass(frozen=True)
class Neighbours:
    """For each target the nearest records, the nearest first, those of the same distance in their order."""

    distance: Floats = field(repr=False)
    """By target and rank; infinite where there are no more records."""
    record: Whole = field(repr=False)
    """The place of the record; -1 where there are no more."""
    tied: Whole = field(repr=False)
    """How many records are as near as the nearest."""


def nearest_records(columns: Sequence[Words | Numbers], many: int) -> Neighbours:
    """The nearest so many records of each target.

    >>> same = 1 - np.eye(3)
    >>> sex = Words(np.array([0]), np.array([0, 1, 0]), same)
    >>> age = Numbers(np.array([30.0]), np.array([40.0, 30, 20]), np.array([49.0, 30, 29]), weight=0.1)
    >>> found = nearest_records([sex, age], 2)
    >>> found.record.tolist(), found.distance.round(3).tolist(), found.tied.tolist()
    ([[2, 0]], [[0.1, 1.0]], [1])
    """
    from schleier.kernels.linkage.packed_costs import Nearest, Packed

    packed = Packed.of(columns)
    found = Nearest.none(packed.targets, max(min(many, packed.records), 1))
    if packed.records and packed.targets:
        whole, workers = packed.part(slice(None)), cpu_count() or 1
        step = -(-packed.targets // workers)
        with ThreadPoolExecutor(workers) as pool:
            shares = ((start, min(start + step, packed.targets)) for start in range(0, packed.targets, step))
            list(pool.map(lambda ends: whole.look(ends[0], ends[1], found), shares))
    return found.told()
