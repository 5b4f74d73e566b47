"""One keyed number for each unit, beside its records: the same in all tables and releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.core.engine import Source
from schleier.core.letters import runs_of
from schleier.core.pseudonym import normalized, texts

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.keys import Key

NORMAL = ("nfkc", "blanks")
"""How values that name a unit are compared, as pseudonyms do by default."""


def units_of(data: Dataset, by: str) -> pa.Array:
    """The units that occur, each once."""
    import narwhals as nw

    unit = nw.col(by)
    held = data.frame.filter(~unit.is_null()).select(_unit_=unit).group_by("_unit_").agg(_n_=nw.len())
    return joined_up(data.engine.arrays(held.select("_unit_")).column("_unit_"))


def joined_up(column: Any) -> pa.Array:
    """A column of a table in one piece."""
    import pyarrow as pa

    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def draws(units: pa.Array, key: Key, domain: str, purpose: str) -> NDArray[np.uint64]:
    """Four numbers of 64 bits for each unit, which follow from the key."""
    import numpy as np

    from schleier.kernels.pseudonyms.sha256 import tags

    plain = normalized(texts(units), NORMAL)
    found = tags(key.derive(domain, purpose), *runs_of(plain))
    return np.ascontiguousarray(found).view(">u8").astype(np.uint64)


def beside(data: Dataset, keys: dict[str, str], table: pa.Table) -> Any:
    """The rows with further columns of a table; ``keys`` says which column of it fits which of the rows.

    They are joined on copies: a column keeps its name and its place.
    """
    import narwhals as nw

    held = data.frame.with_columns(**{theirs: nw.col(ours) for theirs, ours in keys.items()})
    return held.join(data.engine.read(Source(table)), on=list(keys), how="left")
