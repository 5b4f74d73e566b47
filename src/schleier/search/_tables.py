"""Classes, hierarchies and a loss as the arrays a walk through the lattice needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.core.cell_loss import CellLoss
from schleier.core.classes.table import Classes, coarse_labels, sorted_codes
from schleier.core.errors import DataError, InfeasibleError, Problem, stop
from schleier.core.hierarchy import Hierarchy
from schleier.core.loss import Loss

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.kernels.search.lattice import Lattice

BITS = 62
"""All keys of a class fit in one number of so many bits."""


@dataclass(frozen=True)
class Key:
    """One key at all of its levels: what each code becomes at the next level, and what a record then costs."""

    maps: list[NDArray[np.int64]]
    """Code at each level, from the code at the level below; 0 is missing."""
    costs: list[NDArray[np.float64]]
    """Cost of a record by its code at each level."""
    codes: list[NDArray[np.int64]]
    """Code at each level, from the code at level 0."""

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.maps) - 1

    @property
    def is_all(self) -> bool:
        """Whether its highest level tells nothing: only a key without hierarchy always tells something."""
        return self.top > 0


def keys_of_table(classes: Classes, loss: Loss, counted: Sequence[str]) -> list[Key]:
    """The keys of a table, in its order; one without hierarchy has one level, one that is not counted costs nothing."""
    import numpy as np

    cells = (
        loss if isinstance(loss, CellLoss) and loss.additive else None
    )  # other losses are known of whole tables only
    keys = []
    for j, name in enumerate(classes.keys):
        sizes = np.bincount(classes.codes[:, j] + 1, weights=classes.sizes, minlength=len(classes.values[j]) + 1)
        own = cells if name in counted else None
        keys.append(_key(classes.hierarchies[j], classes.values[j], sizes[1:].astype(np.int64), own, name))
    return keys


def lattice_of(
    classes: Classes, keys: Sequence[Key], worst: float, sensitive: str | None, *, gaps: bool = True
) -> tuple[Lattice, list[int]]:
    """The arrays of a walk, and the order of its keys: those that tell least come first, their tables are small.

    With a sensitive column every class is split by its values; ``gaps`` says whether missing is one of them.
    """
    import numpy as np

    from schleier.kernels.search.lattice import Lattice

    order = sorted(range(len(keys)), key=lambda j: (_entropy(classes, j), j))
    widths = [max(len(keys[j].maps[0]) - 1, 1).bit_length() for j in order]
    spread = classes.histograms[sensitive] if sensitive else None
    values = len(spread.totals) if spread else 1
    if sum(widths) + values.bit_length() > BITS:
        message = f"the {len(keys)} keys have too many different values to be searched together"
        hint = 'coarsen the one with most values first (method = "recode"), or search fewer columns'
        stop(InfeasibleError, "too-wide", "columns", message, hint)
    shifts = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int64)
    tops = np.array([keys[j].top for j in order], dtype=np.int64)
    shape = len(order), int(tops.max()) + 1, max(len(m) for j in order for m in keys[j].maps)
    maps, costs, base = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape[:2])
    packed = np.zeros(len(classes), dtype=np.int64)
    for place, j in enumerate(order):
        own = classes.codes[:, j].astype(np.int64) + 1
        packed |= own << shifts[place]
        for level, (step, cost) in enumerate(zip(keys[j].maps, keys[j].costs, strict=True)):
            maps[place, level, : len(step)] = step
            costs[place, level, : len(cost)] = cost
            base[place, level] = float((cost[keys[j].codes[level][own]] * classes.sizes).sum())
    masks = (np.int64(1) << np.array(widths, dtype=np.int64)) - 1
    plain = Lattice(packed, classes.sizes, shifts, masks, tops, maps, costs, base, worst)
    if spread is None:
        return plain, order
    shift = sum(widths)
    split = packed[spread.classes] | ((spread.codes.astype(np.int64) % values) << shift)  # no value is the last one
    totals = spread.totals if gaps else spread.without_gaps().totals
    shares = totals / max(int(totals.sum()), 1)
    return plain._replace(codes=split, sizes=spread.counts, value_shift=shift, reference=shares), order


def _key(
    hierarchy: Hierarchy | None, values: pa.Array, sizes: NDArray[np.int64], loss: CellLoss | None, name: str
) -> Key:
    import numpy as np

    now = np.arange(len(values) + 1)
    maps, costs, codes = [now], [np.zeros(len(values) + 1)], [now]
    if hierarchy is None:
        return Key(maps, costs, codes)
    if hierarchy.outside == "error" and not (known := hierarchy.covers(values)).all():
        message = f"{int((~known).sum())} values of column '{name}' are not covered by its hierarchy"
        hint = 'add them to the hierarchy, or set outside = "root" there'
        raise DataError(Problem("outside-hierarchy", name, message, hint))
    for level in range(1, hierarchy.depth + 1):
        if level == hierarchy.depth:  # everything joins the root, also what is missing
            after = np.zeros(len(values) + 1, dtype=np.int64)
        else:
            groups = sorted_codes(coarse_labels(hierarchy, level, values, name))[1].astype(np.int64)
            after = np.concatenate([[0], groups + 1])
        step, cost = np.zeros(int(now.max()) + 1, np.int64), np.zeros(int(after.max()) + 1)
        step[now] = after
        if loss is not None:
            cost[after] = loss.weight(name) * loss.cells(hierarchy, values, sizes, level)
        maps.append(step)
        costs.append(cost)
        codes.append(after)
        now = after
    return Key(maps, costs, codes)


def _entropy(classes: Classes, j: int) -> float:
    import numpy as np

    counts = np.bincount(classes.codes[:, j] + 1, weights=classes.sizes)
    shares = counts[counts > 0] / max(classes.records, 1)
    return float(-(shares * np.log(shares)).sum())
