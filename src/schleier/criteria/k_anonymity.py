"""Every combination of known values occurs at least k times, or not at all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits, Verdict, ranked, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._counting import RANKS, CountingCriterion
from schleier.criteria._keys import AdditiveCriterion, KeysCriterion
from schleier.kernels.statistics.trials import Z95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KAnonymity(AdditiveCriterion, CountingCriterion, KeysCriterion):
    """No record can be told from fewer than k - 1 others by its quasi-identifiers.

    >>> KAnonymity(k=5).k
    5
    """

    reference: ClassVar[str] = "Sweeney (2002); Kneuper, k-anonymity"
    example: ClassVar[dict[str, object]] = {"k": 2, "keys": [["sex"]]}

    k: int = stricter("higher", ge=2)
    """Smallest number of records (or of units, or of estimated persons) allowed in a class."""
    count: Literal["records", "units", "weights"] | None = ranked(RANKS)
    """Count records, count different units (households, patients), or add up weights; the latter estimates persons in
    the population and is reported so. Left out, units are counted where the released table has them, else records."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys, and units or weights when they are counted."""
        yield from super().problems(schema)
        if self.count == "weights" and not schema.having("weight"):
            hint = 'give one column the role "weight", or count records'
            yield Problem("no-weight", "count", "there is no weight column", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys."""
        weight = schema.having("weight")[0] if self.count == "weights" else None
        request = replace(self.request(schema, self.missing), weight=weight)
        return tuple(replace(request, keys=keys) for keys in self.combinations(schema))

    @property
    def smallest(self) -> int:
        """The number of records, or of units."""
        return self.k

    def with_smallest(self, smallest: int) -> Self:
        """The same with another number."""
        return self.model_copy(update={"k": smallest})

    def limits(self, schema: Schema) -> Limits:
        """The k, where records are counted and a missing key is a value; units are never more than records."""
        plain = self.count != "weights" and self.missing == "category"
        return Limits(least=self.k, whole=not self.counts_units(schema)) if plain else Limits()

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes smaller than k."""
        result: NDArray[np.bool_] = self._amounts(classes) < self.k
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The smallest class over all combinations decides."""
        levels = [(float(self._amounts(classes).min()), i) for i, classes in enumerate(tables) if len(classes)]
        level, where = min(levels, default=(0.0, -1))
        low, high = self._interval(tables[where]) if levels else (None, None)
        by_units = self.tells_units(tables)
        plain = "units" if by_units else "records"
        estimate = self.count == "weights"
        who = "persons (estimated from weights)" if estimate else plain.removesuffix("s" * (level == 1))
        text = f"The smallest class holds {level:,.10g} {who}; at least {self.k:,} are required"
        bad = [self.bad(classes) for classes in tables]
        return self.verdict(tables, bad, level, text, low=low, high=high, estimate=estimate, units=by_units)

    def _amounts(self, classes: Classes) -> NDArray[np.float64]:
        if self.count != "weights":
            return self.alike(classes, self.missing).astype("float64")
        if classes.weights is None:  # counting records instead would be another criterion
            raise ValueError("the class table has no weights")
        return classes.of(classes.weights, self.missing)

    def _interval(self, classes: Classes) -> tuple[float | None, float | None]:
        """95 % interval of the smallest estimated class: Poisson sampling, variance = sum of w (w - 1)."""
        if self.count != "weights" or classes.weights is None or classes.squares is None:
            return None, None
        smallest = int(self._amounts(classes).argmin())
        estimate = float(self._amounts(classes)[smallest])
        squares = float(classes.of(classes.squares, self.missing)[smallest])
        spread = Z95 * math.sqrt(max(squares - estimate, 0.0))
        return max(estimate - spread, 0.0), estimate + spread
