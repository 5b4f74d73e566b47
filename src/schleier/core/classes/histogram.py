"""How a sensitive column spreads over the equivalence classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.schema import Column

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy


def joint(names: Sequence[str]) -> str:
    """The name of the histogram of a combination of columns: reserved, so that no column has it.

    >>> joint(("disease", "income"))
    '_disease,income_'
    """
    return f"_{','.join(names)}_"


@dataclass(frozen=True)
class Histogram:
    """``counts[i]`` rows of ``classes[i]`` have value ``codes[i]``: a code of ``values``, or -1 for missing.

    Entries are in order of class and code. A combination of columns has a code of its own for every combination,
    missing parts included.
    """

    values: pa.Array = field(repr=False)
    classes: NDArray[np.int64] = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    totals: NDArray[np.int64] = field(repr=False)
    """Rows of each value in the whole table, those with no value last; it stays when classes are left out."""
    columns: tuple[Column, ...] = field(default=())
    """The column, or the columns of a combination."""
    hierarchy: Hierarchy | None = None
    """The hierarchy of the column."""

    @property
    def sensitive(self) -> bool:
        """Whether it is about what the schema calls sensitive."""
        return all(column.role == "sensitive" for column in self.columns)

    def without_gaps(self) -> Histogram:
        """The same without rows that have no value; nor with those that lack a part of a combination."""
        import numpy as np

        there = np.append(_complete(self.values), False)
        known = there[self.codes]
        totals = np.where(there, self.totals, 0)
        return replace(
            self, classes=self.classes[known], codes=self.codes[known], counts=self.counts[known], totals=totals
        )

    def only(self, mask: NDArray[np.bool_], place: NDArray[np.int64]) -> Histogram:
        """The part about some classes, which are counted anew."""
        m = mask[self.classes]
        return replace(self, classes=place[self.classes[m]], codes=self.codes[m], counts=self.counts[m])

    def recounted(self) -> Histogram:
        """The same with what is left as the whole table."""
        import numpy as np

        from schleier.kernels.classes.coding import add_up

        return replace(
            self, totals=add_up(self.counts, self.codes.astype(np.int64) % len(self.totals), len(self.totals))
        )

    def merged(self, place: NDArray[np.int64]) -> Histogram:
        """The histogram of merged classes: class ``i`` becomes part of class ``place[i]``."""
        from schleier.kernels.classes.coding import sum_pairs

        classes, codes, counts = sum_pairs(place[self.classes], self.codes, self.counts)
        return replace(self, classes=classes, codes=codes.astype(self.codes.dtype), counts=counts)

    def levels(self) -> list[NDArray[np.int64]]:
        """The label of each value at every level below the root; what has no value, or no label, stays for itself."""
        import numpy as np

        if self.hierarchy is None:
            raise ValueError("the column has no hierarchy")
        values, count = self.values, len(self.values)
        hierarchy = self.hierarchy.fit(values, self.totals[:-1])
        unknown = int((~hierarchy.covers(values)).sum()) if count else 0
        name = self.columns[0].name
        if unknown and hierarchy.outside == "error":
            message = f"{unknown} values of column '{name}' are not covered by its hierarchy"
            stop(DataError, "outside-hierarchy", name, message, "add them to the hierarchy")
        levels = []
        for level in range(1, hierarchy.depth):
            groups = np.append(hierarchy.groups(values, level), -1).astype(np.int64)
            own = np.arange(count + 1) + int(groups.max(initial=-1)) + 1
            levels.append(np.unique(np.where(groups < 0, own, groups), return_inverse=True)[1].reshape(-1))
        return levels

    def widened(self, keys: NDArray[np.int32], *, lend: bool = False) -> Histogram:
        """The histogram where each class holds the rows of all classes it could be; ``keys`` are their codes."""
        from schleier.kernels.classes.coding import Gaps
        from schleier.kernels.classes.wildcards import over_compatible

        gaps: Gaps = "both" if lend else "own"
        classes, codes, counts = over_compatible(keys, self.classes, self.codes, self.counts, gaps=gaps)
        return replace(self, classes=classes, codes=codes.astype(self.codes.dtype), counts=counts)


def from_entries(
    values: pa.Array, classes: NDArray[np.int64], codes: NDArray[np.int32], counts: NDArray[np.int64]
) -> Histogram:
    """A histogram of entries in any order; what they add up to is the whole table."""
    import numpy as np

    from schleier.kernels.classes.coding import add_up

    totals = add_up(counts, codes % np.int64(len(values) + 1), len(values) + 1)  # -1 is the last one
    raw = Histogram(values, classes, codes, counts, totals)
    return raw.merged(np.arange(int(classes.max(initial=-1)) + 1))


def combined(
    names: Sequence[str], coded: Sequence[tuple[pa.Array, NDArray[np.int32]]]
) -> tuple[pa.Array, NDArray[np.int32]]:
    """Combinations of coded columns in order, as structs, and the code of each row."""
    import numpy as np
    import pyarrow as pa

    from schleier.kernels.classes.coding import merge

    rows, place = merge(np.stack([codes for _, codes in coded], axis=1))
    parts = [values.take(pa.array(codes, mask=codes < 0)) for (values, _), codes in zip(coded, rows.T, strict=True)]
    return pa.StructArray.from_arrays(parts, names=list(names)), place.astype(np.int32)


def _complete(values: pa.Array) -> NDArray[np.bool_]:
    """Which values lack no part; a value of one column has but one."""
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_struct(values.type):
        return np.ones(len(values), dtype=np.bool_)
    parts = [part.is_valid().to_numpy(zero_copy_only=False) for part in values.flatten()]
    return np.asarray(np.logical_and.reduce(parts), dtype=np.bool_)
