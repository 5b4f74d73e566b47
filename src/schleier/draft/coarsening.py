"""How the keys of a draft are protected: moderately coarser, and single cells blanked where that is not enough."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from schleier.core.errors import InfeasibleError
from schleier.core.pieces import made, piece
from schleier.core.run import Run
from schleier.draft.levels import RARE, told, ways_for_each

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.data import Dataset

LEFT = (RARE, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)
"""Shares of the records that may be left in classes below k, from the coarsest draft to the finest."""
CELLS = RARE
"""Share of the cells of the keys that may be blanked: as many as records left out in the same share would take."""
LARGE = 30_000
"""Records up to which the search itself decides where cells are counted too roughly to tell."""
ROUGH = 1.5
"""The search blanks at most so many times the cells that were counted roughly, and at least as few times."""
PAIRS = 1 << 29
"""Pairs of class and gaps that blanking single cells may keep in memory: two gigabytes."""
SEARCHED, SECONDS = 1_000_000, 3.0
"""Keys of classes up to which the least loss is searched for, and seconds of computing that it may take."""
SEED = bytes(32)
"""The draft only counts cells; which records lose them is drawn in the run, with its own key."""


@dataclass(frozen=True)
class Coarsening:
    """What is done to the keys."""

    levels: tuple[int, ...]
    blanking: dict[str, Any]
    """The step that blanks what is still rare."""


def coarsening(data: Dataset, classes: Classes, k: int) -> Coarsening:
    """The finest levels of the keys of some classes at which blanking single cells takes no more than a small share.

    Blanking one cell of a record often does what coarsening would do to all of them. Where single cells cannot be
    blanked (too many keys), or too many would have to be, levels are coarser, and rare records lose all their keys.

    >>> import pyarrow as pa
    >>> from schleier.core.classes.request import Request
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.schema import Column, Schema
    >>> age = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
    >>> schema = Schema(columns=[age], hierarchies={"age": {"intervals": [10, 20]}})
    >>> people = Dataset.from_frame(pa.table({"age": list(range(20, 40))}), schema)
    >>> coarsening(people, people.classes(Request(keys=("age",))), 5).levels
    (1,)
    """
    return _Trying(data, classes, k).found()


@dataclass(frozen=True)
class _Trying:
    data: Dataset
    classes: Classes
    k: int

    @property
    def keys(self) -> tuple[str, ...]:
        return self.classes.keys

    def found(self) -> Coarsening:
        tried = list(ways_for_each(self.classes, self.k, LEFT))[::-1]  # the coarsest first
        most = CELLS * self.data.rows * len(self.keys)
        # All below ``low`` are known to do, none from ``high`` on.
        low, high = 0, len(tried) if not any(self.step.problems(self.data.schema)) else 0
        while low < high:
            middle = (low + high) // 2
            if self._do(tried[middle].levels, most):
                low = middle + 1
            else:
                high = middle
        if low:
            # All keys there are by then: also what somebody judges to be one after the draft.
            return Coarsening(tried[low - 1].levels, piece("blank_cells", k=self.k))
        levels = max((tried[0].levels, *self._searched()), key=partial(told, self.classes))
        return Coarsening(levels, piece("blank_rare", columns=list(self.keys), min_count=self.k))

    def _searched(self) -> Iterator[tuple[int, ...]]:
        """Levels that a search for the least loss finds, where it looks at enough of them in its time."""
        if self.classes.members is not None or len(self.classes) * len(self.keys) > SEARCHED:
            return
        asked = [made("records_alike", k=self.k, keys=[self.keys])]
        search = made(
            "least_coarse", columns=self.keys, criteria=asked, max_suppressed=CELLS, time_limit=SECONDS, heuristic=True
        )
        with suppress(InfeasibleError):
            levels = search.fit(self.data, Run(SEED)).levels
            yield tuple(levels[name] for name in self.keys)

    @property
    def step(self) -> Any:
        """What blanks single cells."""
        return made("blank_cells", k=self.k)

    def _do(self, levels: Sequence[int], most: float) -> bool:
        """Whether blanking takes few enough cells: counted roughly, and searched for where that leaves it open."""
        from schleier.kernels.suppression.placed import placed_cells

        at = self.classes.at(levels)
        if len(at.sizes) << len(self.keys) > PAIRS:
            return False
        held = (None, None) if at.members is None else (at.members.classes, at.members.units)
        large = self.data.rows > LARGE
        limit = most if large else ROUGH * most
        rough = placed_cells(at.codes, at.sizes, [len(values) for values in at.values], self.k, limit, *held)
        if large or not most / ROUGH < rough <= limit:
            return rough <= most
        return self._cells(levels) <= most

    def _cells(self, levels: Sequence[int]) -> float:
        """How many cells are blanked after coarsening; no number is small enough where it cannot be done."""
        run, data = Run(SEED), self.data
        for name, level in zip(self.keys, levels, strict=True):
            if level:
                data = made("coarser_values", column=name, level=level).apply(data, run)
        try:
            return float(sum(self.step.fit(data, run).cells.values()))
        except InfeasibleError:
            return math.inf
