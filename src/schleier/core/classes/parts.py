"""The rows behind a class table as an engine hands them over: grouped, or one by one where they are few."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes.histogram import joint
from schleier.core.classes.request import Request
from schleier.core.units import distinct

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.data import Dataset

WEIGHT_UNIT, SQUARE_UNIT = 1e6, 1e3
"""Weights are summed as millionths, their squares as thousandths: whole numbers add up to the same total in any
order, and 64 bits hold the squares of weights up to 100,000 for ten billion persons."""
LARGE_WEIGHT = 5e7
"""Squares of larger weights would not fit one by one, so they count as this: no record stands for so many persons."""
FEW, CELLS = 2_000_000, 40_000_000
"""Rows, and cells of them, that may be brought into memory one by one."""
LOOK = 1 << 14
"""Rows that are looked at to tell whether rows differ; so few are never worth grouping."""
ROOM = 2**62
"""Sums of whole numbers that have room in 64 bits."""


@dataclass(frozen=True)
class Parts:
    """Rows or groups of rows. One table may serve for all."""

    table: pa.Table = field(repr=False)
    """The keys and ``_n_`` rows of each, with ``_w_``, ``_ww_`` and ``_u_`` where asked for."""
    spread: Mapping[str, tuple[pa.Table, tuple[str, ...]]] = field(repr=False)
    """For each histogram groups of the keys and its columns (and others, perhaps), and which its columns are."""
    members: pa.Table | None = field(repr=False)
    """Groups of the keys and the units ``_unit_``, missing where rows have none."""


def parts_of(data: Dataset, request: Request) -> Parts:
    """What the class table of a request is made of.

    Grouping rows that differ costs an engine more than handing them over. Where they are many, or on several machines,
    groups are what fits into memory.
    """
    columns: dict[str, tuple[str, ...]] = {name: (name,) for name in request.sensitive}
    columns |= {joint(names): names for names in request.joint}
    names = tuple(dict.fromkeys((*request.keys, *(name for each in columns.values() for name in each))))
    told_apart = (*names, request.units) if request.units and request.members else names
    one_by_one = _rows(data, request, columns, names) if request.keys and _differ(data, told_apart) else None
    return one_by_one or _groups(data, request, columns)


def _differ(data: Dataset, names: tuple[str, ...]) -> bool:
    """Whether rows may be brought into memory, and most of them differ in some columns: the first of them tell."""
    import narwhals as nw

    if data.engine.distributed:
        return False
    first = replace(data, frame=data.frame.head(LOOK)).grouped(list(dict.fromkeys(names)), {"_n_": nw.len()})
    looked = int(first.column("_n_").to_numpy().sum())
    if looked == LOOK and len(first) <= 3 * LOOK // 4:
        return False  # to count rows that steps have not yet been made for is work for nothing
    rows = looked if looked < LOOK else data.rows
    return rows <= FEW and rows * len(names) <= CELLS


def _rows(
    data: Dataset, request: Request, columns: Mapping[str, tuple[str, ...]], names: tuple[str, ...]
) -> Parts | None:
    """The rows one by one; nothing where their weights could not be added up."""
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    weights = {} if request.weight is None else _weighed(request.weight)
    whose = {} if request.units is None else {"_unit_": nw.col(request.units)}
    table = data.selected(names, weights | whose)
    for name in weights:
        if (pc.sum(table.column(name).cast(pa.float64(), safe=False)).as_py() or 0.0) >= ROOM:
            return None
    table = table.append_column("_n_", pa.array(np.ones(len(table), dtype=np.int64)))
    return Parts(table, {name: (table, each) for name, each in columns.items()}, table if request.units else None)


def _groups(data: Dataset, request: Request, columns: Mapping[str, tuple[str, ...]]) -> Parts:
    """The rows grouped by the engine."""
    import narwhals as nw

    keys = list(request.keys)
    sums: dict[str, nw.Expr] = {"_n_": nw.len()}
    if request.weight is not None:
        sums |= {name: amount.sum() for name, amount in _weighed(request.weight).items()}
    if request.units is not None:
        sums["_u_"] = distinct(nw.col(request.units))
    members = None
    if request.units and request.members:  # the combinations of keys and unit that occur
        members = data.mutate(_unit_=nw.col(request.units)).grouped([*keys, "_unit_"], {"_n_": nw.len()})
    # The groups of a histogram tell the sizes too, those of the units both sizes and units: one pass less.
    first = next(iter(columns.values())) if columns and len(sums) == 1 else ()
    plain = members is not None and request.weight is None
    table = members if plain else data.grouped([*keys, *first], sums)
    return Parts(table, _spread(data, keys, columns, {first: table} if first else {}, table), members)


def _spread(
    data: Dataset,
    keys: list[str],
    columns: Mapping[str, tuple[str, ...]],
    known: dict[tuple[str, ...], pa.Table],
    classes: pa.Table,
) -> dict[str, tuple[pa.Table, tuple[str, ...]]]:
    """Rows grouped by the keys and each of some columns, and which columns these are; some groups are known.

    Groups of all columns together are at most as many as rows, and serve every column. Where there are many already
    (of classes, or of the columns before), those of each column by itself would be more.
    """
    import narwhals as nw

    count, rows = {"_n_": nw.len()}, int(classes.column("_n_").to_numpy().sum())
    rest, many = [each for each in columns.values() if each not in known], len(classes)
    while rest:
        part = rest[: len(rest) if len(rest) * many > rows else 1]
        groups = data.grouped([*keys, *dict.fromkeys(name for each in part for name in each)], count)
        known |= dict.fromkeys(part, groups)
        rest, many = rest[len(part) :], max(many, len(groups))
    return {name: (known[each], each) for name, each in columns.items()}


def _weighed(weight: str) -> dict[str, Any]:
    """A weight and its square as whole numbers."""
    import narwhals as nw

    exact = (nw.col(weight) * WEIGHT_UNIT).round(0).cast(nw.Int64)
    bounded = nw.when(nw.col(weight) > LARGE_WEIGHT).then(nw.lit(LARGE_WEIGHT)).otherwise(nw.col(weight))
    return {"_w_": exact, "_ww_": (bounded * bounded * SQUARE_UNIT).round(0).cast(nw.Int64)}
