"""What an attacker lays side by side: the persons he knows and the released records, column by column, as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from schleier.core.classes.table import sorted_codes
from schleier.core.hierarchy.contract import ROOT
from schleier.core.trust.answer import Claims
from schleier.core.trust.possible import ends_of, may_hold, number_of
from schleier.core.trust.trustee import ALIAS, TARGET

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.schema import Schema

Missing = Literal["category", "anything"]
"""Whether a gap is a value like others, or may stand for any of them."""
GAP = -1


@dataclass(frozen=True)
class Words:
    """A column whose values are only equal or not: codes of the known values and of the released cells."""

    known: NDArray[np.int32] = field(repr=False)
    """The value of each target; -1 where he does not know it."""
    cells: NDArray[np.int32] = field(repr=False)
    """The cell of each record; -1 for a gap."""
    meets: NDArray[np.bool_] = field(repr=False)
    """For each cell (and in the last row for a gap) whether it may stand for each value (in the last column: a gap)."""


@dataclass(frozen=True)
class Numbers:
    """A column whose differences mean something: the interval in which each number lies.

    Both ends are the number itself where it is known or released as it is; nan for a gap, infinite where a gap may be
    anything.
    """

    known: NDArray[np.float64] = field(repr=False)
    upto: NDArray[np.float64] = field(repr=False)
    """Ends of what is known of each target."""
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    """Ends of what is released in each record."""

    def middles(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Known and released numbers, each interval by its middle; nan where there is none."""
        import numpy as np

        with np.errstate(invalid="ignore"):
            both = (self.known + self.upto) / 2, (self.low + self.high) / 2
        known, released = (np.where(np.isfinite(one), one, np.nan) for one in both)
        return known, released


@dataclass(frozen=True)
class Sides:
    """Some columns of the targets and of the records. Targets and records are told apart by their places."""

    columns: Mapping[str, Words | Numbers] = field(repr=False)
    targets: pa.Array = field(repr=False)
    """The alias of each target."""
    records: pa.Array = field(repr=False)
    """The alias of each record."""

    def claims(
        self, released: Dataset, target: NDArray[np.int64], record: NDArray[np.int64], **facts: int | float
    ) -> Claims:
        """Pairs of places as pairs of aliases, for the trustee; and what the attacker can tell of them."""
        import pyarrow as pa

        from schleier.core.engine import Source

        pairs = {TARGET: self.targets.take(pa.array(target)), ALIAS: self.records.take(pa.array(record))}
        return Claims(released.engine.read(Source(pa.table(pairs))), facts)


def sides_of(released: Dataset, known: Dataset, columns: tuple[str, ...], missing: Missing = "category") -> Sides:
    """Both files in memory. A cell of the release that is a set of values meets each of them."""
    mine = known.engine.arrays(known.frame.select(TARGET, *columns)).sort_by(TARGET)
    theirs = released.engine.arrays(released.frame.select(ALIAS, *columns)).sort_by(ALIAS)
    found = {name: _column(mine[name], theirs[name], name, known.schema, missing) for name in columns}
    return Sides(found, mine[TARGET].combine_chunks(), theirs[ALIAS].combine_chunks())


def _column(
    mine: pa.ChunkedArray, theirs: pa.ChunkedArray, name: str, schema: Schema, missing: Missing
) -> Words | Numbers:
    if (schema[name].numeric or schema[name].scale == "time") and (numbers := _numbers(mine, theirs, missing)):
        return numbers
    return _words(mine, theirs, name, schema, missing)


def _words(mine: pa.ChunkedArray, theirs: pa.ChunkedArray, name: str, schema: Schema, missing: Missing) -> Words:
    import numpy as np

    values, known = sorted_codes(mine)
    labels, cells = sorted_codes(theirs)
    given = schema[name].hierarchy
    meets = np.zeros((len(labels) + 1, len(values) + 1), dtype=np.bool_)
    meets[:-1, :-1] = may_hold(labels, values, schema.hierarchies.get(given) if given else None)
    meets[-1, -1] = True
    if missing == "anything":
        meets[-1, :] = meets[:, -1] = True
    return Words(known, cells, meets)


def _numbers(mine: pa.ChunkedArray, theirs: pa.ChunkedArray, missing: Missing) -> Numbers | None:
    """Numbers, and dates in days; nothing where a released label is neither a number nor an interval of them."""
    import numpy as np

    known = _floats(mine)
    if known is None:
        return None
    exact = _floats(theirs)
    if exact is not None:
        low, high = exact, exact.copy()
    else:
        labels, cells = sorted_codes(theirs)
        ends = [_ends(label) for label in labels.to_pylist()]
        if any(one is None for one in ends):
            return None
        both = np.array([*ends, (np.nan, np.nan)], dtype=np.float64).reshape(-1, 2)
        low, high = both[cells, 0], both[cells, 1]
    upto = known.copy()
    if missing == "anything":
        for lower, upper in ((known, upto), (low, high)):
            gap = np.isnan(lower)
            lower[gap], upper[gap] = -np.inf, np.inf
    return Numbers(known, upto, low, high)


def _ends(label: str) -> tuple[float, float] | None:
    """Both ends of what a label stands for, as numbers; nothing for a word."""
    if label == ROOT:
        return -math.inf, math.inf
    if (found := ends_of(label)) is not None:
        return found.low, found.high
    number = number_of(label)
    return None if math.isnan(number) else (number, number)


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Numbers, and dates in days since 1970, nan for a gap; nothing for any other kind of column."""
    import numpy as np
    import pyarrow as pa

    kind, days = column.type, 1.0
    if pa.types.is_date32(kind):
        column = column.cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        column, days = column.cast(pa.timestamp("us")).cast(pa.int64()), 86_400e6
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    return np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64) / days
