"""Items that are columns: one record for each person, with an entry where he has the item."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schleier.attacks._baskets import Baskets, meetings, spoilt, usual
from schleier.core.classes.table import sorted_codes
from schleier.core.hierarchy.contract import ROOT
from schleier.core.trust.sides import Numbers, sides_of
from schleier.core.trust.trustee import ALIAS, TARGET

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.hierarchy import Hierarchy
    from schleier.core.schema import Scale

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]
    Flags = NDArray[np.bool_]

ABSENT = ("0", "0.0", "false")
"""Words for what is not there; a gap is another, in columns that have none of these."""


@dataclass(frozen=True)
class Entries:
    """A column as entries: who is known to have which item, which cells may be it, and what these weigh."""

    targets: Whole = field(repr=False)
    items: Whole = field(repr=False)
    """Known entries: of which target, and which item of the column."""
    known: Floats = field(repr=False)
    """The number that is known, in scales; 0 where there is none."""
    records: Whole = field(repr=False)
    cells: Whole = field(repr=False)
    """Released entries: in which record, and which cell of the column."""
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    pairs: tuple[Whole, Whole] = field(repr=False)
    """Items, and the cells that may stand for them."""
    widths: Whole = field(repr=False)
    """How much each cell may be."""


def wide_baskets(
    released: Dataset,
    known: Dataset,
    columns: tuple[str, ...],
    hidden: Container[str],
    few: int,
    off: Mapping[str, float],
    near: Mapping[str, float],
    wrong: int,
    rng: np.random.Generator,
) -> Baskets:
    """Both files in memory, every column being an item; of each target ``few`` entries are known, drawn.

    A gap of the release may be anything in ``hidden`` columns, and in those that say "not there" by a zero; in others
    it says so itself.
    """
    import numpy as np

    from schleier.kernels.linkage.baskets import Basket, Likeness, weighed

    sides = sides_of(released, known, columns)
    texts = {name: side for name, side in sides.columns.items() if not isinstance(side, Numbers)}
    mine = known.engine.arrays(known.frame.select(TARGET, *texts)).sort_by(TARGET)
    theirs = released.engine.arrays(released.frame.select(ALIAS, *texts)).sort_by(ALIAS)
    parts = list[Entries]()
    for name in columns:
        side, own = sides.columns[name], known.schema[name]
        if isinstance(side, Numbers):
            scale = near.get(name) or usual(_there(side), own.scale)
            parts.append(
                _numbers(side, _moves(len(side.known), off.get(name, 0.0), own.scale, rng), scale, name in hidden)
            )
        else:
            tree = known.schema.hierarchies.get(own.hierarchy) if own.hierarchy else None
            parts.append(_words(mine[name], theirs[name], tree, name in hidden))
    item_starts = np.cumsum([0, *(int(one.pairs[0].max(initial=one.items.max(initial=-1))) + 1 for one in parts)])
    cell_starts = np.cumsum([0, *(len(one.widths) for one in parts)])
    whose, number = _joined(one.targets for one in parts), np.concatenate([one.known for one in parts])
    item = _joined(one.items + start for one, start in zip(parts, item_starts, strict=False))
    order = np.lexsort((rng.random(len(whose)), whose))
    rank = np.arange(len(order)) - np.searchsorted(whose[order], whose[order])
    order = order[rank < few]
    source = order[spoilt(whose[order], wrong, rng)]
    cell = _joined(one.cells + start for one, start in zip(parts, cell_starts, strict=False))
    wanted = _joined(one.pairs[0] + start for one, start in zip(parts, item_starts, strict=False))
    shown = _joined(one.pairs[1] + start for one, start in zip(parts, cell_starts, strict=False))
    holders = np.bincount(cell, minlength=int(cell_starts[-1])).astype(np.int64)
    low, high = (np.concatenate([getattr(one, end) for one in parts]).reshape(1, -1) for end in ("low", "high"))
    return Baskets(
        Basket(whose[order], item[source], number[source].reshape(1, -1), number[source].reshape(1, -1)),
        Basket(_joined(one.records for one in parts), cell, low, high),
        weighed(wanted, shown, _joined(one.widths for one in parts), holders),
        Likeness(np.ones(1)),
        sides.targets,
        sides.records,
    )


def _joined(parts: Iterator[Whole]) -> Whole:
    import numpy as np

    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)


def _moves(count: int, off: float, scale: Scale, rng: np.random.Generator) -> Floats:
    """By how much what is known is off."""
    import numpy as np

    moved = rng.uniform(-off, off, count) if off else np.zeros(count)
    return np.rint(moved) if scale in ("discrete", "time") else moved


def _there(side: Numbers) -> Numbers:
    """The released numbers of those who have the item."""
    some = ~((side.low == 0) & (side.high == 0))
    return Numbers(side.known, side.upto, side.low[some], side.high[some])


def _numbers(side: Numbers, moved: Floats, scale: float, hidden: bool) -> Entries:
    """One item, and two cells: there, and perhaps there."""
    import numpy as np

    held = np.isfinite(side.known) & (side.known != 0)
    zero = (side.low == 0) & (side.high == 0)
    gap, anything = np.isnan(side.low), np.isinf(side.low) & np.isinf(side.high)
    open_gap = gap & (hidden or bool(zero.any()) or bool((side.known == 0).any()))
    perhaps = open_gap | anything | ((side.low <= 0) & (side.high >= 0) & ~zero)
    records = np.flatnonzero(perhaps | ~(gap | zero))
    low, high = np.where(open_gap, -np.inf, side.low), np.where(open_gap, np.inf, side.high)
    both = np.arange(2)
    return Entries(
        targets=np.flatnonzero(held),
        items=np.zeros(int(held.sum()), dtype=np.int64),
        known=(side.known + moved)[held] / scale,
        records=records,
        cells=perhaps[records].astype(np.int64),
        low=low[records] / scale,
        high=high[records] / scale,
        pairs=(np.zeros_like(both), both),
        widths=both + 1,
    )


def _words(mine: pa.ChunkedArray, theirs: pa.ChunkedArray, hierarchy: Hierarchy | None, hidden: bool) -> Entries:
    """An item for each value, and a cell for each label and for what may be anything."""
    import numpy as np

    (values, known), (labels, shown) = sorted_codes(mine), sorted_codes(theirs)
    nothing, none = _absent(values), _absent(labels)
    value, label = meetings(labels, values, hierarchy)
    widths = np.append(np.maximum(np.bincount(label, minlength=len(labels)), 1), len(values) + 1)
    real = ~nothing[value]
    value, label = value[real], label[real]
    anything = np.array([one == ROOT for one in labels.to_pylist()], dtype=np.bool_)
    last, told = len(labels), np.append(~none, hidden or bool(nothing.any() or none.any()))
    cells = np.where(shown < 0, last, shown)
    records = np.flatnonzero(told[cells])
    cells = np.where(np.append(anything, True)[cells], last, cells)
    every = np.flatnonzero(~nothing)
    held = np.flatnonzero((known >= 0) & ~np.append(nothing, True)[known])
    size = np.zeros(len(records))
    return Entries(
        targets=held,
        items=known[held].astype(np.int64),
        known=np.zeros(len(held)),
        records=records,
        cells=cells[records].astype(np.int64),
        low=size,
        high=size,
        pairs=(np.append(value, every).astype(np.int64), np.append(label, np.full(len(every), last)).astype(np.int64)),
        widths=widths.astype(np.int64),
    )


def _absent(words: pa.Array) -> Flags:
    import numpy as np

    return np.array([str(one).strip().lower() in ABSENT for one in words.to_pylist()], dtype=np.bool_)
