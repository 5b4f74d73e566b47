"""The values a key can take, and how many of them each label stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.hierarchy import ROOT, Hierarchy

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

WHOLE = -1
"""In place of a level: a label that may be any value."""


@dataclass(frozen=True)
class Leaves:
    """The values of one key in the original file; missing is one more of them where it occurs."""

    values: pa.Array
    hierarchy: Hierarchy | None
    gaps: int
    """Records without a value."""

    @cached_property
    def domain(self) -> pa.Array:
        """All values there can be: those the hierarchy lists and those of the file."""
        import pyarrow as pa
        import pyarrow.compute as pc

        listed = self.hierarchy.domain(self.values) if self.hierarchy else self.values
        if listed is self.values:
            return listed
        own = self.values.cast(listed.type)
        return pa.concat_arrays([listed, own.filter(pc.invert(pc.is_in(own, listed)))])

    @property
    def total(self) -> int:
        """How many values there can be."""
        return max(len(self.domain) + (self.gaps > 0), 1)

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Values at a level, as text."""
        import pyarrow as pa

        if level == 0 or self.hierarchy is None:
            return values.cast(pa.string())
        return self.hierarchy.labels(values, level).fill_null(ROOT).cast(pa.string())

    def below(self, level: int, *, exact: bool = False) -> NDArray[np.float64]:
        """How many values a missing one, and each value of the file, may be when only its label is known.

        The root may be any value, also where it was put for values that the hierarchy does not know; ``exact`` counts
        only those that would carry it.
        """
        import numpy as np

        if self.is_whole(level):
            return np.full(len(self.values) + 1, float(self.total))
        if level == 0:
            return np.ones(len(self.values) + 1)
        own = self.labels(self.values, level)
        return np.concatenate([[1.0], self.behind(own, level, exact=exact)])

    def behind(self, labels: pa.Array, level: int, *, exact: bool = False) -> NDArray[np.float64]:
        """How many values carry each of some labels of a level."""
        import numpy as np
        import pyarrow.compute as pc

        found = pc.value_counts(self.labels(self.domain, level))
        counts = np.asarray(found.field("counts").take(pc.index_in(labels, found.field("values"))), dtype=np.float64)
        return counts if exact else np.where(np.asarray(pc.equal(labels, ROOT)), float(self.total), counts)

    @property
    def has_roots(self) -> bool:
        """Whether some values of the file are released as the root before all are."""
        import pyarrow.compute as pc

        depth = self.hierarchy.depth if self.hierarchy else 0
        levels = (pc.any(pc.equal(self.labels(self.values, level), ROOT)).as_py() for level in range(1, depth))
        return any(bool(found) for found in levels)

    def is_whole(self, level: int) -> bool:
        """Whether all values share the label of a level."""
        return level == WHOLE or (self.hierarchy is not None and level == self.hierarchy.depth)

    def levels(self, released: pa.Array, gaps: int) -> NDArray[np.int64]:
        """The level of a gap and of each value of a released column; ``WHOLE`` for the root and for what is no label.

        Where one level explains all values it is that, else the finest that explains the value: labels may be the
        same on several levels. Gaps are those of the original unless there are more of them.
        """
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        text = released.cast(pa.string())
        root = np.asarray(pc.equal(text, ROOT)) & (self.hierarchy is not None)
        depth = self.hierarchy.depth if self.hierarchy else 1
        held = [np.asarray(pc.is_in(text, self.labels(self.domain, level))) & ~root for level in range(depth)]
        whole = next((level for level, ok in enumerate(held) if (ok | root).all()), None)
        found = np.full(len(text), WHOLE, dtype=np.int64)
        for level in range(depth - 1, -1, -1) if whole is None else (whole,):
            found[held[level]] = level
        return np.concatenate([[WHOLE if gaps > self.gaps else whole or 0], found])


def leaves_of(fine: Classes) -> list[Leaves]:
    """The values of each key of a class table."""
    import numpy as np

    return [
        Leaves(values, hierarchy, int(fine.sizes[np.asarray(fine.codes[:, j]) < 0].sum()))
        for j, (values, hierarchy) in enumerate(zip(fine.values, fine.hierarchies, strict=True))
    ]


def classes_of(data: Dataset, names: Sequence[str]) -> Classes:
    """The classes of some columns, with what their hierarchies learn from the data filled in."""
    import narwhals as nw

    schema = data.schema
    named = {name: schema[name].hierarchy for name in names}
    fitted = {
        used: schema.hierarchies[used].fit(*data.counts(nw.col(name)))
        for name, used in named.items()
        if used in schema.hierarchies and schema.hierarchies[used].learns
    }
    described = data.described(schema.model_copy(update={"hierarchies": {**schema.hierarchies, **fitted}}))
    return described.classes(Request(keys=tuple(names)))


def behind_labels(fine: Classes, counted: Sequence[int]) -> tuple[dict[int, list[NDArray[np.float64]]], dict[int, int]]:
    """By key and level how many values a missing one and each value may be, and by key how many there can be."""
    leaves = leaves_of(fine)
    depths = [hierarchy.depth if hierarchy else 0 for hierarchy in fine.hierarchies]
    behind = {j: [leaves[j].below(level) for level in range(depths[j] + 1)] for j in counted}
    return behind, {j: leaves[j].total for j in counted}
