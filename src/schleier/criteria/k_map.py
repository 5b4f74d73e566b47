"""Every released class matches at least k persons of the population."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Verdict, stricter
from schleier.core.schema import Schema
from schleier.criteria._keys import AdditiveCriterion, KeysCriterion, persons

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KMap(AdditiveCriterion, KeysCriterion):
    """Who looks for the person behind a record finds at least k in the population, and cannot tell which it is.

    >>> KMap(k=5).k
    5
    """

    reference: ClassVar[str] = "Sweeney (2002); El Emam and Dankar (2008), Protecting privacy using k-anonymity"
    example: ClassVar[dict[str, object]] = {"k": 3, "keys": [["sex"]]}

    k: int = stricter("higher", ge=2)
    """Smallest number of persons of the population that may match a class."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with the population."""
        people = ("population",)
        return tuple(Request(keys, missing=self.missing, populations=people) for keys in self.combinations(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes that match fewer than k persons."""
        result: NDArray[np.bool_] = classes.persons("population", self.missing) < self.k
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The class with the fewest persons over all combinations decides."""
        matched = [classes.persons("population", self.missing) for classes in tables]
        level = min((float(each.min()) for each in matched if len(each)), default=0.0)
        text = f"The rarest class matches {persons(level)} of the population; at least {self.k} are required"
        nobody = sum(int((each == 0).sum()) for each in matched)
        if nobody:
            classes = "1 class matches" if nobody == 1 else f"{nobody} classes match"
            text += f" ({classes} nobody: the population table must hold everybody who could be in the data)"
        return self.verdict(tables, [self.bad(classes) for classes in tables], level, text)
