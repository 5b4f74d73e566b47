"""Levels of their own for the records that one choice for all would suppress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes.table import Classes, sorted_codes
from schleier.core.packing import packed
from schleier.search._judge import Node
from schleier.search._shown import blanked, holds_alone

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.search._optimum import Search

MOST = 20
"""Parts with levels of their own."""


@dataclass(frozen=True)
class Part:
    """Some classes of the table, and the node whose levels they get."""

    node: Node
    inside: NDArray[np.int64]
    """Classes that were looked at."""
    stay: NDArray[np.int64]
    """Classes that get these levels; the others are left to the next part."""


@dataclass(frozen=True)
class LocalPlan:
    """Parts one after the other; what the last one does not take is suppressed."""

    parts: tuple[Part, ...]
    cost: float
    suppressed: int


def local_plan(search: Search) -> LocalPlan | None:
    """The cheaper of two ways that holds as a whole: from the best choice within the budget, or free of it at first."""
    plans = [plan for free in (False, True) if (plan := _plan(search, free=free)) is not None]
    return min(plans, key=lambda plan: plan.cost, default=None)


def learned_levels(keys: Sequence[str], plan: LocalPlan) -> dict[str, Any]:
    """What a step learns from a plan."""
    sets = [dict(zip(keys, part.node.levels, strict=True)) for part in plan.parts]
    kept = tuple(packed(part.node.released.combinations()) for part in plan.parts)
    return {"levels": sets[0], "further": tuple(sets[1:]), "kept": kept, "suppressed_records": plan.suppressed}


def _plan(search: Search, *, free: bool) -> LocalPlan | None:
    parts = _parts(search, free=free)
    while parts:
        plan = _weighed(search, parts)
        if plan.suppressed <= search.budget and _holds(search, plan):
            return plan
        # Too many are left, or they make the whole fail: the last part must take more of them, or not be made at all.
        last = _best(search, parts[-1].inside, search.budget if plan.suppressed > search.budget else 0)
        parts = [*parts[:-1], last] if last is not None and len(last.stay) > len(parts[-1].stay) else parts[:-1]
    return None


def _parts(search: Search, *, free: bool) -> list[Part]:
    import numpy as np

    parts: list[Part] = []
    rest = np.arange(len(search.classes))
    while len(rest) and len(parts) < MOST:
        budget = search.budget if not parts and not free else search.classes.records
        part = _best(search, rest, budget)
        if part is None:
            break
        parts.append(part)
        rest = np.setdiff1d(rest, part.stay)
    return parts


def _best(search: Search, inside: NDArray[np.int64], budget: int) -> Part | None:
    """The best levels for some classes, of which so many records may be left to others."""
    import numpy as np

    chosen = np.zeros(len(search.classes), dtype=np.bool_)
    chosen[inside] = True
    classes = search.classes.only(chosen)
    part = replace(search, classes=classes, budget=min(budget, classes.records - 1), partial=True, blank=False)
    node = part.best()
    return None if node is None else Part(node, inside, inside[~node.bad[node.place]])


def _weighed(search: Search, parts: Sequence[Part]) -> LocalPlan:
    """What the parts cost together; a part's cost is a share of its own records."""
    records = search.classes.records
    sizes = search.classes.sizes
    kept = sum(part.node.cost * int(sizes[part.inside].sum()) - part.node.suppressed for part in parts)
    suppressed = parts[-1].node.suppressed
    return LocalPlan(tuple(parts), (kept + suppressed) / max(records, 1), suppressed)


def _holds(search: Search, plan: LocalPlan) -> bool:
    """Whether all parts together hold: equal labels of two parts make one class."""
    import numpy as np

    coded = [sorted_codes(column) for column in class_labels(search.classes, plan.parts)]
    codes = np.stack([own for _, own in coded], axis=1)
    values, none = tuple(values for values, _ in coded), (None,) * len(coded)
    table = replace(search.classes, values=values, codes=codes, hierarchies=none)
    gone = np.ones(len(search.classes), dtype=np.bool_)
    for part in plan.parts:
        gone[part.stay] = False
    left = blanked(table, gone) if search.blank else table.only(~gone).at((0,) * len(coded))
    holds = all(demand.met(left) for demand in search.demands)
    return holds and (search.blank or not gone.any() or holds_alone(search.demands, left))


def class_labels(classes: Classes, parts: Sequence[Part]) -> list[pa.Array]:
    """The label that each class gets, key by key; nothing for those that no part takes."""
    import numpy as np
    import pyarrow as pa

    columns = []
    for j in range(len(classes.keys)):
        held = np.full(len(classes), None, dtype=object)
        for part in parts:
            table = part.node.table
            spots = part.node.place[np.isin(part.inside, part.stay)]
            codes = table.codes[spots, j]
            labels = table.values[j].take(pa.array(codes, mask=codes < 0)).cast(pa.string())
            held[part.stay] = labels.to_numpy(zero_copy_only=False)
        columns.append(pa.array(held, pa.string()))
    return columns
