"""What a change does to the risk, and what it costs: told from coded classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.core.measure import ALARM
from schleier.core.record import Frozen

if TYPE_CHECKING:
    from schleier.kernels.classes.coarser import Coarse, Coarser

BLANKED = 0.05
"""Share of the records whose keys may be blanked because they are rare."""
SMALLEST = (5, 3, 2)
"""Smallest classes that blanking aims at, the largest that few enough records fail."""
SAME = 0.25
"""Two columns say nearly the same when each leaves at most this part of the other open that chance would leave."""


class Effect(Frozen):
    """How much risk there is: in the file, or after a change."""

    unique: int
    """Records that no other looks like."""
    share: float
    """Their share of the records."""
    average: float
    """Chance to pick the right record of a person, on average."""

    @property
    def score(self) -> float:
        """What changes are compared by: the chance, to which unique records count twice, as they are found for sure."""
        return self.average + self.share

    @property
    def small(self) -> bool:
        """Whether nobody is alone and the chance is no problem: nothing more needs to be changed."""
        return not self.unique and self.average < ALARM


@dataclass(frozen=True)
class Blanked:
    """Classes with the keys of rare ones blanked."""

    table: Coarser
    least: int
    records: int
    """Records that lost their keys."""


def risk_when_coarser(table: Coarser, changes: Mapping[int, Coarse] | None = None, *, roughly: bool = False) -> Effect:
    """The risk with some columns coarser. The chance is one over the size of the class: classes over records.

    Where changes are only compared, a part of very many classes will do.

    >>> import numpy as np
    >>> from schleier.kernels.classes.coarser import Coarser
    >>> risk_when_coarser(Coarser.of(np.array([[0], [1]], dtype=np.int32), np.array([3, 1]), [2])).average
    0.5
    """
    records = int(table.sizes.sum())
    classes, unique = table.counted(changes or {}, roughly=roughly)
    return Effect(unique=unique, share=unique / records, average=classes / records)


def information_kept(table: Coarser, column: int, coarse: Coarse) -> float:
    """Part of the entropy of a column that stays."""
    import numpy as np

    from schleier.kernels.classes.uniqueness import entropy

    counts = table.counts(column)
    before = entropy(counts)
    return entropy(np.bincount(coarse + 1, weights=counts)) / before if before else 0.0


def telling(table: Coarser, most: int) -> list[int]:
    """The columns with most entropy, at most so many, in this order."""
    from schleier.kernels.classes.uniqueness import entropy

    tell = {j: entropy(table.counts(j)) for j in range(len(table.values))}
    return sorted((j for j in tell if tell[j] > 0), key=lambda j: -tell[j])[:most]


def same_columns(table: Coarser, columns: Sequence[int]) -> list[tuple[int, ...]]:
    """Pairs of columns that say nearly the same, such as age and year of birth: changing one alone does nothing.

    Columns that tell nearly everybody apart, such as exact dates and wages, would do so side by side by chance: of
    them nothing is said.

    >>> import numpy as np
    >>> from schleier.kernels.classes.coarser import Coarser
    >>> codes = np.array([[i, 7 - i, i % 2] for i in range(8)], dtype=np.int32)
    >>> same_columns(Coarser.of(codes, np.full(8, 9), [8, 8, 2]), [0, 1, 2])
    [(0, 1)]
    >>> same_columns(Coarser.of(codes, np.ones(8, int), [8, 8, 2]), [0, 1, 2])
    []
    """
    import numpy as np

    from schleier.kernels.classes.coding import rank_numbers
    from schleier.kernels.classes.uniqueness import entropy

    tell, found = {j: entropy(table.counts(j)) for j in columns}, list[tuple[int, ...]]()
    records = int(table.sizes.sum())
    for i, j in ((i, j) for i in columns for j in columns if i < j):
        low, high = sorted((tell[i], tell[j]))
        if low < (1 - SAME) * high:
            continue  # what the poorer leaves open of the richer is at least their difference
        chance = min(low + high, math.log(records)) - low  # left open by columns that have nothing in common
        if chance <= SAME * low:
            continue
        wide = table.values[j] + 1
        pairs = (table.columns[i].astype(np.int64) + 1) * wide + (table.columns[j] + 1)
        place = rank_numbers(pairs, (table.values[i] + 1) * wide)[1]
        if entropy(np.bincount(place, weights=table.sizes)) - low <= SAME * chance:
            found.append((i, j))
    return found


def rare_blanked(table: Coarser, smallest: Sequence[int] = SMALLEST) -> Blanked | None:
    """All keys of rare combinations blanked, as the method suppress_rare does; nothing where that hits too many."""
    import numpy as np

    from schleier.kernels.classes.coarser import Coarser
    from schleier.kernels.classes.coding import merge
    from schleier.kernels.classes.rare import common

    allowed = BLANKED * int(table.sizes.sum())
    if int((table.sizes == 1).sum()) > allowed + 1:  # all but one of them would be blanked at least
        return None
    for least in smallest:
        keep, helpless = common(table.codes, table.sizes, list(range(len(table.values))), least)
        records = int(table.sizes[~keep & (table.codes >= 0).any(axis=1)].sum())
        if helpless.any() or not keep.any() or not 0 < records <= allowed:
            continue
        rows, place = merge(np.where(keep[:, None], table.codes, np.int32(-1)))
        sizes = np.bincount(place, weights=table.sizes, minlength=len(rows)).astype(np.int64)
        return Blanked(Coarser.of(rows, sizes, table.values), least, records)
    return None
