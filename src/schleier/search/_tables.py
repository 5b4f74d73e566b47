"""Classes, hierarchies and a loss as the arrays a walk through the lattice needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schleier.core.cell_loss import FALL, CellLoss
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
RANKED = 3
"""Losses become one cost by rank; the walk does not know how, see ``lattice_of``."""
EQUAL = 1e-12
"""Values behind one label that differ by no more than this part lose the same."""


@dataclass(frozen=True)
class Key:
    """One key at all of its levels: what each code becomes at the next level, and what a record then costs."""

    maps: list[NDArray[np.int64]]
    """Code at each level, from the code at the level below; 0 is missing."""
    costs: list[NDArray[np.float64]]
    """Cost of a record by its code at each level."""
    codes: list[NDArray[np.int64]]
    """Code at each level, from the code at level 0."""
    losses: list[float] | None = None
    """What the key has lost at each level when nothing is suppressed; nothing where codes do not tell."""
    extras: list[NDArray[np.float64]] = field(default_factory=list)
    """What one suppressed record adds to that, by its code at each level."""
    least: float = 0.0
    """The least that one adds before the level is known."""

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

    cells = loss if isinstance(loss, CellLoss) else None  # other losses are known of whole tables only
    keys = []
    for j, name in enumerate(classes.keys):
        hierarchy, values, own = classes.hierarchies[j], classes.values[j], cells if name in counted else None
        sizes = np.bincount(classes.codes[:, j] + 1, weights=classes.sizes, minlength=len(values) + 1).astype(np.int64)
        key = _key(hierarchy, values, sizes[1:], own if own is not None and own.additive else None, name)
        keys.append(key if own is None else _with_losses(key, own, hierarchy, values, sizes))
    return keys


def _with_losses(
    key: Key, loss: CellLoss, hierarchy: Hierarchy | None, values: pa.Array, sizes: NDArray[np.int64]
) -> Key:
    """The key with its losses, where values behind one label lose the same by being suppressed."""
    import numpy as np

    losses, extras = [], []
    for level, codes in enumerate(key.codes):
        lost, more = loss.at_level(hierarchy, values, sizes, level)
        extra = np.zeros(int(codes.max()) + 1)
        extra[codes[sizes > 0]] = more[sizes > 0]
        if (np.abs(extra[codes] - more)[sizes > 0] > EQUAL * more.max(initial=0.0)).any():
            return key
        losses.append(lost)
        extras.append(extra)
    least = float(extras[0][sizes > 0].min(initial=np.inf)) if (sizes > 0).any() else 0.0
    return replace(key, losses=losses, extras=extras, least=least)


def joined_losses(loss: Loss, counted: Sequence[str], keys: Sequence[str]) -> tuple[NDArray[np.float64], int]:
    """The weight of each key in the cost, and how the losses of the keys become one."""
    import numpy as np

    from schleier.kernels.search.lattice import LARGEST, LOGARITHMS, SUM

    joins = {"max": LARGEST, "geometric": LOGARITHMS, "rank": RANKED}
    weights = np.array([loss.weight(name) if name in counted else 0.0 for name in keys])
    how = loss.aggregate if isinstance(loss, CellLoss) else "mean"
    whole = float(weights.max(initial=0.0) if how in ("max", "rank") else weights.sum()) or 1.0
    return weights / whole, joins.get(how, SUM)


def joined_costs(losses: NDArray[np.float64], weights: NDArray[np.float64], join: int) -> NDArray[np.float64]:
    """The losses of the keys as one cost, of one node or of many."""
    import numpy as np

    from schleier.kernels.search.lattice import LARGEST, LOGARITHMS

    if join == LARGEST:
        return np.asarray((losses * weights).max(axis=-1, initial=0.0))
    if join == RANKED:
        return np.asarray(-np.sort(-(losses * weights)[..., weights > 0], axis=-1) @ shares_by_rank(weights))
    return np.asarray(np.expm1(np.log1p(losses) @ weights) if join == LOGARITHMS else losses @ weights)


def shares_by_rank(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a cost by rank is the largest loss, the next one, and so on."""
    import numpy as np

    found = FALL ** np.arange(int((weights > 0).sum()))
    return np.asarray(found / found.sum())


def lattice_of(
    classes: Classes, keys: Sequence[Key], weights: NDArray[np.float64], join: int, sensitive: str | None, *, tree: bool
) -> tuple[Lattice, list[int]]:
    """The arrays of a walk, and the order of its keys: those that tell least come first, their tables are small.

    With a sensitive column every class is split by its values; ``tree`` says whether their hierarchy is wanted.
    """
    import numpy as np

    from schleier.kernels.search.lattice import LARGEST, Lattice

    if join == RANKED:  # a walk knows the largest loss, and no cost by rank is less than what that counts
        weights, join = weights * shares_by_rank(weights).max(initial=0.0), LARGEST
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
    maps, extras, base, least = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape[:2]), np.zeros(len(order))
    packed = np.zeros(len(classes), dtype=np.int64)
    for place, j in enumerate(order):
        packed |= (classes.codes[:, j].astype(np.int64) + 1) << shifts[place]
        least[place] = keys[j].least
        for level, step in enumerate(keys[j].maps):
            maps[place, level, : len(step)] = step
        for level, (lost, extra) in enumerate(zip(keys[j].losses or [], keys[j].extras, strict=True)):
            extras[place, level, : len(extra)] = extra
            base[place, level] = lost
    masks = (np.int64(1) << np.array(widths, dtype=np.int64)) - 1
    own = weights[order]
    plain = Lattice(packed, classes.sizes, shifts, masks, tops, maps, base, extras, least, own, join)
    if spread is None:
        return plain, order
    shift = sum(widths)
    split = packed[spread.classes] | ((spread.codes.astype(np.int64) % values) << shift)  # no value is the last one
    found = plain._replace(codes=split, sizes=spread.counts, value_shift=shift, totals=spread.totals)
    labels = spread.levels() if tree else []
    return found._replace(tree=np.stack(labels)) if labels else found, order


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
