"""How far the joint distribution that a reader can rebuild from the release is from the true one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.hierarchy import ROOT
from schleier.core.loss import ByClasses, Coarsened, Loss, percent
from schleier.core.measure import Case, Finding
from schleier.utility._leaves import WHOLE, Leaves, behind_labels, classes_of, leaves_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run

TINY = 1e-12
"""A divergence below this is rounding."""


class DivergenceLoss(Loss):
    """Kullback-Leibler divergence of the keys' joint distribution, against that of a release that tells nothing.

    >>> DivergenceLoss().word()
    'divergence_loss'
    """

    reference: ClassVar[str] = "Kifer, Gehrke (2006), Injecting utility into anonymized datasets, 3 (KL divergence)"
    example: ClassVar[dict[str, object]] = {}

    def of(self, node: Coarsened) -> float:
        """Labels are spread evenly over the values they may be, dropped records over all there can be."""
        import numpy as np
        import pyarrow.compute as pc

        records, counted, now = node.fine.records, self.counted(node.fine), self.kept(node)
        if not now.records:
            return float(records > 0)
        every, fine = leaves_of(node.fine), node.fine.onto(now.keys)[0]
        leaves, levels = [every[j] for j in counted], np.zeros((len(now), len(counted)), dtype=np.int64)
        for i, j in enumerate(counted):
            root = (
                np.asarray(pc.equal(now.values[i], ROOT)) if node.levels[j] else np.zeros(len(now.values[i]), np.bool_)
            )
            levels[:, i] = np.where(np.append(root, False)[now.codes[:, i]], WHOLE, node.levels[j])
        spread = [(mass / records, behind) for mass, behind in _spread(fine, leaves, now, levels)]
        return _share(*_divergences(fine, leaves, spread, node.dropped / records))

    def floor(self, node: Coarsened) -> float:
        """That of the true number of records in each cell, spread evenly over the values that share its labels.

        Of all distributions that are even within these cells it is the nearest, and coarser ones are even there, too.
        """
        import numpy as np

        records, counted = node.fine.records, self.counted(node.fine)
        if not records:
            return 0.0
        names = [node.fine.keys[j] for j in counted]
        every, (fine, place) = leaves_of(node.fine), node.fine.onto(names)
        leaves, behind = [every[j] for j in counted], np.zeros(len(fine))
        for i, j in enumerate(counted):
            cells = leaves[i].below(node.levels[j], exact=True)
            behind += np.log(cells)[fine.codes[:, i].astype(np.int64) + 1]
        cell, mass = node.table.onto(names)[1][node.place], np.zeros(len(fine))
        mass[place] = np.bincount(cell, weights=node.fine.sizes)[cell] / records
        return _share(*_divergences(fine, leaves, [(mass, behind)], 0.0))

    def by_classes(self, fine: Classes) -> ByClasses | None:
        """Where all keys count, and no label means anything while its neighbours mean something."""
        behind, totals = behind_labels(fine, range(len(fine.keys)))
        if len(self.counted(fine)) < len(fine.keys) or any(one.has_roots for one in leaves_of(fine)):
            return None
        most = sum(math.log(total) for total in totals.values()) - _entropy(fine)
        return ByClasses("divergence", behind, totals) if most > TINY else None

    def measure(self, case: Case, run: Run) -> Finding:
        """Look up where each class of the release spreads its records; what is missing there was dropped."""
        original, released = case.original, case.released
        names = [name for name in self.uses(original.schema) if name in original.schema]
        there = [name for name in names if name in released.schema]
        fine, now = classes_of(original, names), released.classes(Request(keys=tuple(there)))
        leaves, records = leaves_of(fine), max(fine.records, now.records)
        rest = (records - now.records) / max(records, 1)
        spread = [
            (mass / max(records, 1), behind) for mass, behind in _spread(fine, leaves, now, _levels(fine, leaves, now))
        ]
        found, most = _divergences(fine, leaves, spread, rest)
        gone = bool(fine.records) and not now.records
        value = 1.0 if gone else _share(found, most)
        # A combination that the release rules out although it was there is infinitely far away.
        detail = {"nats": found if math.isfinite(found) else None, "nats_if_all_dropped": most}
        detail |= {"dropped": records - now.records, "columns": len(names)}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        share = percent(1 - finding.value)
        text = f"The release tells {share} of how {finding.detail['columns']} columns are distributed together."
        return finding.model_copy(update={"text": text})


Spread = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""For each class the records that are spread over the cell it lies in, and the logarithm of the size of that cell."""


def _divergences(fine: Classes, leaves: Sequence[Leaves], spread: Sequence[Spread], rest: float) -> tuple[float, float]:
    """D(p || q) in nats, and what it is when everything is spread evenly; ``rest`` is the share that is."""
    import numpy as np

    domain = sum(math.log(one.total) for one in leaves)
    shares = fine.sizes / max(fine.records, 1)
    shares, there = shares[shares > 0], shares > 0
    with np.errstate(divide="ignore"):
        logs = np.full(int(there.sum()), np.log(rest) - domain)
        for mass, behind in spread:
            logs = np.logaddexp(logs, (np.log(mass) - behind)[there])
    found = float((shares * (np.log(shares) - logs)).sum())
    return max(found, 0.0), max(float((shares * (np.log(shares) + domain)).sum()), 0.0)


def _entropy(fine: Classes) -> float:
    """Of a table, in nats."""
    import numpy as np

    shares = fine.sizes[fine.sizes > 0] / max(fine.records, 1)
    return float(-(shares * np.log(shares)).sum())


def _share(found: float, most: float) -> float:
    """Dropping only some records can be worse than dropping all: what is then left misleads, and counts as nothing."""
    return min(found / most, 1.0) if most > TINY else 0.0


def _levels(fine: Classes, leaves: Sequence[Leaves], now: Classes) -> NDArray[np.int64]:
    """The level of each key of each class of a release."""
    import numpy as np

    levels = np.full((len(now), len(fine.keys)), WHOLE, dtype=np.int64)
    for i, (name, column) in enumerate(zip(now.keys, leaves_of(now), strict=True)):
        j = fine.keys.index(name)
        levels[:, j] = leaves[j].levels(column.values, column.gaps)[now.codes[:, i].astype(np.int64) + 1]
    return levels


def _spread(fine: Classes, leaves: Sequence[Leaves], now: Classes, levels: NDArray[np.int64]) -> Iterator[Spread]:
    """For every combination of levels in a release the records that each original class shares its cell with."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from schleier.kernels.classes.coding import merge

    for pattern in np.unique(levels, axis=0):
        here = np.flatnonzero((levels == pattern).all(axis=1))
        before, after = np.zeros_like(fine.codes), np.zeros((len(here), len(fine.keys)), dtype=np.int32)
        behind = np.zeros(len(fine))
        for j, level in enumerate(pattern.tolist()):
            behind += np.log(leaves[j].below(level))[fine.codes[:, j].astype(np.int64) + 1]
            if leaves[j].is_whole(level):
                continue
            i = now.keys.index(fine.keys[j])
            labels, words = leaves[j].labels(leaves[j].values, level), now.values[i].cast(pa.string())
            for codes, side, text in ((fine.codes[:, j], before, labels), (now.codes[here, i], after, words)):
                spot = np.asarray(pc.index_in(text, labels).fill_null(len(labels)), dtype=np.int32)
                side[:, j] = np.append(spot, np.int32(-1))[codes]
        place = merge(np.concatenate([before, after]))[1]
        mass = np.bincount(place[len(fine) :], weights=now.sizes[here], minlength=int(place.max(initial=0)) + 1)
        yield mass[place[: len(fine)]].astype(np.float64), behind
