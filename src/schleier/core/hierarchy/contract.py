"""What every kind of hierarchy can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

from pydantic import ConfigDict

from schleier.core.errors import Problem
from schleier.core.record import Described

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.sql import Typed

ROOT = "*"
"""Label of the root: the one value that stands for all."""


class Hierarchy(Described):
    """Coarsens the values of one column: level 0 is the value itself, level `depth` the root.

    The values handed in are distinct and not missing: a missing value stays missing at every level.
    """

    # Leaves and labels are values of protected columns: a validation error must not quote them.
    model_config = ConfigDict(hide_input_in_errors=True)

    keys: ClassVar[tuple[str, ...]]
    """Recipe keys that announce this kind; exactly one of them is given."""
    learns: ClassVar[bool] = False
    """Whether fitting needs to look at the data."""
    floating: ClassVar[bool] = False
    """Whether ``reduce`` makes floating numbers of whole ones."""

    outside: Literal["error", "root"] = "error"
    """What becomes of a value that is not covered: an error, or the root."""

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Nothing: what it is made of are values."""
        yield from ()

    @property
    @abstractmethod
    def depth(self) -> int:
        """Number of the root level."""

    @abstractmethod
    def problems(self, where: str) -> Iterator[Problem]:
        """Everything wrong with the definition alone, by count, never by content."""

    @abstractmethod
    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Which values the hierarchy knows how to coarsen."""

    @abstractmethod
    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """Labels at a level strictly between the values and the root; null where not covered."""

    def located(self, folder: Path, where: str = "") -> Hierarchy:
        """The hierarchy with files it refers to read; paths are relative to the folder of the recipe."""
        return self

    def domain(self, values: pa.Array) -> pa.Array:
        """All values there can be, as far as the hierarchy lists them; else the values of the column."""
        return values

    def fit(self, values: pa.Array, counts: NDArray[np.integer[Any]]) -> Hierarchy:
        """The hierarchy with learned values filled in, from distinct values and the rows of each."""
        return self

    def reduce(self, expr: nw.Expr, level: int) -> nw.Expr:
        """Engine-side expression: one value for many of the same class, so that few distinct ones remain.

        For columns of type float, ``labels(reduce(v), level) == labels(v, level)``. Whole numbers are
        better left alone: they have few distinct values, and a representative may be no whole number.
        """
        return expr

    def sql(self, value: Typed, level: int) -> str | None:
        """``labels`` in DuckDB's SQL, for levels below the root; nothing when it cannot be said there.

        The expression is null where the value is missing or not covered.
        """
        return None

    @final
    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Label of each value at a level from 1 to `depth`; null where the value is not covered."""
        import pyarrow as pa

        if not 1 <= level <= self.depth:
            raise ValueError(f"level {level} is not between 1 and {self.depth}")
        values = plain(values)
        if level < self.depth:
            return self.coarser(values, level)
        return pa.repeat(pa.scalar(ROOT), len(values)).take(places(self.covers(values)))

    @final
    def groups(self, values: pa.Array, level: int) -> NDArray[np.int32]:
        """Code of each value's class at a level, in the sorted order of the labels; -1 where not covered.

        At level 0 every distinct value is its own class, covered or not.
        """
        import numpy as np
        import pyarrow.compute as pc

        encoded = (self.labels(values, level) if level else plain(values)).dictionary_encode()
        order = pc.array_sort_indices(encoded.dictionary).to_numpy()
        rank = np.full(len(order) + 1, -1, dtype=np.int32)  # the last place stands for "not covered"
        rank[order] = np.arange(len(order), dtype=np.int32)
        codes: NDArray[np.int32] = rank[encoded.indices.fill_null(len(order)).to_numpy()]
        return codes

    def is_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        """Which words may be labels of a level; in a finished file all others are values it did not coarsen."""
        import numpy as np

        if level == self.depth:
            return np.array([word == ROOT for word in words.to_pylist()], dtype=np.bool_)
        return self._may_be_label(words, level)

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        """As ``is_label``, below the root: unless a kind knows better, what it would still change is none."""
        import numpy as np

        coarser = self.coarser(words, level).to_pylist()
        same = [new == word for new, word in zip(coarser, words.to_pylist(), strict=True)]
        return ~self.covers(words) | np.array(same, dtype=np.bool_)

    def to_toml(self) -> dict[str, Any]:
        """The hierarchy in recipe syntax, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


def plain(values: pa.Array) -> pa.Array:
    """The values without dictionary encoding."""
    import pyarrow as pa

    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def is_text(kind: pa.DataType) -> bool:
    """Whether a type holds text, however Arrow lays it out."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def places(covered: NDArray[np.bool_]) -> pa.Array:
    """Own position of each value, null where not covered: taking these blanks what is not covered."""
    import numpy as np
    import pyarrow as pa

    return pa.array(np.arange(len(covered)), mask=~covered)
