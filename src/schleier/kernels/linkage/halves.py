"""Two halves of what is known of persons, joined by the records nearest to both."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.packed_costs import Nearest, Packed
from schleier.kernels.linkage.penalties import Numbers, Words

Whole = NDArray[np.int64]
ORDERS = 16
"""In so many orders records are looked at, each for a part of the targets."""


def nearest_drawn(columns: Sequence[Words | Numbers], many: int, rng: np.random.Generator) -> Whole:
    """The nearest so many records of each target, -1 where there are no more; which of equally near ones is drawn.

    So records that are near to everybody join nobody more often than chance does. Some targets share an order.

    >>> age = Numbers(np.array([30.0, 41.0]), np.array([40.0, 30, 20]), np.array([40.0, 30, 20]))
    >>> nearest_drawn([age], 1, np.random.default_rng(1)).tolist()
    [[1], [0]]
    """
    packed = Packed.of(columns)
    found = Nearest.none(packed.targets, max(min(many, packed.records), 1))
    if not packed.targets or not packed.records:
        return found.record

    def part(ends: tuple[int, int], order: Whole) -> Whole:
        some = Nearest.none(ends[1] - ends[0], found.record.shape[1])
        packed.part(slice(*ends), order).look(0, len(some.tied), some)
        return np.where(some.record < 0, -1, np.append(order, -1)[some.record])

    parts = [
        (int(some[0]), int(some[-1]) + 1)
        for some in np.array_split(np.arange(packed.targets), min(ORDERS, packed.targets))
    ]
    orders = [rng.permutation(packed.records) for _ in parts]
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        return np.concatenate(list(pool.map(part, parts, orders)))


@dataclass(frozen=True)
class Links:
    """Which persons of two files have a record in common, by place; the same place is the same person.

    >>> links = Links(np.array([[0], [1], [1]]), np.array([[0], [2], [1]]), 3)
    >>> links.targets, links.correct, links.claimed, round(links.false_share, 3)
    (3, 2, 3, 0.333)
    """

    first: Whole = field(repr=False)
    second: Whole = field(repr=False)
    records: int
    """Nearest records by person and rank, and how many records there are."""

    @property
    def targets(self) -> int:
        """Persons in both files."""
        return len(self.first)

    @property
    def correct(self) -> int:
        """Persons whose two entries are linked."""
        first, second = self._pairs
        return int(np.count_nonzero(first == second))

    @property
    def claimed(self) -> int:
        """Entries of the first file that are linked with anybody."""
        return len(np.unique(self._pairs[0]))

    @property
    def false_share(self) -> float:
        """Share of linked pairs that are two different persons."""
        many = len(self._pairs[0])
        return 1 - self.correct / many if many else 0.0

    def pairs(self) -> tuple[Whole, Whole]:
        """All pairs of linked entries, each once."""
        return self._pairs

    @cached_property
    def _pairs(self) -> tuple[Whole, Whole]:
        from scipy.sparse import csr_array

        def near(records: Whole) -> csr_array:
            place = np.repeat(np.arange(len(records)), records.shape[1])
            flat, there = records.ravel(), records.ravel() >= 0
            ones = np.ones(int(there.sum()), dtype=np.int32)
            return csr_array((ones, (place[there], flat[there])), shape=(len(records), max(self.records, 1)))

        common = (near(self.first) @ near(self.second).T).tocoo()
        return common.coords[0].astype(np.int64), common.coords[1].astype(np.int64)


def chance(records: int, nearest: int) -> float:
    """The chance that two draws of so many records have one in common.

    >>> chance(100, 1), round(chance(100, 5), 4), chance(3, 5)
    (0.01, 0.2304, 1.0)
    """
    from scipy.special import gammaln

    if records < 1:
        return 0.0
    if 2 * nearest > records:
        return 1.0
    terms = 2 * gammaln(records - nearest + 1) - gammaln(records - 2 * nearest + 1) - gammaln(records + 1)
    return round(float(-np.expm1(terms)), 12)
