"""A column in memory while mistakes are made in it, and the draws of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schleier.core.classes.table import sorted_codes
from schleier.core.hierarchy.lookup import value_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.kernels.change.keyed import KeyedDraws


@dataclass(frozen=True)
class Held:
    """One column of all rows in the order of their keys, with the others beside it."""

    name: str
    values: pa.ChunkedArray = field(repr=False)
    whole: bool
    """Whether its numbers have no digits behind the point."""
    beside: pa.Table = field(repr=False)
    """All columns as they were before any mistake."""
    draws: KeyedDraws = field(repr=False)
    turn: int = 0
    """How many mistakes were made before: each has draws of its own."""

    def drawn(self, what: str) -> NDArray[np.float64]:
        """One number between 0 and 1 per row."""
        return self.draws.uniform(f"{self.name}:{self.turn}:{what}")

    def coded(self) -> tuple[pa.Array, NDArray[np.int64]]:
        """The different values in order, and the place of each row's value; -1 for a gap."""
        import numpy as np

        values, codes = sorted_codes(self.values)
        return values, codes.astype(np.int64)

    def taking(self, values: pa.Array, codes: NDArray[np.int64]) -> Held:
        """The column with other values: those at some places, and gaps where the place is below 0."""
        import pyarrow as pa

        return self.holding(values.take(pa.array(codes, mask=codes < 0)))

    def holding(self, values: pa.Array | pa.ChunkedArray) -> Held:
        """The column with other values of the same kind; the next mistake has other draws."""
        import pyarrow as pa

        whole = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        return replace(self, values=whole.cast(self.values.type), turn=self.turn + 1)

    def changed(self, before: pa.ChunkedArray) -> int:
        """Rows whose value is another one than before; a gap is a value."""
        import pyarrow.compute as pc

        same = pc.fill_null(pc.equal(self.values, before), False)
        both = pc.and_(pc.is_null(self.values), pc.is_null(before))
        return len(before) - int(pc.sum(pc.or_(same, both)).as_py() or 0)


def words_of(values: pa.Array) -> list[str]:
    """Values as a declaration names them."""
    return [str(value_text(value)) for value in values.to_pylist()]


def strange(named: Sequence[str], values: pa.Array) -> int:
    """How many of some named values do not occur."""
    return len(set(named) - set(words_of(values)))
