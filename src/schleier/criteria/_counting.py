"""What criteria that count records have in common: several records of one unit hide nobody from each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from schleier.core.classes import Classes
from schleier.core.classes.request import Missing, Request
from schleier.core.criterion import Criterion, ranked
from schleier.core.errors import Problem
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RANKS = ("records", None, "units")
"""What is counted, weakest first: units are never more than records."""


class CountingCriterion(Criterion):
    """A criterion on how many look alike: units where the table has them, else records."""

    count: str | None = ranked(RANKS)
    """What is counted; left out, units where the released table has them."""

    def counts_units(self, schema: Schema) -> bool:
        """Whether units are counted."""
        return self.unit(schema) is not None

    def unit(self, schema: Schema) -> str | None:
        """The column whose different values are counted; none where records are."""
        return next(iter(schema.having("unit")), None) if self.count in (None, "units") else None

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be units when they are asked for."""
        yield from super().problems(schema)
        if self.count == "units" and not schema.having("unit"):
            hint = 'give one column the role "unit", or count records'
            yield Problem("no-unit", "count", "there is no unit column", hint)

    def alike(self, classes: Classes, missing: Missing) -> NDArray[np.int64]:
        """How many look alike in each class.

        A table made for several criteria may hold units that this one does not ask for. Units of merged classes are
        not always known, but never more than records: a search that goes by these must count again in the end.
        """
        units = classes.units_of(missing) if self.count in (None, "units") else None
        return classes.of(classes.sizes, missing) if units is None else units

    def chances(self, classes: Classes, missing: Missing) -> NDArray[np.float64]:
        """The chance to pick the right one in each class; rows that nobody is said to stand behind are one."""
        import numpy as np

        found: NDArray[np.float64] = 1.0 / np.maximum(self.alike(classes, missing), 1)
        return found

    def request(self, schema: Schema, missing: Missing) -> Request:
        """What it wants to see of a table, the keys left open."""
        unit = self.unit(schema)
        return Request((), missing=missing, units=unit, members=unit is not None and missing == "wildcard")

    def tells_units(self, tables: Sequence[Classes]) -> bool:
        """Whether the level of some tables is about units."""
        return self.count in (None, "units") and any(classes.units is not None for classes in tables)


class RecordCriterion(CountingCriterion):
    """A criterion that counts records or units, and nothing else."""

    count: Literal["records", "units"] | None = ranked(RANKS)
    """Count records, or different units (households, patients); left out, units where the released table has them."""
