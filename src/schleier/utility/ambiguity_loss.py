"""How many different original records a released record may stand for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.loss import ByClasses, Coarsened, Loss
from schleier.core.measure import Case, Finding
from schleier.utility._leaves import Leaves, behind_labels, classes_of, leaves_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run


class AmbiguityLoss(Loss):
    """Mean over records of the product over columns of the values behind the label; 1 when all could be anything.

    >>> AmbiguityLoss().word()
    'ambiguity_loss'
    """

    reference: ClassVar[str] = "Nergiz, Clifton (2007), Thoughts on k-anonymization (AM); Goldberger, Tassa (2010)"
    example: ClassVar[dict[str, object]] = {}

    def of(self, node: Coarsened) -> float:
        """Dropped records may be anything."""
        return self._mean(node, node.kept)

    def floor(self, node: Coarsened) -> float:
        """What it costs with nothing dropped: no record stands for fewer at a coarser level, or when dropped."""
        return self._mean(node, node.fine.sizes)

    def by_classes(self, fine: Classes) -> ByClasses:
        """What each label may stand for says all."""
        return ByClasses("product", *behind_labels(fine, self.counted(fine)))

    def _mean(self, node: Coarsened, kept: NDArray[np.int64]) -> float:
        import numpy as np

        fine, logs = node.fine, np.zeros(len(node.fine))
        if not fine.records:
            return 0.0
        counted, leaves = self.counted(fine), leaves_of(fine)
        for j in counted:
            logs += np.log(leaves[j].below(node.levels[j]))[fine.codes[:, j].astype(np.int64) + 1]
        shares = _share(logs, _all(leaves[j] for j in counted))
        return min(1.0, (float(shares @ kept) + fine.records - float(kept.sum())) / fine.records)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count the classes of the release; each label is looked up in the hierarchy of its column."""
        import numpy as np

        original, released = case.original, case.released
        names = [name for name in self.uses(original.schema) if name in original.schema]
        there = [name for name in names if name in released.schema]
        leaves = dict(zip(names, leaves_of(classes_of(original, names)), strict=True))
        classes, records = released.classes(Request(keys=tuple(there))), original.rows
        logs = np.full(len(classes), _all(leaves[name] for name in names if name not in there))
        for j, (name, now) in enumerate(zip(there, leaves_of(classes), strict=True)):
            logs += np.log(_behind(leaves[name], now))[classes.codes[:, j].astype(np.int64) + 1]
        highest = _all(leaves.values())
        kept = classes.records
        dropped = max(records - kept, 0)
        records = max(records, kept)
        value = (float(_share(logs, highest) @ classes.sizes) + dropped) / max(records, 1)
        # The mean in logarithms: with many columns the product is larger than any number a computer writes down.
        relative = (float(np.exp(logs - highest) @ classes.sizes) + dropped) / max(records, 1)
        log10 = max((highest + math.log(relative)) / math.log(10), 0.0) if relative > 0 else 0.0
        detail = {"log10_average": log10, "log10_most": highest / math.log(10), "dropped": dropped}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        log10 = finding.detail["log10_average"]
        about = f"{10**log10:.4g}" if log10 < 15 else f"10^{log10:.1f}"
        text = f"A released record may stand for {about} different original ones on average."
        return finding.model_copy(update={"text": text})


def _behind(leaves: Leaves, now: Leaves) -> NDArray[np.float64]:
    """How many values a gap, and each value of a released column, may stand for."""
    import numpy as np
    import pyarrow as pa

    levels = leaves.levels(now.values, now.gaps)
    found = np.ones(len(levels))
    for level in np.unique(levels):
        here = np.flatnonzero(levels[1:] == level)
        if level < 0:
            found[levels == level] = leaves.total
        elif level > 0:
            found[here + 1] = leaves.behind(now.values.cast(pa.string()).take(pa.array(here)), int(level))
    return found


def _all(leaves: Iterable[Leaves]) -> float:
    """The logarithm of how many different records there can be."""
    return math.fsum(math.log(one.total) for one in leaves)


def _share(logs: NDArray[np.float64], highest: float) -> NDArray[np.float64]:
    """(product - 1) / (most - 1), from logarithms."""
    import numpy as np

    if highest == 0:
        return np.zeros(len(logs))
    return np.clip((np.exp(logs - highest) - math.exp(-highest)) / -math.expm1(-highest), 0.0, 1.0)
