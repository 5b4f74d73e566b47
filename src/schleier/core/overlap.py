"""Whether two files can be compared by a column at all: codes that never meet find nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from schleier.core.trust.possible import may_hold

if TYPE_CHECKING:
    from schleier.core.data import Dataset

MANY, AT_ONCE = 20_000, 1_000
"""Different values of a column up to which it is tried which cell may stand for which value, and cells at once."""


def counts(data: Dataset, name: str) -> Mapping[str | None, int]:
    """The different values of a column as text, with their records, in order."""
    import narwhals as nw

    groups = data.frame.select(_value_=nw.col(name).cast(nw.String)).group_by("_value_").agg(_n_=nw.len())
    table = data.engine.arrays(groups).sort_by("_value_")
    return dict(zip(table["_value_"].to_pylist(), table["_n_"].to_pylist(), strict=True))


def unlike(released: Dataset, known: Dataset, columns: Sequence[str]) -> Iterator[str]:
    """Columns of both files in which no cell of the release may stand for any known value.

    A cell may be an interval, a list or a node of a hierarchy. Numbers that were changed a little hardly ever meet: of
    these only the ranges must. A file without a single value in a column says nothing about its codes.
    """
    for name in columns:
        numbers = [data.frame.collect_schema()[name].is_numeric() for data in (released, known)]
        if all(numbers):
            if _apart(released, known, name):
                yield name
            continue
        here, there = (list(filter(None, counts(data, name))) for data in (released, known))
        if here and there and not set(here) & set(there) and not _meet(here, there, name, known):
            yield name


def _apart(released: Dataset, known: Dataset, name: str) -> bool:
    import narwhals as nw

    ends = {"low": nw.col(name).min(), "high": nw.col(name).max()}
    here, there = (data.totals(**ends) for data in (released, known))
    if here["low"] is None or there["low"] is None:
        return False
    return bool(here["high"] < there["low"] or there["high"] < here["low"])


def _meet(cells: Sequence[str], values: Sequence[str], name: str, known: Dataset) -> bool:
    import pyarrow as pa

    given = known.schema[name].hierarchy
    hierarchy = known.schema.hierarchies.get(given) if given else None
    if max(len(cells), len(values)) > MANY:  # nobody can tell in good time
        return True
    parts = (pa.array(cells[i : i + AT_ONCE]) for i in range(0, len(cells), AT_ONCE))
    return any(bool(may_hold(part, pa.array(values), hierarchy).any()) for part in parts)
