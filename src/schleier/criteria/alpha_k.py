"""Every class has at least k records, and no sensitive value makes up more than alpha of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.histogram import Histogram
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits, Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.hierarchy.lookup import Label
from schleier.core.schema import Schema
from schleier.criteria._attribute import AttributeCriterion
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import persons
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.criteria._attribute import Reached


class AlphaK(RecordCriterion, AttributeCriterion):
    """Nobody is told from k - 1 others, and nobody's sensitive value is guessed with more confidence than alpha.

    >>> AlphaK(alpha=0.5, k=5).alpha
    0.5
    """

    reference: ClassVar[str] = "Wong, Li, Fu and Wang (2006)"
    example: ClassVar[dict[str, object]] = {"alpha": 0.8, "k": 2, "keys": [["sex"]], "sensitive": ["disease"]}

    alpha: float = stricter("lower", gt=0, le=1)
    """Largest part of a class that may share one sensitive value."""
    k: int = stricter("higher", ge=2)
    """Smallest number of records (or of units) allowed in a class."""
    values: tuple[Label, ...] = ()
    """Sensitive values to protect; all when empty. A harmless value left out may be as frequent as it is."""

    @property
    def hereditary(self) -> bool:
        """A part is never larger than the whole; but a value may be rarer in a part."""
        return self.alpha == 1 and self.missing != "wildcard"

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Single values cannot be named for combinations."""
        yield from super().problems(schema)
        if self.values and self.joint and len(self.columns(schema)) > 1:
            hint = "leave values out, or look at each column for itself"
            yield Problem("joint-values", "values", "values of a combination of columns cannot be named", hint)

    def limits(self, schema: Schema) -> Limits:
        """The k, where a missing key is a value; it is all where one value may fill a class."""
        whole = self.alpha == 1 and not self.counts_units(schema)
        return Limits(least=self.k, whole=whole) if self.missing == "category" else Limits()

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with the sensitive columns, and with the units where they count.

        There is always one of all keys: k is about these, also where each of them is left out for its own values.
        """
        wanted, tables = self.request(schema, self.missing), super().needs(schema)
        if not self.keys and all(set(one.keys) != set(schema.quasi) for one in tables):
            tables = (*tables, Request(schema.quasi, missing=self.missing))
        return tuple(replace(one, units=wanted.units, members=wanted.members) for one in tables)

    def _names(self, classes: Classes) -> list[str]:
        """In a table whose keys they are themselves there are no values to look at: it is there for k."""
        keys = set(self.sensitive) & set(classes.keys)
        return [] if keys and (self.joint or keys == set(self.sensitive)) else super()._names(classes)

    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """The part of the most frequent protected value."""
        import numpy as np

        from schleier.core.hierarchy.lookup import covers
        from schleier.kernels.spread.diversity import class_shares, highest

        part = class_shares(spread.classes, spread.counts, size)
        if self.values:
            protected = np.append(covers([[value] for value in self.values], spread.values), False)
            part = np.where(protected[spread.codes], part, 0.0)
        return highest(spread.classes, part, size)

    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Classes in which a protected value is too frequent."""
        result: NDArray[np.bool_] = scores > self.alpha + TINY
        return result

    def failing(self, classes: Classes, reached: Sequence[Reached]) -> NDArray[np.bool_]:
        """Classes that are too small, or in which a protected value is too frequent."""
        small: NDArray[np.bool_] = self.alike(classes, self.missing) < self.k
        return small | super().failing(classes, reached)

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The most frequent value and the smallest class decide."""
        verdict = super().judge(tables)
        if verdict.level is None:
            return verdict
        smallest = min(int(self.alike(classes, self.missing).min()) for classes in tables if len(classes))
        units = self.tells_units(tables)
        held = persons(smallest, "unit" if units else "record")
        text = f"The smallest class holds {held}; at least {self.k} are required. {verdict.text}"
        return verdict.model_copy(update={"text": text, "units": units})

    def sentence(self, level: float, column: str) -> str:
        """The level reached."""
        return f"One value of {column} makes up {level:.4g} of a class; at most {self.alpha:.10g} is allowed"
