"""Items of both sides as arrays: what targets are known to have, and what units of the release may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schleier.core.classes.table import sorted_codes
from schleier.core.hierarchy.contract import ROOT
from schleier.core.trust.possible import may_hold
from schleier.core.trust.sides import Numbers, Words, sides_of
from schleier.core.trust.together import SOUGHT, WHOLE
from schleier.core.trust.trustee import ALIAS, TARGET

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.hierarchy import Hierarchy
    from schleier.core.schema import Scale
    from schleier.kernels.linkage.baskets import Basket, Likeness, Meeting

    Floats = NDArray[np.float64]

MONTH = 30.0
"""Days of which a difference leaves an agreement 1/e of its worth where nothing else is said (K-006)."""
AT_ONCE = 1_000
"""Labels that are compared with all values together."""


@dataclass(frozen=True)
class Baskets:
    """Both sides, and which cells may be which items."""

    known: Basket
    released: Basket
    meeting: Meeting
    like: Likeness
    sought: pa.Array = field(repr=False)
    wholes: pa.Array = field(repr=False)
    """Aliases of targets and of units of the release, by their places."""


def baskets_of(
    released: Dataset,
    known: Dataset,
    columns: tuple[str, ...],
    off: Mapping[str, float],
    near: Mapping[str, float],
    wrong: int,
    rng: np.random.Generator,
) -> Baskets:
    """Both files in memory, the first column being the item; what is known becomes as rough as it is said to be."""
    import numpy as np

    from schleier.kernels.linkage.baskets import Basket, Likeness, holders_of, weighed

    item, further = columns[0], columns[1:]
    mine = known.engine.arrays(known.frame.select(TARGET, SOUGHT, item)).sort_by(TARGET)
    theirs = released.engine.arrays(released.frame.select(ALIAS, WHOLE, item)).sort_by(ALIAS)
    sides = sides_of(released, known, further)
    (sought, whose), (wholes, unit) = sorted_codes(mine[SOUGHT]), sorted_codes(theirs[WHOLE])
    values, wanted = sorted_codes(mine[item])
    labels, cells = sorted_codes(theirs[item])
    name = known.schema[item].hierarchy
    value, label = meetings(labels, values, known.schema.hierarchies.get(name) if name else None)
    width, many = (
        np.bincount(label, minlength=len(labels)),
        holders_of(unit.astype(np.int64), cells.astype(np.int64), len(labels)),
    )
    numbers = [n for n in further if isinstance(sides.columns[n], Numbers)]
    words = [column for column in sides.columns.values() if isinstance(column, Words)]
    spans = [_spans(sides.columns[n], off.get(n, 0.0), known.schema[n].scale, rng) for n in numbers]
    sizes = len(mine), len(theirs)
    ends = [np.array([s[i] for s in spans]).reshape(len(spans), sizes[i // 2]) for i in range(4)]
    tables = [_agreeing(column) for column in words]
    codes = [
        np.array([t[i] for t in tables], dtype=np.int64).reshape(len(tables), size) for i, size in enumerate(sizes)
    ]
    place = np.argsort(whose, kind="stable")
    source = spoilt(whose, wrong, rng)[place]
    scales = [near.get(n) or usual(sides.columns[n], known.schema[n].scale) for n in numbers]
    return Baskets(
        Basket(
            whose[place].astype(np.int64),
            wanted[source].astype(np.int64),
            ends[0][:, source],
            ends[1][:, source],
            codes[0][:, source],
        ),
        Basket(unit.astype(np.int64), cells.astype(np.int64), ends[2], ends[3], codes[1]),
        weighed(value, label, width, many),
        Likeness(np.array(scales, dtype=np.float64), [one[2] for one in tables]),
        sought,
        wholes,
    )


def meetings(
    labels: pa.Array, values: pa.Array, hierarchy: Hierarchy | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of a value and a label that may stand for it; labels that may be anything tell nothing and have none."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    place, told = np.arange(len(labels)), np.ones(len(labels), dtype=np.bool_)
    value, label = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if hierarchy is None and labels.type == values.type:  # most labels are values as they are
        same = pc.index_in(values, value_set=labels)
        value = np.flatnonzero(same.is_valid().to_numpy(zero_copy_only=False))
        label = same.drop_null().to_numpy(zero_copy_only=False).astype(np.int64)
        plain = pa.types.is_integer(labels.type) or pa.types.is_date(labels.type)
        told[label] = False
        told &= not plain
    rest = place[told]
    parts = [(value, label)]
    for start in range(0, len(rest) if len(values) else 0, AT_ONCE):
        some = rest[start : start + AT_ONCE]
        chosen = labels.take(pa.array(some))
        meets = may_hold(chosen, values, hierarchy)
        meets[np.array([one == ROOT for one in chosen.to_pylist()], dtype=np.bool_)] = False
        which, what = np.nonzero(meets)
        parts.append((what.astype(np.int64), some[which]))
    return np.concatenate([one for one, _ in parts]), np.concatenate([one for _, one in parts])


def spoilt(whose: NDArray[np.int32] | NDArray[np.int64], wrong: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """For each known record the one it is taken from: its own, or for the first few of a target any other one."""
    import numpy as np

    own = np.arange(len(whose))
    order = np.argsort(whose, kind="stable")
    first = np.searchsorted(whose[order], np.arange(int(whose.max(initial=-1)) + 1))
    rank = np.empty(len(whose), dtype=np.int64)
    rank[order] = own - first[whose[order]]
    return np.where(rank < wrong, rng.integers(max(len(whose), 1), size=len(whose)), own)


def _spans(column: Words | Numbers, off: float, scale: Scale, rng: np.random.Generator) -> tuple[Floats, ...]:
    """What is known of a column, moved by as much as it may be off, and what is released: both as intervals."""
    import numpy as np

    assert isinstance(column, Numbers)
    moved = rng.uniform(-off, off, len(column.known)) if off else np.zeros(len(column.known))
    if scale in ("discrete", "time"):
        moved = np.rint(moved)
    return column.known + moved, column.upto + moved, column.low, column.high


def _agreeing(column: Words) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Codes of both sides with gaps as the last one, and which agree; what may be anything agrees with nothing."""
    import numpy as np

    meets = column.meets.copy()
    meets[-1, :] = meets[:, -1] = False
    if meets.shape[1] > 2:
        meets[meets[:, :-1].all(axis=1)] = False
    gaps = meets.shape[1] - 1, meets.shape[0] - 1
    known, cells = (np.where(c < 0, gap, c) for c, gap in zip((column.known, column.cells), gaps, strict=True))
    return known.astype(np.int64), cells.astype(np.int64), np.ascontiguousarray(meets.T)


def usual(column: Words | Numbers, scale: Scale) -> float:
    """How far apart numbers may be and still be alike."""
    import numpy as np

    assert isinstance(column, Numbers)
    if scale == "time":
        return MONTH
    middles = column.middles()[1]
    held = middles[np.isfinite(middles)]
    return (float(held.std()) or 1.0) if len(held) else 1.0
