"""Original and released values of one column side by side, counted by the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problem
from schleier.core.hierarchy import ROOT, Hierarchy
from schleier.core.measure import Case

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

BEFORE, AFTER, SAME, MATCH = "_before_", "_after_", "_same_", "_match_"


@dataclass(frozen=True)
class Pairs:
    """Distinct pairs of original and released value with the records of each; records that are gone are left out."""

    values: pa.Array = field(repr=False)
    """The different values of the original column."""
    sizes: NDArray[np.int64] = field(repr=False)
    """Records of the original without a value, and with each value; those that are gone included."""
    place: NDArray[np.int64] = field(repr=False)
    """For each pair its original value; -1 for a missing one."""
    after: pa.Array = field(repr=False)
    """For each pair the released value as text."""
    same: NDArray[np.bool_] = field(repr=False)
    """For each pair whether the value is what it was."""
    counts: NDArray[np.int64] = field(repr=False)
    """Records of each pair."""
    hierarchy: Hierarchy | None
    """The hierarchy of the column, with learned values filled in."""

    def levels(self) -> NDArray[np.int64]:
        """The level each pair was coarsened to; -1 for a foreign value or a gap that was none.

        Where one level explains the whole column it is that, else the finest that explains the pair: labels may be
        the same on several levels. What was missing is at the root when the root was released, else at level 0.
        """
        import numpy as np

        filled = ~np.asarray(self.after.is_null())
        known, whole = self.place >= 0, self._whole()
        found, depth = np.where(known, -1, 0), len(self._held) - 1
        for level in range(depth, -1, -1) if whole is None else (whole,):
            found[known & filled & self._held[level]] = level
        if depth:
            found[~known & self._held[depth]] = depth
        return found

    def level(self) -> int:
        """The level of the column as a whole, which records that are gone would have had, too.

        Where no level explains all of it that is the coarsest that was released, the root only if nothing else was.
        """
        whole, depth = self._whole(), len(self._held) - 1
        if depth and self._held[depth][self.place < 0].any():
            return depth  # what is missing joins nothing but the root
        if whole is not None:
            return whole
        levels = self.levels()
        below = levels[(levels >= 0) & (levels < depth)]
        return int(below.max()) if len(below) else depth

    @cached_property
    def _held(self) -> list[NDArray[np.bool_]]:
        """For each level which pairs carry its label."""
        depth = self.hierarchy.depth if self.hierarchy else 0
        return [self.same | (self.place < 0), *(self._labelled(level) for level in range(1, depth + 1))]

    def _whole(self) -> int | None:
        """The finest level that explains the whole column, if one does."""
        import numpy as np

        open_ = (self.place < 0) | np.asarray(self.after.is_null())
        return next((level for level, ok in enumerate(self._held) if (ok | open_).all()), None)

    def _labelled(self, level: int) -> NDArray[np.bool_]:
        """Which pairs carry the label of a level."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.hierarchy is None:
            raise ValueError("there are no levels")
        if level == self.hierarchy.depth:
            return np.asarray(pc.equal(self.after, ROOT).fill_null(False))
        labels = self.hierarchy.labels(self.values, level).fill_null(ROOT)
        own = labels.take(pa.array(self.place, mask=self.place < 0))
        return np.asarray(pc.equal(own.cast(pa.string()), self.after).fill_null(False))


def pairs_of(case: Case, name: str) -> Pairs | None:
    """The pairs of one column, matched by row key; none when the release does not have it."""
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if name not in case.released.schema:
        return None
    groups = join_pairs(case, [name]).group_by(BEFORE + name, AFTER + name, SAME + name).agg(_n_=nw.len())
    table = case.original.engine.arrays(groups)
    values, sizes = case.original.counts(nw.col(name))
    schema = case.original.schema
    hierarchy = schema.hierarchies.get(schema[name].hierarchy or "")
    if hierarchy is not None and hierarchy.learns:
        hierarchy = hierarchy.fit(values, sizes)
    before = table[BEFORE + name].combine_chunks().cast(values.type)
    return Pairs(
        values=values,
        sizes=np.concatenate([[case.original.rows - int(sizes.sum())], sizes]).astype(np.int64),
        place=np.asarray(pc.index_in(before, values).fill_null(-1), dtype=np.int64),
        after=table[AFTER + name].combine_chunks().cast(pa.string()),
        same=np.asarray(table[SAME + name].combine_chunks().fill_null(False)),
        counts=np.asarray(table["_n_"].to_numpy(), dtype=np.int64),
        hierarchy=hierarchy,
    )


def join_pairs(case: Case, names: Sequence[str], *, as_text: bool = True) -> nw.LazyFrame[Any]:
    """Records of original and release matched by row key: each column before and after, and whether it is the same."""
    import narwhals as nw

    left, right = matched_by(case)
    before = case.original.frame.select(left, *(nw.col(n).alias(BEFORE + n) for n in names))
    after = case.released.frame.select(right, *(nw.col(n).alias(AFTER + n) for n in names))
    both = before.join(after, on=MATCH, how="inner")
    types = both.collect_schema()
    both = both.with_columns(**{SAME + n: same_cells(BEFORE + n, AFTER + n, types) for n in names})
    return both.with_columns(**{AFTER + n: nw.col(AFTER + n).cast(nw.String) for n in names}) if as_text else both


def matched_by(case: Case) -> tuple[nw.Expr, nw.Expr]:
    """The row keys of original and release under one name."""
    import narwhals as nw

    old, new = case.original.schema, case.released.schema
    if (old.row_key is None) != (new.row_key is None):
        message = "original and release cannot be matched: only one of them has a row key"
        hint = "name the column that identifies a row in both schemas"
        raise DataError(Problem("not-matched", "data", message, hint))
    return nw.col(old.key).alias(MATCH), nw.col(new.key).alias(MATCH)


def same_cells(one: str, other: str, types: Mapping[str, nw.dtypes.DType]) -> nw.Expr:
    """Whether two columns hold the same value: 1 and 1.0 are the same number. Unknown where one is missing."""
    import narwhals as nw

    left, right = nw.col(one), nw.col(other)
    alike = types[one] == types[other] or (types[one].is_numeric() and types[other].is_numeric())
    return left == right if alike else left.cast(nw.String) == right.cast(nw.String)
