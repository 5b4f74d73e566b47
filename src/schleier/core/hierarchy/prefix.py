"""Codes cut to their first characters, fewer from level to level."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from schleier.core.errors import Problem
from schleier.core.hierarchy.contract import ROOT, Hierarchy, is_text
from schleier.core.hierarchy.numbers import Whole
from schleier.core.sql import Typed, word

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class Prefix(Hierarchy):
    """Postcodes, classifications of trades and the like: whoever shares the first characters is near.

    Codes with leading zeros must be read as text: as numbers they have lost their first characters.

    >>> import pyarrow as pa
    >>> Prefix(prefix=(3, 1)).labels(pa.array(["53117", "53121", "1"]), 1).to_pylist()
    ['531*', '531*', '1*']
    """

    keys: ClassVar[tuple[str, ...]] = ("prefix",)

    prefix: tuple[Whole, ...]
    """Characters kept at each level; 0 is the root, which is appended when absent."""

    @property
    def depth(self) -> int:
        """One level for each number of characters, and the root if it is not among them."""
        return len(self.prefix) + (self.prefix[-1:] != (0,))

    def problems(self, where: str) -> Iterator[Problem]:
        """Numbers of characters that are none or that do not decrease."""
        if not self.prefix:
            yield Problem("hierarchy-empty", where, "there are no levels", "for example prefix = [3, 2, 0]")
        negative = sum(kept < 0 for kept in self.prefix)
        if negative:
            yield Problem("hierarchy-width", where, f"negative numbers of characters: {negative}")
        rising = sum(b >= a for a, b in pairwise(self.prefix))
        if rising:
            yield Problem(
                "hierarchy-not-nested",
                where,
                f"levels that keep no fewer characters than the level before: {rising}",
                "list the numbers of characters from many to few",
            )

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Text and whole numbers."""
        import numpy as np

        return np.full(len(values), _is_code(values.type))

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """The characters kept, and a star."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not _is_code(values.type):
            return pa.nulls(len(values), pa.string())
        kept = pc.utf8_slice_codeunits(values.cast(pa.string()), 0, self.prefix[level - 1])
        return pc.binary_join_element_wise(kept, ROOT, "")

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        """A star behind no more characters than are kept."""
        import numpy as np

        longest = self.prefix[level - 1] + len(ROOT)
        return np.array([w.endswith(ROOT) and len(w) <= longest for w in words.to_pylist()], dtype=np.bool_)

    def reduce(self, expr: nw.Expr, level: int) -> nw.Expr:
        """The characters kept."""
        import narwhals as nw

        if level == 0:
            return expr
        return expr.cast(nw.String).str.slice(0, (*self.prefix, 0)[level - 1])

    def sql(self, value: Typed, level: int) -> str | None:
        """The characters kept, and a star."""
        if value.kind not in ("text", "integer"):
            return None  # how a broken number is written differs from engine to engine
        return f"substr(CAST({value.text} AS VARCHAR), 1, {self.prefix[level - 1]}) || {word(ROOT)}"


def _is_code(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return is_text(kind) or bool(pa.types.is_integer(kind))
