"""Every combination of known values occurs at least k times, or not at all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.classes import Classes, Missing, Request
from schleier.core.criterion import Criterion, Limits, Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.kernels.trials import Z95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KAnonymity(Criterion):
    """No record can be told from fewer than k - 1 others by its quasi-identifiers.

    >>> KAnonymity(k=5).k
    5
    """

    reference: ClassVar[str] = "Sweeney (2002); Kneuper, k-anonymity"
    example: ClassVar[dict[str, object]] = {"k": 2, "keys": [["sex"]]}
    k: int = stricter("higher", ge=2)
    """Smallest number of records (or of estimated persons) allowed in a class."""
    keys: tuple[tuple[str, ...], ...] = ()
    """Combinations of columns to look at; all quasi-identifiers together when empty."""
    count: Literal["records", "weights"] = "records"
    """Count records, or add up weights; the latter estimates persons in the population and is reported so."""
    missing: Missing = Field(default="category")
    """A missing key is a value of its own (category), may be anything (wildcard), or leaves its row out (exclude)."""

    @property
    def monotone(self) -> bool:
        """Sizes add up; but where missing keys are left out or count several times, the root brings new rows in."""
        return self.missing == "category"

    @property
    def hereditary(self) -> bool:
        """A part is never larger than the whole; sums over compatible classes are no parts."""
        return self.missing != "wildcard"

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return tuple(dict.fromkeys(name for keys in self.keys or (schema.quasi,) for name in keys))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys, and weights when they are counted."""
        yield from super().problems(schema)
        if not self.keys and not schema.quasi:
            hint = 'give columns the role "quasi", or name keys'
            yield Problem("no-keys", "keys", "there is no quasi-identifier to look at", hint)
        if any(not keys for keys in self.keys):
            yield Problem("no-keys", "keys", "a combination of keys is empty")
        if self.count == "weights" and not schema.having("weight"):
            hint = 'give one column the role "weight", or count records'
            yield Problem("no-weight", "count", "there is no weight column", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys."""
        weight = schema.having("weight")[0] if self.count == "weights" else None
        return tuple(Request(keys=keys, weight=weight, missing=self.missing) for keys in self.keys or (schema.quasi,))

    def limits(self, schema: Schema) -> Limits:
        """The k, where records are counted and a missing key is a value."""
        plain = self.count == "records" and self.missing == "category"
        return Limits(least=self.k, whole=True) if plain else Limits()

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes smaller than k."""
        result: NDArray[np.bool_] = self._amounts(classes) < self.k
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The smallest class over all combinations decides."""
        bad = [self.bad(classes) for classes in tables]
        levels = [float(self._amounts(classes).min()) for classes in tables if len(classes)]
        level = min(levels, default=None)
        low, high = self._interval(tables[levels.index(level)]) if level is not None else (None, None)
        failing = sum(int(mask.sum()) for mask in bad)
        return Verdict(
            criterion=self.word(),
            name=self.name,
            parameters=self.parameters(public=True),
            holds=failing == 0,
            level=level,
            low=low,
            high=high,
            estimate=self.count == "weights",
            keys=tuple(classes.keys for classes in tables),
            bad_classes=failing,
            bad_records=sum(int(c.sizes[mask].sum()) for c, mask in zip(tables, bad, strict=True)),
            records=max((classes.records for classes in tables), default=0),
            text=self._text(level, failing),
        )

    def _amounts(self, classes: Classes) -> NDArray[np.float64]:
        # A table made for several criteria may hold weights that this one does not ask for.
        amounts = classes.sizes if self.count == "records" or classes.weights is None else classes.weights
        return classes.of(amounts, self.missing)

    def _interval(self, classes: Classes) -> tuple[float | None, float | None]:
        """95 % interval of the smallest estimated class: Poisson sampling, variance = sum of w (w - 1)."""
        if self.count == "records" or classes.weights is None or classes.squares is None:
            return None, None
        smallest = int(self._amounts(classes).argmin())
        estimate = float(self._amounts(classes)[smallest])
        squares = float(classes.of(classes.squares, self.missing)[smallest])
        spread = Z95 * math.sqrt(max(squares - estimate, 0.0))
        return max(estimate - spread, 0.0), estimate + spread

    def _text(self, level: float | None, failing: int) -> str:
        if level is None:
            return "The table is empty."
        who = ("record" if level == 1 else "records") if self.count == "records" else "persons (estimated from weights)"
        smallest = f"The smallest class holds {level:.10g} {who}; at least {self.k} are required"
        fail = "1 class fails" if failing == 1 else f"{failing} classes fail"
        return f"{smallest}, and {fail}." if failing else f"{smallest}."
