"""How many other records each record cannot be told from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.loss import ByClasses, Coarsened, Loss, percent
from schleier.core.measure import Case, Finding

if TYPE_CHECKING:
    from schleier.core.run import Run


class DiscernibilityLoss(Loss):
    """Sum of squared class sizes, a dropped record costing as much as the file has records; divided by their square.

    >>> DiscernibilityLoss(columns=["age", "sex"]).columns
    ('age', 'sex')
    """

    reference: ClassVar[str] = "Bayardo, Agrawal (2005), Data privacy through optimal k-anonymization, eq. 1 (C_DM)"
    example: ClassVar[dict[str, object]] = {}

    columns: tuple[str, ...] = ()
    """Columns whose combinations are the classes; all quasi-identifiers when empty."""

    def of(self, node: Coarsened) -> float:
        """The sum over the classes that stay, and over the records that do not."""
        records = node.fine.records
        return _penalty(self.kept(node), records) / records**2 if records else 0.0

    def floor(self, node: Coarsened) -> float:
        """The classes only grow; on some of the keys, dropping may shrink one, and does so best down to half the file.

        There a class of s > n/2 records costs at least n²/4 + n (s - n/2) = n s - n²/4, see the page of the measure.
        """
        import numpy as np

        records, all_keys = node.fine.records, len(self.counted(node.fine)) == len(node.fine.keys)
        if not records:
            return 0.0
        sizes = self.kept(node.whole()).sizes.astype(np.float64)
        shrunk = records * sizes - records**2 / 4
        least = np.where(all_keys | (sizes <= records / 2), sizes**2, shrunk)
        return float(least.sum()) / records**2

    def by_classes(self, fine: Classes) -> ByClasses | None:
        """Where all keys count, the classes are those of the search."""
        return ByClasses("squares") if len(self.counted(fine)) == len(fine.keys) else None

    def measure(self, case: Case, run: Run) -> Finding:
        """Count the classes of the release; what is missing there was dropped."""
        names = [name for name in self.uses(case.original.schema) if name in case.released.schema]
        classes, records = case.released.classes(Request(keys=tuple(names))), case.original.rows
        penalty = _penalty(classes, max(records, classes.records))
        value = penalty / max(records, classes.records, 1) ** 2
        dropped = max(records - classes.records, 0)
        detail = {"penalty": penalty, "records": records, "dropped": dropped, "classes": _number(classes)}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        share, dropped = percent(finding.value), finding.detail["dropped"]
        text = f"A record cannot be told from {share} of the records on average; {dropped} records were dropped."
        return finding.model_copy(update={"text": text})


def _penalty(kept: Classes, records: int) -> float:
    import numpy as np

    return float((kept.sizes.astype(np.float64) ** 2).sum()) + float(records) * (records - kept.records)


def _number(classes: Classes) -> int:
    return int((classes.sizes > 0).sum())
