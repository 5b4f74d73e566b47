"""Columns that say the same as a key, more finely or more coarsely: who knows one of them knows the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

ROWS = 50_000
"""Rows that are looked at."""
PAIRS = 20_000
"""Pairs of columns that are compared at most."""
FIRST = 500
"""Rows that are compared first: most columns disagree there."""
LEVELS = 5_000
"""A column with more different values is not compared."""
CHANCE = 30.0
"""Twins in one column that agree in the other as well: so improbable that must be (minus the logarithm)."""


def akin(
    data: Dataset, unknown: Sequence[str], keys: Sequence[str], figures: Sequence[str] = (), places: Sequence[str] = ()
) -> Mapping[str, str]:
    """For columns of unknown meaning the key that each determines, or that determines it, where chance cannot do so.

    For ``figures`` the one of the ``places`` that determines it: what is the same for everybody in a place tells it.

    >>> import pyarrow as pa
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.schema import Column, Schema
    >>> rows = pa.table({"age": [20, 30, 40, 50] * 30, "band": ["a", "a", "b", "b"] * 30, "coin": [0, 1, 1] * 40})
    >>> schema = Schema(columns=[Column(name=name, scale="nominal") for name in rows.column_names])
    >>> akin(Dataset.from_frame(rows, schema), ["band", "coin"], ["age"])
    {'band': 'age'}
    """
    pairs = [(name, key, True) for name in unknown for key in keys]
    pairs += [(name, key, False) for name in figures for key in places]
    wanted = [*dict.fromkeys(name for pair in pairs for name in pair[:2])]
    if not 0 < len(pairs) <= PAIRS:
        return {}
    table = data.engine.arrays(data.frame.select(*wanted).head(ROWS))
    codes = {name: _codes(table[name]) for name in wanted}
    usable = {name: code for name, code in codes.items() if 1 < code.max(initial=0) + 1 <= LEVELS}
    found: dict[str, str] = {}
    for name, key, either in pairs:
        if name in found or name not in usable or key not in usable:
            continue
        if _determines(usable[key], usable[name]) or (either and _determines(usable[name], usable[key])):
            found[name] = key
    return found


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Numbers for the values; a gap has none."""
    import numpy as np

    encoded = column.combine_chunks().dictionary_encode()
    return np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)


def _determines(fine: NDArray[np.int64], coarse: NDArray[np.int64]) -> bool:
    """Whether rows that agree in one column agree in the other, and would hardly do so by chance."""
    import numpy as np

    if not _agree(fine[:FIRST], coarse[:FIRST]):
        return False
    both = (fine >= 0) & (coarse >= 0)
    fine, coarse = fine[both], coarse[both]
    if not len(fine):
        return False
    if not _agree(fine, coarse):
        return False
    counts = np.bincount(fine)
    shares = np.bincount(coarse) / len(coarse)
    twins = counts[counts > 1]
    if not len(twins) or (shares > 0).sum() < 2:
        return False
    # All rows of a group agree with chance sum_k p_k^c <= max(p)^(c - 1).
    return bool(-((twins - 1) * np.log(shares.max())).sum() >= CHANCE)


def _agree(fine: NDArray[np.int64], coarse: NDArray[np.int64]) -> bool:
    """Whether rows that agree in one column agree in the other; a gap in either says nothing."""
    import numpy as np

    both = (fine >= 0) & (coarse >= 0)
    fine, coarse = fine[both], coarse[both]
    one = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    one[fine] = coarse
    return bool((one[fine] == coarse).all())
