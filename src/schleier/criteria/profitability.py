"""Nobody gains by looking for the person behind a record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits, Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.goal import Goal
from schleier.core.schema import Schema
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import AdditiveCriterion, KeysCriterion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TINY = 1e-9
"""What rounding may add to a gain, relative to the amounts, without a class failing for it."""


class Profitability(AdditiveCriterion, RecordCriterion, KeysCriterion):
    """An attempt to find the person behind a record costs at least as much as it brings on average.

    >>> Profitability(gain=1000, cost=20).least
    50.0
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), chapter 7; Wan et al. (2015)"
    deters: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {"gain": 300, "cost": 8, "keys": [["sex"]]}

    gain: float = stricter("higher", ge=0)
    """What finding the right person is worth to an attacker, in any currency."""
    cost: float = stricter("lower", ge=0)
    """What one attempt costs: its share of acquiring, entering and adapting knowledge, of programs and of labour."""
    sanction: float = stricter("lower", 0.0, ge=0)
    """What an attacker loses who is detected: fines, contract penalties, career."""
    detection: float = stricter("lower", 0.0, ge=0, le=1)
    """Probability that an attempt is detected."""
    alternative_cost: float | None = Field(default=None, ge=0)
    """What it costs to try to learn the same in another way, such as an interview; none when absent."""
    alternative_success: float | None = Field(default=None, gt=0, le=1)
    """Probability that the other way succeeds."""
    attacker: Literal["prosecutor", "journalist"] = "prosecutor"
    """Knows that the person is in the file (prosecutor), or not: then the weights tell how many people it could be."""

    @property
    def price(self) -> float:
        """What an attempt costs with the expected sanction: K_A."""
        return self.cost + self.detection * self.sanction

    @property
    def alternative(self) -> float:
        """What the other way brings on average, N_B - K_B; doing nothing brings 0."""
        if self.alternative_cost is None or self.alternative_success is None:
            return 0.0
        return max(self.alternative_success * self.gain - self.alternative_cost, 0.0)

    @property
    def least(self) -> float:
        """In a class of so many people an attempt does not pay: G_A = 0; infinite when it always does."""
        needed = self.price + self.alternative
        if not self.gain:
            return 0.0
        return self.gain / needed if needed else math.inf

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be something to lose, weights for the journalist, and both or none of the alternative."""
        yield from super().problems(schema)
        if (self.alternative_cost is None) != (self.alternative_success is None):
            hint = "give both alternative_cost and alternative_success, or none of them"
            yield Problem("half-alternative", "alternative_cost", "the other way is described only in part", hint)
        elif math.isinf(self.least):
            hint = "give the cost of an attempt, or a sanction with the probability of detection"
            message = "an attempt that costs nothing pays in every class, however large"
            yield Problem("always-profitable", "cost", message, hint)
        if self.attacker == "journalist" and not schema.having("weight"):
            hint = 'give one column the role "weight", or choose attacker = "prosecutor"'
            yield Problem("no-weight", "attacker", "there is no weight column", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with weights for the journalist."""
        weight = schema.having("weight")[0] if self.attacker == "journalist" else None
        wanted = replace(self.request(schema, self.missing), weight=weight)
        return tuple(replace(wanted, keys=keys) for keys in self.combinations(schema))

    def limits(self, schema: Schema) -> Limits:
        """The smallest class in which an attempt does not pay, where records count and a missing key is a value."""
        plain = self.attacker == "prosecutor" and self.missing == "category" and math.isfinite(self.least)
        least = max(math.ceil(self.least * (1 - TINY)), 1)
        return Limits(least=least, whole=not self.counts_units(schema)) if plain else Limits()

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes in which an attempt pays."""
        result: NDArray[np.bool_] = self._people(classes) < self.least * (1 - TINY)
        return result

    def gains(self, classes: Classes) -> NDArray[np.float64]:
        """Expected gain of one attempt in each class, over the best other way: G_A = N_A + K_B - K_A - N_B."""
        import numpy as np

        people = np.maximum(self._people(classes), 1)  # rows that nobody is said to stand behind are one person
        result: NDArray[np.float64] = self.gain / people - self.price - self.alternative
        return result

    @property
    def goal(self) -> Goal:
        """An attempt brings nothing."""
        return Goal(0.0)

    def weaker_than(self, other: Self) -> bool:
        """All amounts come down to the class size from which an attempt does not pay; the rest must be the same."""
        if type(self) is not type(other):
            return True
        rest = ("keys", "missing", "attacker", "count")
        return any(self._weaker_in(name, other) for name in rest) or self.least < other.least

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The class in which an attempt brings most decides."""
        found = [float(self.gains(classes).max()) for classes in tables if len(classes)]
        level = max(found, default=0.0)
        text = f"One attempt brings an attacker {level:.10g}{' more than the other way' if self.alternative else ''}"
        text += " on average at most"
        if self.price > self.cost:
            text += f" ({level + self.price - self.cost:.10g} without the expected sanction)"
        text += "; more than 0 is not allowed"
        bad, units = [self.bad(classes) for classes in tables], self.tells_units(tables)
        return self.verdict(tables, bad, round(level, 9) if found else None, text, units=units)

    def _people(self, classes: Classes) -> NDArray[np.float64]:
        """How many people a record could be: those in the file, or those in the population, who are never fewer."""
        import numpy as np

        records: NDArray[np.float64] = self.alike(classes, self.missing).astype(np.float64)
        if self.attacker == "prosecutor":
            return records
        if classes.weights is None:  # counting records instead would be another criterion
            raise ValueError("the class table has no weights")
        return np.asarray(np.maximum(classes.of(classes.weights, self.missing), records))
