"""How likely a match with a unique record is right: for the file (DIS), and for each record by its score (DIS-SUDA)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.risk._sample import SampledFile

TENTHS = tuple(i / 10 for i in range(10))


@dataclass(frozen=True)
class Matches:
    """Unique records and pairs of a file that is a sample, and what they tell about matches."""

    unique: int
    pairs: int
    fraction: float
    unweighted: float
    """DIS with the same weight for all."""
    dis: float
    """DIS with the weights of the records, where they have any."""
    each: NDArray[np.float64]
    """DIS-SUDA of each class; 0 where it has several records."""

    @staticmethod
    def of(classes: Classes, sample: SampledFile | None, scores: NDArray[np.float64], least: float) -> Matches:
        """Count unique records and pairs; a file that nobody says is a sample is everybody."""
        import numpy as np

        from schleier.kernels.suda.scores import matching, outside, share_out

        single, double = classes.sizes == 1, classes.sizes == 2
        unique, pairs = int(single.sum()), int(double.sum())
        fraction = sample.fraction if sample else 1.0
        strangers = outside(pairs, 2 * pairs / fraction)
        unweighted, persons = matching(unique, strangers), sample.stand_for(classes, "category") if sample else None
        if persons is not None:
            strangers = outside(pairs, float(persons[double].sum()))
        each = np.zeros(len(classes))
        each[single] = share_out(scores[single], strangers, len(classes.keys), least)
        return Matches(unique, pairs, fraction, unweighted, matching(unique, strangers), each)

    def details(self) -> dict[str, Any]:
        """The numbers of a finding: of records their distribution only."""
        import numpy as np

        risks = self.each[self.each > 0]
        counts = np.bincount(np.minimum((risks * 10).astype(np.int64), 9), minlength=10)
        return {
            "fraction": self.fraction,
            "pairs": self.pairs,
            "dis": self.dis,
            "dis_unweighted": self.unweighted,
            "dis_suda": {
                "average": float(risks.mean()) if len(risks) else 0.0,
                "highest": float(risks.max(initial=0.0)),
                "from": list(TENTHS),
                "records": counts.tolist(),
            },
        }
