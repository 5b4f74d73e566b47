"""How many records of each class lose which cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUNDS, CAREFUL = 100, (1, 5)
"""All combinations of some columns are looked at so often, the first times with care; several ways are tried."""


@dataclass(frozen=True)
class Parcels:
    """Parts of classes, in order of class: ``counts[i]`` records of ``classes[i]`` lose the columns ``gaps[i]``."""

    classes: NDArray[np.int64]
    gaps: NDArray[np.int64]
    """One bit for each column."""
    counts: NDArray[np.int64]

    def cells(self, columns: int) -> list[int]:
        """Cells lost in each column."""
        return [int(self.counts[(self.gaps >> j & 1) == 1].sum()) for j in range(columns)]

    def spread(self, columns: Sequence[int]) -> Parcels:
        """The same parts where the columns looked at are some of more: what each of them is there."""
        import numpy as np

        wide = np.zeros_like(self.gaps)
        for i, j in enumerate(columns):
            wide |= (self.gaps >> i & 1) << int(j)
        return Parcels(self.classes, wide, self.counts)

    def blanked(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The codes of the parts, with their gaps."""
        from schleier.kernels.classes.coding import MISSING

        result = codes[self.classes]
        for j in range(codes.shape[1]):
            result[(self.gaps >> j & 1) == 1, j] = MISSING
        return result


def wildcard_gaps(
    codes: NDArray[np.int32], sizes: NDArray[np.int64], costs: Sequence[float], k: int, most: int, *, lend: bool
) -> tuple[Parcels, float]:
    """Gaps that may stand for anything, each class by itself; and the cost that cannot be beaten."""
    import numpy as np

    from schleier.kernels.suppression.cells import lent_gaps, own_gaps

    own = own_gaps(codes, sizes, costs, k, most)
    gaps = lent_gaps(codes, sizes, costs, k, own) if lend else own
    who = np.arange(len(sizes))
    return Parcels(who, gaps, sizes), cost(Parcels(who, own, sizes), costs)


def category_gaps(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    costs: Sequence[float],
    k: int,
    most: int,
    seed: int,
    own: NDArray[np.int64] | None = None,
) -> Parcels:
    """Gaps that are values of their own: no combination of ``most`` columns, gaps included, is rarer than k.

    ``own`` are the gaps that each class needs by itself for all columns together, where they are at hand.
    """
    import numpy as np

    from schleier.kernels.classes.coding import add_up, merge
    from schleier.kernels.suppression.cells import own_gaps
    from schleier.kernels.suppression.search import common_gaps

    def once(parcels: Parcels, columns: tuple[int, ...], *, quick: bool = False) -> Parcels:
        rows, place = merge(parcels.blanked(codes)[:, columns])
        amounts = add_up(parcels.counts, place, len(rows))
        if (amounts >= k).all():
            return parcels
        some = [costs[j] for j in columns]
        if own is not None and parcels is whole and columns == everything:
            needed = np.zeros(len(rows), dtype=np.int64)
            needed[place] = own
        else:
            needed = own_gaps(rows, amounts, some, k, len(some))
        found = Parcels(*common_gaps(rows, amounts, some, k, needed, seed, quick=quick))
        return _cut(parcels, place, found.spread(columns))

    whole, everything = Parcels(np.arange(len(sizes)), np.zeros_like(sizes), sizes), tuple(range(len(costs)))
    found = [once(whole, everything)]  # what is common in all columns is common in some
    for careful in CAREFUL if most < len(costs) else ():
        parcels = whole
        for number in range(ROUNDS):  # gaps of one combination may make another one rare
            before = parcels
            for columns in combinations(everything, most):
                parcels = once(parcels, columns, quick=number >= careful)
            if parcels is before:
                found.append(parcels)
                break
    return min(found, key=lambda parcels: cost(parcels, costs))


def _cut(old: Parcels, place: NDArray[np.int64], found: Parcels) -> Parcels:
    """The old parts with the gaps found for the classes they are in, cut where the two disagree."""
    import numpy as np

    order = np.argsort(place, kind="stable")
    mine, theirs = np.cumsum(old.counts[order]), np.cumsum(found.counts)
    ends = np.union1d(mine, theirs)
    left, right = order[np.searchsorted(mine, ends)], np.searchsorted(theirs, ends)
    classes, gaps = old.classes[left], old.gaps[left] | found.gaps[right]
    counts = np.diff(ends, prepend=0)
    order = np.lexsort((gaps, classes))
    classes, gaps, counts = classes[order], gaps[order], counts[order]
    new = np.ones(len(classes), dtype=bool)
    new[1:] = (classes[1:] != classes[:-1]) | (gaps[1:] != gaps[:-1])
    return Parcels(classes[new], gaps[new], np.add.reduceat(counts, np.flatnonzero(new)))


def cost(parcels: Parcels, costs: Sequence[float]) -> float:
    """What the gaps cost."""
    return float(sum(lost * costs[j] for j, lost in enumerate(parcels.cells(len(costs)))))
