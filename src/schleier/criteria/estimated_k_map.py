"""Every released class is so large that the population very likely holds at least k persons like it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits, Verdict, stricter
from schleier.core.schema import Schema
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import AdditiveCriterion, KeysCriterion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EstimatedKMap(AdditiveCriterion, RecordCriterion, KeysCriterion):
    """Fewer than k persons of the population would hardly ever leave so many records in the file.

    >>> EstimatedKMap(k=20, fraction=0.1, significance=0.05).enough
    5
    """

    reference: ClassVar[str] = "El Emam and Dankar (2008), Protecting privacy using k-anonymity (hypothesis testing)"
    example: ClassVar[dict[str, object]] = {"k": 5, "fraction": 0.1, "significance": 0.05, "keys": [["sex"]]}

    k: int = stricter("higher", ge=2, le=100_000)
    """Smallest number of persons of the population that must stand behind a class."""
    fraction: float = Field(gt=0, le=1)
    """Part of the population that the file holds, drawn at random."""
    significance: float = stricter("lower", gt=0, lt=1)
    """How likely it may be that fewer than k persons leave as many records as the smallest class allowed has."""

    @cached_property
    def enough(self) -> int:
        """Records of the smallest class allowed: the least s with P(X >= s) <= significance, X binomial of k - 1."""
        persons, beyond, records = self.k - 1, 1.0, 0
        for records in range(self.k):
            if beyond <= self.significance:
                return records
            logs = math.lgamma(persons + 1) - math.lgamma(records + 1) - math.lgamma(persons - records + 1)
            logs += records * math.log(self.fraction)
            logs += (persons - records) * math.log1p(-self.fraction) if self.fraction < 1 else 0.0
            beyond -= math.exp(logs) if self.fraction < 1 or records == persons else 0.0
        return self.k

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys."""
        wanted = self.request(schema, self.missing)
        return tuple(replace(wanted, keys=keys) for keys in self.combinations(schema))

    def limits(self, schema: Schema) -> Limits:
        """The smallest class allowed, where a missing key is a value."""
        if self.missing != "category":
            return Limits()
        return Limits(least=self.enough, whole=not self.counts_units(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes that fewer than k persons may well have left."""
        result: NDArray[np.bool_] = self.alike(classes, self.missing) < self.enough
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The smallest class over all combinations decides."""
        sizes = [self.alike(classes, self.missing) for classes in tables]
        level = min((float(each.min()) for each in sizes if len(each)), default=0.0)
        needed = f"at least {self.enough} are required for {self.k} persons of the population"
        text = f"The smallest class has {level:.10g} record{'' if level == 1 else 's'}; {needed}"
        bad, units = [self.bad(classes) for classes in tables], self.tells_units(tables)
        return self.verdict(tables, bad, level, text, units=units)
