"""The 3-marginal score of a release: how alike the tables of three columns are in it and in the original.

The score is that of the public challenges of NIST: 1000 * (1 - mean over triples of half the L1 distance of their
tables). Numbers and dates are cut into 20 bins of equally many original records, in both files alike. A released value
stands for all original values below it in the hierarchy, evenly; so does the root, a column that is left out, and a gap
in a column that had none: any value. In a column that had gaps a gap is a gap, also where it was blanked. Records that
are left out cost only what their absence changes. So nothing is assumed that the release does not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.hierarchy import Hierarchy

BINS, TRIPLES = 20, 100
"""Bins of numbers, and triples of columns that are drawn where there are more."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """A column of the original: the bin of each record, and what a released label stands for."""

    place: NDArray[np.int64]
    bins: NDArray[np.int64]
    """The bin of each different value; a gap has the last of all."""
    width: int
    gaps: bool
    below: Mapping[str, set[int]]

    def spread(self, labels: Sequence[str | None]) -> Floats:
        """Shares of the bins for each label."""
        found = np.zeros((len(labels), self.width))
        for i, label in enumerate(labels):
            if label is None and self.gaps:
                found[i, -1] = 1.0
                continue
            covered = sorted(self.below.get(label or "", range(len(self.bins))))
            found[i] = np.bincount(self.bins[covered], minlength=self.width) / len(covered)
        return found


def axes_of(data: Dataset, keys: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> dict[str, Axis]:
    """The columns of the original."""
    table = data.engine.arrays(data.frame.select(*keys))
    ordered = {name: data.schema[name].numeric or data.schema[name].scale == "time" for name in keys}
    return {name: _axis(table[name], hierarchies.get(name), ordered=ordered[name]) for name in keys}


def score(axes: Mapping[str, Axis], released: pa.Table) -> float:
    """The score of a release; columns it lacks could be anything."""
    codes, spreads = {}, {}
    for name, axis in axes.items():
        column = released[name] if name in released.column_names else pa.nulls(len(released), pa.string())
        words = _combined(column).cast(pa.string())
        encoded = words.dictionary_encode()
        labels = [*encoded.dictionary.to_pylist(), "" if name not in released.column_names else None]
        codes[name] = np.asarray(encoded.indices.fill_null(len(labels) - 1), dtype=np.int64)
        spreads[name] = axis.spread(labels)
    triples = list(combinations(axes, min(3, len(axes))))
    if len(triples) > TRIPLES:
        drawn = np.random.default_rng(0).choice(len(triples), TRIPLES, replace=False)
        triples = [triples[i] for i in sorted(drawn)]
    moved = [_moved(*([told[name] for name in names] for told in (axes, codes, spreads))) for names in triples]
    return 1000 * (1 - float(np.mean(moved)))


def blanked(axes: Mapping[str, Axis], before: int, released: pa.Table) -> float:
    """Share of the cells of the keys that the release suppresses: of records left out, and gaps that were none."""
    there = [name for name in axes if name in released.column_names]
    gaps = sum(released[name].null_count for name in there)
    own = sum(int((axes[name].place == axes[name].width - 1).sum()) for name in there if axes[name].gaps)
    gone = before - len(released)
    return (gone * len(there) + max(gaps - own, 0)) / max(before * len(there), 1)


def _moved(axes: Sequence[Axis], codes: Sequence[NDArray[np.int64]], spreads: Sequence[Floats]) -> float:
    """Half the L1 distance of one table in both files."""
    before = np.zeros([axis.width for axis in axes])
    np.add.at(before, tuple(axis.place for axis in axes), 1.0)
    after = np.zeros([len(spread) for spread in spreads])
    np.add.at(after, tuple(codes), 1.0)
    for spread in spreads:  # the first axis is spread and becomes the last one, until all are
        after = np.tensordot(after, spread, axes=(0, 0))
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def _axis(column: pa.ChunkedArray, hierarchy: Hierarchy | None, *, ordered: bool) -> Axis:
    encoded = _combined(column).dictionary_encode()
    values = encoded.dictionary
    bins = np.arange(len(values))
    own = np.asarray(encoded.indices.fill_null(len(values)), dtype=np.int64)
    if ordered and len(values) > BINS:
        days = pa.int32() if pa.types.is_date32(values.type) else pa.int64()
        numbers = np.asarray(values.cast(days if pa.types.is_temporal(values.type) else pa.float64()), np.float64)
        cuts = np.unique(np.quantile(numbers[own[own < len(values)]], np.arange(1, BINS) / BINS, method="inverted_cdf"))
        bins = np.searchsorted(cuts, numbers, side="left")
    width = int(bins.max(initial=0)) + 2
    place = np.append(bins, width - 1)[own]
    below: dict[str, set[int]] = {}
    levels = [values.cast(pa.string())]
    if hierarchy is not None:
        levels += [hierarchy.labels(values, level) for level in range(1, hierarchy.depth + 1)]
    for labels in levels:
        for i, label in enumerate(labels.to_pylist()):
            below.setdefault(label, set()).add(i)
    return Axis(place, bins, width, bool(column.null_count), below)


def _combined(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
