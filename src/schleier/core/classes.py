"""The equivalence-class table: everything a criterion or a search looks at, one GROUP BY away from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.errors import DataError, Problem

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy

Missing = Literal["category", "wildcard", "exclude"]
"""A missing key is a value of its own (category), may be anything (wildcard), or takes its row out (exclude)."""


@dataclass(frozen=True)
class Request:
    """What a criterion wants to see."""

    keys: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    missing: Missing = "category"


@dataclass(frozen=True)
class Histogram:
    """How a sensitive column spreads over the classes: ``counts[i]`` rows of ``classes[i]`` have value ``codes[i]``."""

    values: pa.Array
    classes: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Classes:
    """Distinct combinations of key values with their sizes, in lexical order of their codes.

    ``codes[i, j]`` points into ``values[j]``; -1 is missing. Coarser tables roll up from finer ones with ``at``.
    """

    keys: tuple[str, ...]
    values: tuple[pa.Array, ...]
    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None
    squares: NDArray[np.float64] | None = None
    """Sums of squared weights: the variance of an estimated class size."""
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    hierarchies: tuple[Hierarchy | None, ...] = ()

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def records(self) -> int:
        """Number of rows behind the table."""
        return int(self.sizes.sum())

    def of(self, data: NDArray[Any], missing: Missing) -> NDArray[Any]:
        """Amounts per class (sizes, weights) under a policy for missing keys."""
        if missing != "wildcard":
            return data
        from schleier.kernels.classes import compatible

        return compatible(self.codes, data)

    def excluding_missing(self) -> Classes:
        """The table without classes that have a missing key."""
        from schleier.kernels.classes import MISSING

        return self.only((self.codes != MISSING).all(axis=1))

    def only(self, mask: NDArray[np.bool_]) -> Classes:
        """The table of some classes."""
        import numpy as np

        place = np.cumsum(mask) - 1
        histograms = {
            name: replace(h, classes=place[h.classes[m]], codes=h.codes[m], counts=h.counts[m])
            for name, h in self.histograms.items()
            for m in [mask[h.classes]]
        }
        return replace(
            self,
            codes=self.codes[mask],
            sizes=self.sizes[mask],
            weights=None if self.weights is None else self.weights[mask],
            squares=None if self.squares is None else self.squares[mask],
            histograms=histograms,
        )

    def at(self, levels: Sequence[int]) -> Classes:
        """The same rows with each key coarsened to a level of its hierarchy; level 0 leaves it as it is."""
        import numpy as np

        from schleier.kernels.classes import MISSING

        values, columns = list(self.values), list(self.codes.T)
        for j, level in enumerate(levels):
            if level == 0:
                continue
            hierarchy = self.hierarchies[j]
            if hierarchy is None or not 0 < level <= hierarchy.depth:
                raise ValueError(f"key '{self.keys[j]}' has no level {level}")
            if level == hierarchy.depth:  # everything joins the root, also what is missing
                values[j], columns[j] = _root_only(), np.zeros(len(self), dtype=np.int32)
                continue
            values[j], codes = sorted_codes(_labels(hierarchy, level, self.values[j], self.keys[j]))
            columns[j] = np.append(codes, np.int32(MISSING))[columns[j]]
        return self._merged(tuple(values), np.stack(columns, axis=1) if columns else self.codes)

    def _merged(self, values: tuple[pa.Array, ...], codes: NDArray[np.int32]) -> Classes:
        from schleier.kernels.classes import add_up, merge

        rows, place = merge(codes)

        def total(amounts: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if amounts is None else add_up(amounts, place, len(rows))

        histograms = {name: _roll_up(h, place) for name, h in self.histograms.items()}
        return replace(
            self,
            values=values,
            codes=rows,
            sizes=add_up(self.sizes, place, len(rows)),
            weights=total(self.weights),
            squares=total(self.squares),
            histograms=histograms,
            hierarchies=(None,) * len(self.keys),
        )


def from_groups(
    table: pa.Table,
    keys: Sequence[str],
    hierarchies: Sequence[Hierarchy | None],
    sensitive: Mapping[str, pa.Table],
) -> Classes:
    """Classes from grouped rows: key columns and ``_n_``, with weights ``_w_`` and ``_ww_`` where asked for."""
    import numpy as np

    from schleier.kernels.classes import merge

    parts = [table, *sensitive.values()]
    stacked = [pa_concat([part.column(key) for part in parts]) for key in keys]
    coded = [sorted_codes(column) for column in stacked]
    everything = _stack([codes for _, codes in coded], sum(len(part) for part in parts))
    rows, place = merge(everything[: len(table)])
    order = np.argsort(place, kind="stable")  # groups are distinct, so this sorts them

    def amounts(name: str) -> NDArray[Any] | None:
        return table.column(name).to_numpy()[order] if name in table.column_names else None

    histograms, offset = {}, len(table)
    for name, part in sensitive.items():
        values, codes = sorted_codes(part.column(name))
        _, both = merge(np.concatenate([rows, everything[offset : offset + len(part)]]))
        spot = np.zeros(int(both.max(initial=-1)) + 1, dtype=np.int64)
        spot[both[: len(rows)]] = np.arange(len(rows))
        raw = Histogram(values, spot[both[len(rows) :]], codes, part.column("_n_").to_numpy())
        histograms[name] = _roll_up(raw, np.arange(len(rows)))
        offset += len(part)
    sizes = amounts("_n_")
    return Classes(
        keys=tuple(keys),
        values=tuple(values for values, _ in coded),
        codes=rows,
        sizes=np.asarray(sizes, dtype=np.int64),
        weights=amounts("_w_"),
        squares=amounts("_ww_"),
        histograms=histograms,
        hierarchies=tuple(hierarchies),
    )


def sorted_codes(column: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """Distinct values in order, and the code of each row; -1 for missing."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from schleier.kernels.classes import MISSING

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    order = pc.sort_indices(coded.dictionary).to_numpy()
    rank = np.empty(len(order) + 1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    rank[-1] = MISSING
    codes = coded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return coded.dictionary.take(pa.array(order)), rank[codes]


def pa_concat(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Columns one below the other."""
    import pyarrow as pa

    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type).combine_chunks()


def _stack(codes: Sequence[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    import numpy as np

    return np.stack(codes, axis=1) if codes else np.zeros((rows, 0), dtype=np.int32)


def _root_only() -> pa.Array:
    import pyarrow as pa

    return pa.array(["*"])


def _labels(hierarchy: Hierarchy, level: int, values: pa.Array, key: str) -> pa.Array:
    """Labels of a level; a value the hierarchy does not know is an error or joins the root, as in a recoding."""
    import pyarrow as pa
    import pyarrow.compute as pc

    labels, known = hierarchy.labels(values, level), hierarchy.covers(values)
    if known.all():
        return labels
    if hierarchy.outside == "root":
        return pc.if_else(pa.array(known), labels, "*")
    message = f"{int((~known).sum())} values of column '{key}' are not covered by its hierarchy"
    raise DataError(Problem("outside-hierarchy", key, message))


def _roll_up(histogram: Histogram, place: NDArray[np.int64]) -> Histogram:
    import numpy as np

    from schleier.kernels.classes import add_up, merge

    pairs = np.stack([place[histogram.classes].astype(np.int32), histogram.codes], axis=1)
    rows, spot = merge(pairs)
    counts = add_up(histogram.counts, spot, len(rows))
    return replace(histogram, classes=rows[:, 0].astype(np.int64), codes=rows[:, 1], counts=counts)
