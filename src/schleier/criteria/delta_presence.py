"""Nobody can tell too well whether a person of the population is in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import model_validator

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Verdict, stricter
from schleier.core.schema import Schema
from schleier.criteria._keys import KeysCriterion, outcome
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DeltaPresence(KeysCriterion):
    """For every person of the population the probability to be in the data, as far as keys tell, is within bounds.

    >>> DeltaPresence(delta_max=0.5).delta_min
    0.0
    """

    reference: ClassVar[str] = "Nergiz, Atzori and Clifton (2007), Hiding the presence of individuals"
    example: ClassVar[dict[str, object]] = {"delta_max": 0.5, "keys": [["sex"]]}

    delta_max: float = stricter("lower", gt=0, le=1)
    """Largest share of the persons in a class that may be in the data; 1 means that presence is no secret."""
    delta_min: float = stricter("higher", 0.0, ge=0, lt=1)
    """Smallest share, for data where absence must be a secret, too."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.delta_min > self.delta_max:
            raise ValueError("delta_min must not be above delta_max")
        return self

    @property
    def monotone(self) -> bool:
        """The share of a merged class lies between those of its parts; persons without records only lower it."""
        return self.missing == "category" and self.delta_min == 0

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with the population."""
        unit = next(iter(schema.having("unit")), None) if self.delta_min else None
        request = Request((), missing=self.missing, populations=("population",), units=unit, members=unit is not None)
        return tuple(replace(request, keys=keys) for keys in self.combinations(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes whose share of records to persons is out of bounds, or that hold more records than persons."""
        shares = self._shares(classes)
        result: NDArray[np.bool_] = (
            (shares > self.delta_max + TINY) | (self._least(classes) < self.delta_min - TINY) | (shares > 1 + TINY)
        )
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The class in which most of the persons are present decides, and the persons nobody of whose class is."""
        shares = [self._shares(classes) for classes in tables]
        bad = [self.bad(classes) for classes in tables]
        level = max((float(each.max()) for each in shares if len(each)), default=0.0)
        more = sum(int((each > 1 + TINY).sum()) for each in shares)
        if more:
            classes = "1 class holds" if more == 1 else f"{more} classes hold"
            text = f"{classes} more records than the population table has persons: it is no population of these data"
            return self.verdict(tables, bad, None, text)
        allowed = f"at most {self.delta_max:.10g}"
        if self.delta_min:
            least = min((float(self._least(each).min()) for each in tables if len(each)), default=0.0)
            allowed = f"the smallest is {least:.4g}; {self.delta_min:.10g} to {self.delta_max:.10g}"
        text = "The largest share of the persons of a class that are in the data, each record taken for a person, is "
        text += f"{level:.4g}; {allowed} is allowed"
        found = self.verdict(tables, bad, round(level, 9), text)
        return self._with_absent(found, tables, text)

    def _with_absent(self, found: Verdict, tables: Sequence[Classes], text: str) -> Verdict:
        """Where absence is a secret, combinations of the population without any record fail, too."""
        absent = [c.population("population").unmatched(c.codes, c.sizes, self.missing) for c in tables]
        classes, people = sum(map(len, absent)), sum(float(each.sum()) for each in absent)
        if not self.delta_min or not classes or found.level is None:
            return found
        text += f"; {people:.10g} persons of the population are certainly not in the data"
        failing = found.bad_classes + classes
        return found.model_copy(update={"holds": False, "bad_classes": failing, "text": outcome(text, failing)})

    def _least(self, classes: Classes) -> NDArray[np.float64]:
        """The shares if several records of one unit are one person: for absence the strict reading."""
        units = classes.units_of(self.missing) if self.delta_min else None
        return self._shares(classes, units)

    def _shares(self, classes: Classes, counted: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Records, or what else was counted, by persons. For presence each record is a person: the strict reading."""
        import numpy as np

        records = (classes.of(classes.sizes, self.missing) if counted is None else counted).astype(np.float64)
        people = classes.persons("population", self.missing)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares: NDArray[np.float64] = records / people
        shares[(records == 0) & (people == 0)] = 1.0  # rows without a unit: there is nobody who could be absent
        return shares
