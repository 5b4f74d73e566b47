"""Gaps beyond those that make records common: until no class fails a criterion on sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.core.errors import InfeasibleError, Problem
from schleier.search._goals import Demand

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MISSING = -1
TRIES = 50
"""Classes that are tried one by one."""


def further_gaps(classes: Classes, demands: Sequence[Demand], costs: Sequence[float]) -> NDArray[np.int64]:
    """The columns that each class loses, one bit each, so that no class fails.

    A class that fails loses the cell that makes it part of a good one, the cheapest such cell; where none does, the one
    that brings most records together for its price. Whole classes move, so others never shrink. Records without any
    cells left that still fail are joined by a small class that helps them; when there is none left, nothing can help.
    """
    import numpy as np

    codes = classes.codes.copy()
    while True:
        table, place = _at(classes, codes)
        bad = _failing(table, demands)
        if not bad.any():
            lost = (codes != classes.codes) @ (1 << np.arange(codes.shape[1], dtype=np.int64))
            return np.asarray(lost, dtype=np.int64)
        if (table.codes[bad] == MISSING).all() and len(table) > 1:
            codes[place == _helper(table, demands)] = MISSING
            continue
        if (table.codes[bad] == MISSING).all():
            worst = [demand.criterion.word() for demand in demands if _failing(table, [demand]).any()]
            message = f"whatever is blanked, what is left breaks: {', '.join(worst)}"
            hint = "lower the demand, or leave out what is special before"
            raise InfeasibleError(Problem("unreachable", "criteria", message, hint))
        column = _best_columns(table, bad, demands, costs)
        own = column[place]
        codes[np.flatnonzero(own >= 0), own[own >= 0]] = MISSING


def _helper(table: Classes, demands: Sequence[Demand]) -> int:
    """The smallest class that makes a good one of the records without cells; the smallest of all when none does."""
    import numpy as np

    filled = np.flatnonzero((table.codes != MISSING).any(axis=1))
    order = filled[np.argsort(table.sizes[filled], kind="stable")]
    for one in order[:TRIES]:
        codes = table.codes.copy()
        codes[one] = MISSING
        there, place = _at(table, codes)
        if not _failing(there, demands)[place[one]]:
            return int(one)
    return int(order[0])


def _at(classes: Classes, codes: NDArray[np.int32]) -> tuple[Classes, NDArray[np.int64]]:
    none = (None,) * len(classes.keys)
    return replace(classes, codes=codes, hierarchies=none).rolled_up((0,) * len(classes.keys))


def _failing(table: Classes, demands: Sequence[Demand]) -> NDArray[np.bool_]:
    import numpy as np

    bad = np.zeros(len(table), dtype=np.bool_)
    for demand in demands:
        bad |= demand.bad(table)
    return bad


def _best_columns(
    table: Classes, bad: NDArray[np.bool_], demands: Sequence[Demand], costs: Sequence[float]
) -> NDArray[np.int64]:
    """The column that each failing class loses next, -1 for those that do not fail."""
    import numpy as np

    column, score = np.full(len(table), -1), np.full(len(table), -np.inf)
    plain = all(demand.is_plain(table.keys) for demand in demands)
    for j, cost in enumerate(costs):
        # No other class becomes like one that lost this cell, so what is judged by itself needs no other.
        met = bad | (table.codes[:, j] == MISSING) if plain else np.ones(len(table), dtype=np.bool_)
        near, moves = table.only(met), np.flatnonzero(bad)
        codes = near.codes.copy()
        codes[bad[met], j] = MISSING
        there, place = _at(near, codes)
        good, place = ~_failing(there, demands), place[bad[met]]
        # A good class at once, and cheaply; else as many records as possible for the price.
        worth = np.where(good, 2.0 - cost / (1.0 + sum(costs)), there.sizes / (1.0 + table.records) / cost)[place]
        better = (table.codes[moves, j] != MISSING) & (worth > score[moves])
        column[moves[better]], score[moves[better]] = j, worth[better]
    return column
