"""Columns of yes and no that exclude each other: together they say one thing, so they are of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from schleier.core.schema import Role

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

ROWS, FLAGS = 50_000, 400
"""Rows, and columns of yes and no, that are looked at."""
FEWEST = 3
"""So many columns make a group: two may exclude each other by chance."""
NEARLY_ALL = 0.8
"""Share of the known columns of yes and no that must be keys."""


def exclusive_groups(data: Dataset, flags: Sequence[str]) -> list[tuple[str, ...]]:
    """Neighbouring columns of which at most one is yes in every row, and some is in most rows.

    >>> import pyarrow as pa
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.schema import Column, Schema
    >>> rows = pa.table({"north": [1, 0, 0] * 9, "mid": [0, 1, 0] * 9, "south": [0, 0, 1] * 9, "ill": [0, 1, 1] * 9})
    >>> schema = Schema(columns=[Column(name=name, scale="nominal") for name in rows.column_names])
    >>> exclusive_groups(Dataset.from_frame(rows, schema), rows.column_names)
    [('north', 'mid', 'south')]
    """
    import numpy as np

    if not FEWEST <= len(flags) <= FLAGS:
        return []
    table = data.engine.arrays(data.frame.select(*flags).head(ROWS))
    yes = np.stack([_yes(table[name].combine_chunks()) for name in flags], axis=1)
    groups, start = [], 0
    while start < len(flags):
        taken, end = yes[:, start].copy(), start + 1
        while end < len(flags) and yes[:, end].any() and not (taken & yes[:, end]).any():
            taken |= yes[:, end]
            end += 1
        # Rare answers exclude each other without belonging together: most rows must have one.
        if end - start >= FEWEST and taken.mean() > 0.5:
            groups.append(tuple(flags[start:end]))
            start = end
        else:
            start += 1
    return groups


def like_the_others(roles: Mapping[str, Role], groups: Sequence[Sequence[str]] = ()) -> list[str]:
    """Columns of yes and no that nobody knows, in a file whose other ones are nearly all known outside.

    Those of a group say one thing together, so that they count as one.

    >>> like_the_others({"black": "quasi", "urban": "quasi", "married": "quasi", "nearc4": "undecided"})
    ['nearc4']
    """
    counted = {name for group in groups for name in group[1:]}
    known = [role for name, role in roles.items() if role != "undecided" and name not in counted]
    if len(known) < FEWEST or known.count("quasi") < NEARLY_ALL * len(known):
        return []
    return [name for name, role in roles.items() if role == "undecided"]


def _yes(column: pa.Array) -> NDArray[np.bool_]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_lower(column.cast(pa.string()))
    return np.asarray(pc.is_in(texts, value_set=pa.array(["1", "1.0", "yes", "ja", "true", "t", "y"])), dtype=bool)
