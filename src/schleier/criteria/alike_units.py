"""Every unit as a whole, with all its members, looks like at least k - 1 other units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits, Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._keys import KeysCriterion, persons

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class AlikeUnits(KeysCriterion):
    """No unit (household, patient, firm) can be told from fewer than k - 1 others by its composition.

    The composition of a unit says which combinations of keys its members have, and how many members have each.

    >>> AlikeUnits(k=5).k
    5
    """

    reference: ClassVar[str] = "Nergiz, Clifton and Nergiz (2009), multirelational k-anonymity"
    example: ClassVar[dict[str, object]] = {"k": 2, "keys": [["sex"]]}

    k: int = stricter("higher", ge=2)
    """Smallest number of units that must have the same composition."""
    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out of its unit (exclude)."""

    @property
    def monotone(self) -> bool:
        """Units that are alike stay alike when classes are merged; a row that was left out may come back."""
        return self.missing == "category"

    @property
    def hereditary(self) -> bool:
        """A class fails by its units, and a part never has more."""
        return True

    @property
    def smallest(self) -> int:
        """The number of units: each class holds as many."""
        return self.k

    def counts_units(self, schema: Schema) -> bool:
        """It always does."""
        return True

    def with_smallest(self, smallest: int) -> Self:
        """The same with another number."""
        return self.model_copy(update={"k": smallest})

    def limits(self, schema: Schema) -> Limits:
        """A class of fewer than k records has fewer than k units; more is asked of the table as a whole."""
        return Limits(least=self.k) if self.missing == "category" else Limits()

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys and units."""
        yield from super().problems(schema)
        if not schema.having("unit"):
            hint = 'give one column the role "unit", or leave the criterion out: nothing ties records together'
            yield Problem("no-unit", "criterion", "there is no unit column", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with what units are made of."""
        unit = next(iter(schema.having("unit")), None)
        policy = (self.missing,)
        return tuple(
            Request(keys, missing=self.missing, units=unit, compositions=policy) for keys in self.combinations(schema)
        )

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes of fewer than k units: no unit with a member there has k - 1 others like it.

        Units of merged classes are not always known, but never more than records.
        """
        units = classes.sizes if classes.units is None else classes.units
        failing: NDArray[np.bool_] = units < self.k
        return failing

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The rarest composition over all combinations of keys decides."""
        found = [classes.composed(self.missing) for classes in tables]
        level = min((one.smallest for one in found if one.smallest is not None), default=None)
        rare, records = (sum(counts) for counts in zip(*(one.rarer(self.k) for one in found), strict=True))
        bad = [self.bad(classes) for classes in tables]
        counts = {"bad_classes": rare, "bad_records": records, "holds": not rare, "compositions": True, "units": True}
        verdict = self.verdict(tables, bad, None if level is None else float(level), "", **counts)
        return verdict.model_copy(update={"text": self._text(level, rare)})

    def _text(self, level: int | None, rare: int) -> str:
        if level is None:
            return "The table is empty."
        text = f"The rarest composition is that of {persons(level, 'unit')}; at least {self.k} are required"
        many = "1 composition is" if rare == 1 else f"{rare} compositions are"
        return f"{text}, and {many} rarer." if rare else f"{text}."
