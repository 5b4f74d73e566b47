"""The equivalence-class table: everything a criterion or a search looks at, one GROUP BY away from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from schleier.core.classes.compositions import Compositions
from schleier.core.classes.histogram import Histogram
from schleier.core.classes.magnitude import Magnitude
from schleier.core.classes.members import Members
from schleier.core.classes.population import Population, require_keys
from schleier.core.classes.request import Missing
from schleier.core.errors import DataError, Problem
from schleier.core.sets import first_places, holds_lists, lists_as_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy
    from schleier.kernels.classes.uniqueness import Information


@dataclass(frozen=True)
class Classes:
    """Distinct combinations of key values with their sizes, in lexical order of their codes.

    ``codes[i, j]`` points into ``values[j]``; -1 is missing. Coarser tables roll up from finer ones with ``at``.
    """

    keys: tuple[str, ...]
    values: tuple[pa.Array, ...] = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    weights: NDArray[np.float64] | None = field(default=None, repr=False)
    squares: NDArray[np.float64] | None = field(default=None, repr=False)
    """Sums of squared weights: the variance of an estimated class size."""
    units: NDArray[np.int64] | None = field(default=None, repr=False)
    """Different units of each class; rows without a unit add none. Unknown where classes were merged, as the same unit
    may be in several, unless ``members`` tell."""
    members: Members | None = None
    """Which units are in each class, where that was asked for."""
    compositions: Mapping[Missing, Compositions] = field(default_factory=dict)
    """How many units are alike as a whole, where that was asked for; unknown of merged and of dropped classes, unless
    ``members`` tell."""
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    hierarchies: tuple[Hierarchy | None, ...] = ()
    magnitudes: Mapping[str, Magnitude] = field(default_factory=dict)
    populations: Mapping[str, Population] = field(default_factory=dict)
    """Persons outside the table, by the same keys; dropping classes leaves them as they are."""
    excluded: int = 0
    """Rows that were left out because a key is missing."""

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def records(self) -> int:
        """Number of rows behind the table."""
        return int(self.sizes.sum())

    def of(self, data: NDArray[Any], missing: Missing, *, lend: bool = False) -> NDArray[Any]:
        """Amounts per class (sizes, weights) under a policy for missing keys.

        As a wildcard a gap widens only its own class: a row counts others that could be it, never one that hides the
        key by which they would differ. With ``lend`` it counts those too, as sdcMicro does.
        """
        if missing != "wildcard":
            return data
        from schleier.kernels.classes.coding import compatible

        return compatible(self.codes, data, gaps="both" if lend else "own")

    def units_of(self, missing: Missing) -> NDArray[np.int64] | None:
        """Different units per class under a policy for missing keys; nothing where they are not known."""
        if missing != "wildcard" or self.units is None:
            return self.units
        if self.members is None:  # adding up would count a unit several times
            raise ValueError("the class table does not tell which units are in its classes")
        return self.members.widened(self.codes).counts(len(self))

    def composed(self, missing: Missing) -> Compositions:
        """How many units are alike as a whole, under a policy for missing keys."""
        if (known := self.compositions.get(missing)) is not None:
            return known
        if self.members is None:  # nothing else tells which members belong together
            raise ValueError("the class table does not tell which units are in its classes")
        from schleier.kernels.classes.compositions import count_alike

        table = self.excluding_missing() if missing == "exclude" else self
        held = table.members or self.members
        return Compositions(*count_alike(table.sizes, held.classes, held.units, held.rows))

    def histogram(self, name: str, missing: Missing, *, lend: bool = False) -> Histogram:
        """How a sensitive column spreads over the classes under a policy for missing keys; see ``of``."""
        found = self.histograms[name]
        return found.widened(self.codes, lend=lend) if missing == "wildcard" else found

    def magnitude(self, name: str, missing: Missing) -> Magnitude:
        """Who contributes how much to the classes under a policy for missing keys."""
        return self.magnitudes[name].widened(self.codes) if missing == "wildcard" else self.magnitudes[name]

    def population(self, name: str) -> Population:
        """A population table the classes are compared with."""
        if name not in self.populations:  # anything else would be another, weaker criterion
            raise ValueError(f"the class table has no {name}")
        return require_keys(self.populations[name], self.keys, name)

    def persons(self, name: str, missing: Missing, *, lend: bool = False) -> NDArray[np.float64]:
        """Persons of a population in each class, or that could be in it under "wildcard"; see ``of``."""
        return self.population(name).matching(self.codes, missing, lend=lend)

    def combinations(self) -> dict[str, pa.Array]:
        """The combinations of key values, by key."""
        import pyarrow as pa

        parts = zip(self.keys, self.values, self.codes.T, strict=True)
        return {key: values.take(pa.array(codes, mask=codes < 0)) for key, values, codes in parts}

    def excluding_missing(self) -> Classes:
        """The table without classes that have a missing key."""
        from schleier.kernels.classes.coding import MISSING

        known = self.only((self.codes != MISSING).all(axis=1))
        return replace(known, excluded=self.excluded + self.records - known.records, compositions=self.compositions)

    def only(self, mask: NDArray[np.bool_]) -> Classes:
        """The table of some classes."""
        import numpy as np

        place = np.cumsum(mask) - 1
        return replace(
            self,
            codes=self.codes[mask],
            sizes=self.sizes[mask],
            weights=None if self.weights is None else self.weights[mask],
            squares=None if self.squares is None else self.squares[mask],
            units=None if self.units is None else self.units[mask],
            members=None if self.members is None else self.members.only(mask, place),
            compositions={},
            histograms={name: h.only(mask, place) for name, h in self.histograms.items()},
            magnitudes={name: m.only(mask, place) for name, m in self.magnitudes.items()},
        )

    def at(self, levels: Sequence[int]) -> Classes:
        """The same rows with each key coarsened to a level of its hierarchy; level 0 leaves it as it is."""
        return self.rolled_up(levels)[0]

    def rolled_up(self, levels: Sequence[int]) -> tuple[Classes, NDArray[np.int64]]:
        """The table at some levels, and for each class of this table its place in that one."""
        import numpy as np

        from schleier.kernels.classes.coding import MISSING

        values, columns, people = list(self.values), list(self.codes.T), dict(self.populations)
        for j, level in enumerate(levels):
            if level == 0:
                continue
            hierarchy = self.hierarchies[j]
            if hierarchy is None or not 0 < level <= hierarchy.depth:
                raise ValueError(f"key '{self.keys[j]}' has no level {level}")
            if level == hierarchy.depth:  # everything joins the root, also what is missing
                values[j], columns[j] = _root_only(), np.zeros(len(self), dtype=np.int32)
                people = {name: one.rooted(j, values[j][:0]) for name, one in people.items()}
                continue
            values[j], codes = self.labelled(j, level)
            columns[j] = np.append(codes, np.int32(MISSING))[columns[j]]
            lenient = hierarchy.model_copy(update={"outside": "root"})  # a population may hold what the data do not
            for name, one in people.items():
                if (others := one.others[j]) is not None:
                    people[name] = one.recoded(j, codes, values[j], coarse_labels(lenient, level, others, self.keys[j]))
        rows = np.stack(columns).T if columns else self.codes
        return self._merged(tuple(values), rows, {name: one.summed() for name, one in people.items()})

    def labelled(self, j: int, level: int) -> tuple[pa.Array, NDArray[np.int32]]:
        """Labels of a level below the root, and the code of each value; a search asks for the same ones many times."""
        if (hierarchy := self.hierarchies[j]) is None:
            raise ValueError(f"key '{self.keys[j]}' has no level {level}")
        if (j, level) not in self._labels:
            self._labels[j, level] = sorted_codes(coarse_labels(hierarchy, level, self.values[j], self.keys[j]))
        return self._labels[j, level]

    @cached_property
    def _labels(self) -> dict[tuple[int, int], tuple[pa.Array, NDArray[np.int32]]]:
        return {}

    @cached_property
    def information(self) -> Information:
        """What the keys tell, together and each by itself: counted once for all who ask."""
        from schleier.kernels.classes.uniqueness import information

        return information(self.codes, self.sizes)

    def onto(self, keys: Sequence[str]) -> tuple[Classes, NDArray[np.int64]]:
        """The table on some of its keys, and for each class of this table its place in that one."""
        import numpy as np

        if tuple(keys) == self.keys:
            return self, np.arange(len(self))
        chosen = [self.keys.index(key) for key in keys]
        part = replace(self, keys=tuple(keys), hierarchies=tuple(self.hierarchies[j] for j in chosen))
        people = {name: one.onto(chosen) for name, one in self.populations.items()}
        return part._merged(tuple(self.values[j] for j in chosen), self.codes[:, chosen], people)

    def _merged(
        self, values: tuple[pa.Array, ...], codes: NDArray[np.int32], people: Mapping[str, Population]
    ) -> tuple[Classes, NDArray[np.int64]]:
        from schleier.kernels.classes.coding import add_up, merge

        rows, place = merge(codes)

        def total(amounts: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if amounts is None else add_up(amounts, place, len(rows))

        members = None if self.members is None else self.members.merged(place)
        units = total(self.units) if len(rows) == len(self) else None
        table = replace(
            self,
            values=values,
            codes=rows,
            sizes=add_up(self.sizes, place, len(rows)),
            weights=total(self.weights),
            squares=total(self.squares),
            units=units if members is None else members.counts(len(rows)),
            members=members,
            compositions={},
            histograms={name: h.merged(place) for name, h in self.histograms.items()},
            magnitudes={name: m.merged(place, len(rows)) for name, m in self.magnitudes.items()},
            hierarchies=(None,) * len(self.keys),
            populations=people,
        )
        return table, place


def sorted_codes(column: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """Distinct values in order, and the code of each row; -1 for missing."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from schleier.kernels.classes.coding import MISSING

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if holds_lists(column.type):  # Arrow cannot code lists, so their text is coded
        texts, codes = sorted_codes(lists_as_text(column))
        return column.take(pa.array(first_places(codes, len(texts)))), codes
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


@cache
def _root_only() -> pa.Array:
    import pyarrow as pa

    return pa.array(["*"])


def coarse_labels(hierarchy: Hierarchy, level: int, values: pa.Array, key: str) -> pa.Array:
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
