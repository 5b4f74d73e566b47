"""What criteria on the contributors to an amount have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.component import listed
from schleier.core.criterion import Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._keys import KeysCriterion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ContributionCriterion(KeysCriterion):
    """A criterion on how a total per class is made up of contributions."""

    columns: tuple[str, ...] = Field(min_length=1)
    """The amounts, such as turnover; each is looked at for itself. Amounts below zero count by their size."""
    contributors: int = stricter("higher", 3, ge=1)
    """Smallest number of contributors to a total that is not zero; a unit counts once, however many rows it has."""

    @property
    def monotone(self) -> bool:
        """Who outweighs neither of two sums does not outweigh both; but keys left out bring new rows in at the root."""
        return self.missing == "category"

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys and the amounts."""
        return tuple(dict.fromkeys((*super().uses(schema), *self.columns)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Amounts are numbers, and no keys."""
        yield from super().problems(schema)
        words = [name for name in self.columns if name in schema and not schema[name].numeric]
        if words:
            hint = 'declare them "continuous" or "discrete", or leave them out'
            yield Problem("not-numeric", "columns", f"only numbers can be contributed: {listed(words)}", hint)
        both = [name for name in self.columns if name in super(ContributionCriterion, self).uses(schema)]
        if both:
            hint = "whoever knows the value need not learn it: take it out of the keys, or of the amounts"
            yield Problem("sensitive-key", "columns", f"both key and amount: {listed(both)}", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with the contributions."""
        amounts = tuple(dict.fromkeys(self.columns))
        combinations = self.combinations(schema)
        return tuple(Request(keys=keys, missing=self.missing, magnitudes=amounts) for keys in combinations)

    @abstractmethod
    def outweighed(self, largest: NDArray[np.int64], sums: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which totals are given away by the largest contributions to them."""

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes whose total has too few contributors, or is given away by the largest of them."""
        import numpy as np

        result = np.zeros(len(classes), dtype=np.bool_)
        for name in dict.fromkeys(self.columns):
            found = classes.magnitude(name, self.missing)
            few = (found.sums > 0) & (found.contributors < self.contributors)
            result |= few | self.outweighed(found.largest(), found.sums)
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """No level is told: it would let the second largest contributor of the worst class work out the largest."""
        bad = [self.bad(classes) for classes in tables]
        amounts = listed(list(dict.fromkeys(self.columns)))
        if any(mask.any() for mask in bad):
            return self.verdict(tables, bad, None, f"Few contributors make up the total of {amounts}")
        return self.verdict(tables, bad, None, f"No total of {amounts} gives a contributor away")
