"""How likely each record is linked to the right person of the population."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.kernels.spread.diversity import TINY
from schleier.risk._households import of_households, risk_by_record
from schleier.risk._individual_models import ModelRisks, estimated
from schleier.risk._original import estimated_before
from schleier.risk._sample import SampledFile, SampledMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run

    Floats = NDArray[np.float64]

LIMITS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Upper ends of the bins of risks."""
HOUSEHOLDS = {"households": "households", "household_share": "mean"}
"""What a sentence about households shows."""
NEEDS_PARTS = ("margins", "poisson_inverse_gaussian", "log_linear")
"""Models of the numbers of classes of each size: every record must be in exactly one class."""
ONE_FRACTION = ("poisson_inverse_gaussian", "log_linear")
"""Models that know one sampling fraction only."""


@dataclass(frozen=True)
class FileRisks:
    """The risks of a file."""

    classes: Classes
    sizes: NDArray[np.int64]
    """Records that look like those of each class."""
    sample: SampledFile
    main: ModelRisks
    """By weights where there are some, else by the sampling fraction."""
    uniform: ModelRisks
    """By the sampling fraction."""
    light: bool
    """Whether the weights of some class add up to fewer persons than it has records."""


class IndividualRisk(SampledMeasure):
    """Chance that a record is linked to the right person of the population, on average over records.

    >>> IndividualRisk(fraction=0.01).model
    'margins'
    """

    reference: ClassVar[str] = (
        "Benedetti and Franconi (1998); Polettini (2003), Some remarks on the individual risk methodology; "
        "Skinner and Holmes (1998); Carlson (2002); Skinner and Shlomo (2008), JASA 103; Chow and Liu (1968)"
    )
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age"]}

    model: Literal["margins", "negative_binomial", "poisson", "poisson_inverse_gaussian", "log_linear"] = "margins"
    """How the number of persons who look like a record is distributed: Poisson with a rate told by the values of the
    keys (margins), negative binomial or Poisson around the estimate of its class alone, Poisson-inverse-Gaussian fitted
    to all class sizes, or Poisson around a log-linear model."""
    interactions: Literal["none", "pairs", "search"] = "search"
    """Log-linear model: keys act by themselves (none), every two also together (pairs), or those two by two that make
    the estimated error smallest (search)."""
    threshold: float = Field(default=0.1, gt=0, le=1)
    """Records and households with a higher risk are counted."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Some models need classes that do not overlap."""
        yield from super().problems(schema)
        if self.missing == "wildcard" and self.model in NEEDS_PARTS:
            message = f"the model {self.model} needs classes that do not overlap, which wildcards do"
            hint = 'set missing = "category" or "exclude", or model = "negative_binomial" or "poisson"'
            yield Problem("overlapping-classes", "missing", message, hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Estimate the risk of every class before and after."""
        after = self._judged(case.released)
        same = case.released is case.original
        before = after if same else self._before(case.original, after.classes.keys)
        run.keep_by_record(lambda: risk_by_record(case.released, after.classes, after.main.risks))
        told = self._told(case.released, after)
        low, high = after.main.mean_interval(self.model, after.classes, after.sizes, after.sample.fraction)
        detail = {
            "keys": list(after.classes.keys),
            "model": self.model,
            "threshold": self.threshold,
            "fraction": after.sample.fraction,
            **({"unweighted_share": told["unweighted"]["mean"]} if "unweighted" in told else {}),
            **{name: told[name] for name in ("records", "expected", "above_share", "highest")},
            **{name: told["households"][key] for name, key in HOUSEHOLDS.items() if "households" in told},
            "before": None if before is None else told if same else self._told(case.original, before),
            "after": told,
            "fit": after.main.facts,
            "limits": list(LIMITS),
            "cautions": self._cautions(before, after, told),
        }
        return Finding(
            name=self.word(),
            value=told["mean"],
            low=low,
            high=high,
            better=self.better,
            text=_text(detail),
            detail=detail,
        )

    def _before(self, original: Dataset, keys: tuple[str, ...]) -> FileRisks | None:
        """The original, unless nothing tells how large its population is or its cross-table is too large."""
        same = self.model_copy(update={"keys": keys})
        return estimated_before(same, original, same._judged)

    def _judged(self, data: Dataset) -> FileRisks:
        sample = self.sample(data)
        classes = data.classes(self.request(data.schema, weight=sample.weight))
        sizes = classes.of(classes.sizes, self.missing, lend=True)
        everyone = sizes / sample.fraction
        uniform = estimated(self.model, classes, sizes, everyone, self.interactions)
        persons = sample.stand_for(classes, self.missing)
        if persons is None:
            return FileRisks(classes, sizes, sample, uniform, uniform, False)
        light = bool((persons < sizes * (1 - 1e-9)).any())
        if self.model in ONE_FRACTION:
            return FileRisks(classes, sizes, sample, uniform, uniform, light)
        main = estimated(self.model, classes, sizes, persons, self.interactions, uniform.fitted)
        return FileRisks(classes, sizes, sample, main, uniform, light)

    def _told(self, data: Dataset, judged: FileRisks) -> dict[str, Any]:
        classes, threshold = judged.classes, self.threshold
        facts = _spread(classes, judged.main, threshold)
        if judged.uniform is not judged.main:
            facts["unweighted"] = _spread(classes, judged.uniform, threshold)
        if data.schema.having("unit"):
            facts["households"] = of_households(data, classes, judged.main.risks, threshold)
        return facts

    def _cautions(self, before: FileRisks | None, after: FileRisks, told: dict[str, Any]) -> list[str]:
        from schleier.kernels.population.link_intervals import doubts

        found = ["light"] if after.light else []
        if after.main.variances is not None:
            found += doubts(self.model, after.sizes, len(after.classes.keys), after.sample.fraction)
        if not after.main.fits:
            found.append("misfit" if self.model == "log_linear" else "edge")
        found += ["no_before"] if before is None else []
        return [*found, "households"] if "households" in told else found


def _spread(classes: Classes, found: ModelRisks, threshold: float) -> dict[str, Any]:
    """The risks of records in a few numbers."""
    import numpy as np

    risks, records = found.risks, classes.records
    expected, above = float((classes.sizes * risks).sum()), int(classes.sizes[risks > threshold + TINY].sum())
    place = np.minimum(np.searchsorted(LIMITS, risks), len(LIMITS) - 1)
    return {
        "records": records,
        "expected": expected,
        "mean": expected / records if records else 0.0,
        "above": above,
        "above_share": above / records if records else 0.0,
        "highest": float(risks.max(initial=0.0)),
        "population_uniques": found.alone,
        "bins": [int(n) for n in np.bincount(place, classes.sizes, len(LIMITS))],
    }


def _text(detail: dict[str, Any]) -> str:
    text = (
        f"Who links every record to one of the persons of the population who look like it is expected to be right for "
        f"{detail['expected']:.4g} of {detail['records']} records; {detail['above_share']:.2%} of the records have a "
        f"risk above {detail['threshold']:.4g}."
    )
    households = detail["after"].get("households")
    if households:
        text += (
            f" At least one member is found in {households['expected']:.4g} of {households['households']} households."
        )
    return text
