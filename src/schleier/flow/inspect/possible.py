"""What becomes of the risk if columns that nobody has judged are known to outsiders after all."""

from __future__ import annotations

from collections.abc import Sequence

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.record import Frozen

MOST, CELLS = 62, 30_000_000
"""So many columns, and cells of them, are compared at once; every further column would only make it worse."""


class PossibleKeys(Frozen):
    """The classes with the columns that nobody has judged among the keys, and without them."""

    columns: tuple[str, ...]
    """Columns that nobody has judged, as far as they were counted among the keys."""
    k_with: int
    """Records in the smallest class when an outsider knows them too."""
    k_without: int
    """Records in the smallest class when nobody does; all records where no other column is a key."""
    unique_with: int
    """Records that are unique when an outsider knows them too."""
    unique_without: int
    """Records that are unique when nobody does."""


def possible_keys(data: Dataset) -> PossibleKeys | None:
    """Both readings; nothing when everything was judged."""
    import narwhals as nw

    schema, types = data.schema, data.frame.collect_schema()
    listed = [name for name in schema.undecided if isinstance(types[name], nw.List)]
    most = max(min(MOST, CELLS // max(data.rows, 1)) - len(schema.quasi), 1)
    columns = [name for name in schema.undecided if name not in listed][:most]
    if not columns:
        return None
    k_with, unique_with = _classes(data, (*schema.quasi, *columns))
    k_without, unique_without = _classes(data, schema.quasi) if schema.quasi else (data.rows, 0)
    return PossibleKeys(
        columns=tuple(columns),
        k_with=k_with,
        k_without=k_without,
        unique_with=unique_with,
        unique_without=unique_without,
    )


def _classes(data: Dataset, keys: Sequence[str]) -> tuple[int, int]:
    """The smallest class, and the records that are alone."""
    sizes = data.classes(Request(keys=tuple(keys))).sizes
    return int(sizes.min()), int((sizes == 1).sum())
