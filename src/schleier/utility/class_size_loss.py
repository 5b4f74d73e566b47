"""How large the classes are on average."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.loss import EVEN, PARTS, ByClasses, Coarsened, Loss, factors, in_part
from schleier.core.measure import Case, Finding

if TYPE_CHECKING:
    from schleier.core.run import Run


class ClassSizeLoss(Loss):
    """Average class size, 0 for one record in each class and 1 for one class; dropped records are a class together.

    >>> ClassSizeLoss(k=5).k
    5
    """

    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan (2006), Mondrian, 5.1 (C_AVG); ARX (AECS)"
    example: ClassVar[dict[str, object]] = {"k": 3}

    columns: tuple[str, ...] = ()
    """Columns whose combinations are the classes; all quasi-identifiers when empty."""
    k: int = Field(default=1, ge=1)
    """Smallest class the release had to have: the average is also told as a multiple of it (C_AVG)."""

    balance: float = Field(default=0.5, ge=0.0, le=1.0)
    """Coarsening against suppressing: with more than 0.5 the class of the dropped records counts less, with less than
    that every other class does."""

    def of(self, node: Coarsened) -> float:
        """One class more when something is dropped."""
        return self._value(node.fine.records, len(self.kept(node)), node.dropped)

    def floor(self, node: Coarsened) -> float:
        """Coarser tables have no more classes, and a dropped class makes room for that of the dropped records.

        On some of the keys nothing need make room for it: one more.
        """
        classes, (dropped, own) = len(self.kept(node.whole())), factors(self.balance)
        room = 0.0 if len(self.counted(node.fine)) < len(node.fine.keys) else own
        return _scaled(node.fine.records, own * classes + max(dropped - room, 0.0))

    def by_classes(self, fine: Classes) -> ByClasses | None:
        """Where all keys count, the classes are those of the search, and coarsening counts as much as suppressing."""
        plain = self.balance == EVEN and len(self.counted(fine)) == len(fine.keys)
        return ByClasses("number") if plain else None

    def measure(self, case: Case, run: Run) -> Finding:
        """Count the classes of the release; what is missing there was dropped."""
        names = [name for name in self.uses(case.original.schema) if name in case.released.schema]
        classes, records = case.released.classes(Request(keys=tuple(names))), case.original.rows
        number, dropped = int((classes.sizes > 0).sum()), max(records - classes.records, 0)
        records = max(records, classes.records)
        average = records / max(number + (dropped > 0), 1)
        detail = {"average": average, "c_avg": average / self.k, "classes": number, "dropped": dropped}
        detail |= in_part(self.balance)
        value = self._value(records, number, dropped)
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        average, times = (finding.detail[part] for part in ("average", "c_avg"))
        text = f"A class has {average:.2f} records on average, {times:.2f} times the {self.k} asked for."
        if self.k == 1:
            text = f"A class has {average:.2f} records on average."
        text += "".join(f" {told}" for name, told in PARTS.items() if name in finding.detail)
        return finding.model_copy(update={"text": text})

    def _value(self, records: int, classes: int, dropped: int) -> float:
        if dropped == records:
            return float(records > 0)
        gone, own = factors(self.balance)
        return _scaled(records, own * classes + gone * (dropped > 0))


def _scaled(records: int, classes: float) -> float:
    """(average - 1) / (records - 1), at most 1."""
    average = records / classes if classes > 0 else math.inf
    return min(max(average - 1, 0.0) / max(records - 1, 1), 1.0) if records else 0.0
