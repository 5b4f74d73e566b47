"""Special uniques: records that stand out in a few columns already, scored by SUDA."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, log10
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.risk._sample import SampledFile, SampledMeasure
from schleier.risk._suda_matches import Matches
from schleier.risk._weights import weighted_share

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.suda.minimal_uniques import Minimal

LOOKED_AT = 16_000
"""There are always fewer combinations than this."""
WORK = 3_000_000_000
"""Combinations times classes, at most: beyond it an answer would take minutes."""
FEW = 30
"""With fewer pairs than this their number, and all that follows from it, is off by a fifth and more."""
SHOWN = 3
"""Columns named as those that contribute most."""


class Suda(SampledMeasure):
    """Share of records with a minimal unique of a few columns, their scores, and what each column contributes.

    >>> Suda(most=3, fraction=0.01).most
    3
    """

    reference: ClassVar[str] = (
        "Manning, Haglin, Keane (2008), A recursive search algorithm for statistical disclosure assessment; "
        "Elliot, Manning, Ford (2002), A computational algorithm for handling the special uniques problem"
    )
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age", "region"], "most": 2}

    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""
    most: int = Field(default=4, ge=1)
    """Largest combination of columns to look at. Smaller when there would be too many: the finding says so."""
    scoring: Literal["elliot", "ihsn"] = "elliot"
    """What a minimal unique counts: as Elliot and others define it, or as the first program of the IHSN did."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """As of any sample; but where nothing tells the fraction, the file counts as everybody: the strict reading."""
        yield from (problem for problem in super().problems(schema) if problem.code != "no-fraction")

    def measure(self, case: Case, run: Run) -> Finding:
        """Find the minimal uniques and add them up."""
        from schleier.kernels.classes.combinations import count_subsets, largest
        from schleier.kernels.suda.minimal_uniques import NONE, minimal
        from schleier.kernels.suda.scores import weights

        data = case.released
        sample = self._sample(data)
        classes = data.classes(self.request(data.schema, weight=sample.weight if sample else None))
        columns = len(classes.keys)
        most = largest(columns, len(classes), self.most, LOOKED_AT, WORK)
        set_weights = weights(columns, most, self.scoring)
        found = minimal(classes.codes, classes.sizes, set_weights)
        matches = Matches.of(
            classes,
            sample,
            found.scores,
            min((weight for weight in set_weights if weight), default=1.0),
        )
        special = found.fewest < NONE
        n = int(special.sum())
        contributions = _contributions(classes, found)
        worst = sorted(contributions, key=lambda key: (-contributions[key]["score_share"], key))[:SHOWN]
        detail = {
            "keys": list(classes.keys),
            "records": classes.records,
            "unique": matches.unique,
            "n": n,
            "weighted_share": weighted_share(classes, special),
            "most": most,
            "cut": most < min(self.most, columns),
            "looked_at": count_subsets(columns, most),
            "minimal_uniques": int(found.by_size.sum()),
            "by_size": [
                {"columns": size, "minimal_uniques": int(count), "records": int((found.fewest == size).sum())}
                for size, count in enumerate(found.by_size, 1)
            ],
            "columns": contributions,
            "worst": [key for key in worst if contributions[key]["minimal_uniques"]],
            "scoring": self.scoring,
            "scores": _spread(found.scores[special]),
            **matches.details(),
        }
        detail["cautions"] = [
            *(["no_fraction"] if sample is None else _doubts(matches)),
            *(["cut"] if detail["cut"] else []),
            *(["columns"] if n else []),
        ]
        run.keep_by_record(lambda: _by_record(data, classes, found, matches.each, set_weights))
        value = n / classes.records if classes.records else 0.0
        text = (
            f"{n} of {classes.records} records ({value:.2%}) are alone already in at most {most} out of {columns} "
            f"known columns; a match with a unique record is right with probability {matches.dis:.2%}."
        )
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)

    def _sample(self, data: Dataset) -> SampledFile | None:
        """The file as a sample; nothing when nobody says of what."""
        told = self.fraction is not None or self.population is not None or data.schema.having("weight")
        return self.sample(data) if told else None


def _doubts(matches: Matches) -> list[str]:
    """Why the estimate is not to be trusted; of a file that holds everybody nothing is estimated."""
    if not matches.unique or matches.fraction == 1:
        return []
    return ["no_pairs"] if not matches.pairs else ["few_pairs"] if matches.pairs < FEW else []


def _contributions(classes: Classes, found: Minimal) -> dict[str, dict[str, float]]:
    """What each column has a part in; of its values only how many matter, never which."""
    import numpy as np

    every, total = int(found.by_size.sum()), float(found.scores.sum())
    told = {}
    for key, holds, values in zip(classes.keys, found.by_column.sum(axis=0), found.by_value, strict=True):
        running = np.cumsum(np.sort(values)[::-1])
        half = int(np.searchsorted(running, running[-1] / 2)) + 1 if running[-1] else 0
        told[key] = {
            "minimal_uniques": int(holds),
            "share": int(holds) / every if every else 0.0,
            "score_share": float(running[-1]) / total if total else 0.0,
            "values": int((values > 0).sum()),
            "half": half,
        }
    return told


def _spread(scores: NDArray[np.float64]) -> dict[str, Any]:
    """Records by their score, in steps of 1, 2, 5, 10, ..."""
    import numpy as np

    scores = scores[scores > 0]
    if not len(scores):
        return {"highest": 0.0, "median": 0.0, "from": [], "records": []}
    low, high = float(scores.min()), float(scores.max())
    powers = range(floor(log10(low)) - 1, floor(log10(high)) + 2)
    steps = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    first, last = np.searchsorted(steps, [low, high], side="right")
    edges = steps[first - 1 : last]
    counts = np.bincount(np.searchsorted(edges, scores, side="right") - 1, minlength=len(edges))
    return {"highest": high, "median": float(np.median(scores)), "from": edges, "records": counts.tolist()}


def _by_record(
    data: Dataset, classes: Classes, found: Minimal, risks: NDArray[np.float64], set_weights: list[float]
) -> nw.LazyFrame[Any]:
    """Score, DIS-SUDA, minimal uniques and the part of each column in the score, for the audit only."""
    import numpy as np

    from schleier.core.classes.records import by_class
    from schleier.kernels.suda.minimal_uniques import NONE, minimal

    parts = minimal(classes.codes, classes.sizes, set_weights, by_class=True).by_class
    parts /= np.where(found.scores > 0, found.scores, 1.0)[:, np.newaxis]
    numbers = {
        "score": found.scores,
        "dis_suda": risks,
        "minimal_uniques": found.counts.astype(np.float64),
        "smallest": np.where(found.fewest < NONE, found.fewest, 0).astype(np.float64),
    }
    numbers |= {f"share_{key}": parts[:, j] for j, key in enumerate(classes.keys)}
    return by_class(data, classes, numbers)
