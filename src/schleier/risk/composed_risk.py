"""The probability that an attacker re-identifies a person, composed of its four conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.component import listed
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.kernels.population.composition import row_of_attacker
from schleier.risk._components import Components, RiskComponent, assumed, from_file, given
from schleier.risk._rates import RatedMeasure
from schleier.risk._sample import SampledMeasure

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.run import Run

COVERS_ALL = 1 - 1e-9
"""Sampling fraction from which a file counts as a full enumeration."""
ATTACKERS = ("attacker_1", "attacker_2", "attacker_3", "attacker_4", "attacker_5", "attacker_6", "attacker_7")
"""The rows of the overview, as the report describes them in words."""


class ComposedRisk(RatedMeasure, SampledMeasure):
    """Risk that a person is re-identified: represented, recorded alike, unique, and the attacker may be sure of it.

    >>> ComposedRisk(fraction=0.01, strategy="fishing", knowledge="total").strategy
    'fishing'
    """

    reference: ClassVar[str] = (
        "Müller, Blien, Knoche, Wirth et al. (1991), 4.1, (2b) and Übersicht 4.1; Skinner et al. (1990)"
    )
    example: ClassVar[dict[str, object]] = {
        "keys": ["sex", "age"],
        "fraction": 0.1,
        "compatibility": 0.9,
        "tolerance": {"high": 0.001, "low": 0.05},
        "sensitivity": {"disease": "high", "income": "low"},
    }

    strategy: Literal["targeted", "fishing"] = "targeted"
    """He looks for a certain person (targeted), or starts from a striking record and looks who it may be (fishing)."""
    knowledge: Literal["part", "total"] = "part"
    """Whether his file covers a part of the population or all of it (of a profession, of a town)."""
    participation: bool = False
    """Whether he knows that the person took part."""
    in_release: float | None = None
    """W(R), probability that a person is in the release; the sampling fraction when empty."""
    in_knowledge: float | None = None
    """W(R), probability that the person of a record is in the attacker's file; 1 when empty."""
    compatibility: float | None = None
    """W(K), probability that both files record a person alike; when empty from ``rates`` or true pairs, else 1."""
    uniqueness: float | None = None
    """W(U), probability that a person is unique in the population; estimated from the file when empty."""
    certainty: float | None = None
    """S(U), how sure he may be that a unique record is unique in the population; from ``uniqueness`` when empty."""
    model: Literal["margins", "dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"] = "margins"
    """How uniqueness in the population is estimated; "poisson_gamma" does it as in the source, (5)."""
    published: bool = False
    """Compute the certainty as the source prints it, a product instead of a quotient (too small)."""
    tolerance: dict[str, float] = Field(default_factory=dict)
    """Tolerated risk for each class of sensitivity, in your own words: ``{ high = 0.0001, low = 0.01 }``."""
    sensitivity: dict[str, str] = Field(default_factory=dict)
    """Class of sensitivity of each column; sensitive columns without one count as the strictest."""
    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Probabilities are probabilities, classes of sensitivity have a tolerance, and who fishes looks for nobody."""
        yield from super().problems(schema)
        for name in ("in_release", "in_knowledge", "compatibility", "uniqueness", "certainty"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                yield Problem("bad-probability", name, "a probability is between 0 and 1", "10 per cent are 0.1")
        if self.participation and self.strategy == "fishing":
            hint = 'set strategy = "targeted", or leave participation out'
            message = "whoever knows that a person took part looks for that person, and does not fish"
            yield Problem("participation-fishing", "participation", message, hint)
        if self.compatibility is not None and (self.rates or self.preset):
            message = "compatibility is given twice: as a number and by rates"
            yield Problem("two-compatibilities", "compatibility", message, "leave one of them out")
        yield from self._tolerance_problems(schema)

    def _tolerance_problems(self, schema: Schema) -> Iterator[Problem]:
        for name, share in self.tolerance.items():
            if not 0 <= share <= 1:
                hint = "one person in a thousand is 0.001"
                yield Problem("bad-probability", f"tolerance.{name}", "a tolerated risk is between 0 and 1", hint)
        for column, name in self.sensitivity.items():
            if column not in schema:
                yield schema.unknown(column, f"sensitivity.{column}")
            if name not in self.tolerance:
                hint = f"there are: {', '.join(self.tolerance) or 'none'}"
                message = f"there is no tolerance for the class of sensitivity '{name}'"
                yield Problem("no-tolerated-risk", f"sensitivity.{column}", message, hint)
        if self.tolerance and not (self.sensitivity or schema.having("sensitive")):
            hint = 'give columns the role "sensitive", or name them under sensitivity'
            message = "there is no sensitive column whose tolerated risk could be compared"
            yield Problem("no-sensitive", "tolerance", message, hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Compose the risk of the attacker described, and of the six others for comparison."""
        data, sample = case.released, self.sample(case.released)
        classes = data.classes(self.request(data.schema, weight=sample.weight))
        parts = self._components(case, classes, sample.fraction if sample.records else 1.0, run)
        release: Literal["part", "total"] = "total" if sample.fraction >= COVERS_ALL else "part"
        row = row_of_attacker(self.strategy, self.knowledge, release, participation=self.participation)
        low, value, high = parts.risk(row)
        detail: dict[str, Any] = {
            "keys": list(classes.keys),
            "n": len(classes.keys),
            "records": sample.records,
            "fraction": sample.fraction,
            "row": row.number,
            "components": parts.details(row),
            "tries": 1 / value if value > 0 else None,
            "rows": parts.rows(release),
            "doubts": list(parts.unique.doubts),
            "cautions": [ATTACKERS[row.number - 1], *_cautions(parts.details(row), parts.unique.doubts)],
        }
        worst = max((one for one in detail["rows"] if one["applies"]), key=lambda one: one["risk"])
        detail |= {"worst": worst["row"], "worst_risk": worst["risk"]}
        detail["cautions"] += ["worst"] if worst["risk"] > value else []
        by_product = parts.compatible.how == "rates" and not self.correlation and len(classes.keys) > 1
        detail["cautions"] += ["independent"] if by_product else []
        detail["cautions"] += ["published"] if self.published and self.certainty is None and row.certain else []
        if classes.weights is not None:
            detail["weighted"] = parts.weighted(row, classes)
        if self.tolerance:
            detail["tolerance"] = self._tolerated(data.schema, high if high is not None else value)
            detail["beyond"] = [column for column, one in detail["tolerance"].items() if not one["within"]]
            detail["cautions"] += ["beyond"] if detail["beyond"] else []
        return Finding(
            name=self.word(),
            value=value,
            low=low,
            high=high,
            better=self.better,
            text=_text(value, detail),
            detail=detail,
        )

    def _components(self, case: Case, classes: Classes, fraction: float, run: Run) -> Components:
        """Every component with how it was got."""
        alone, records = int((classes.sizes == 1).sum()), classes.records
        in_file = from_file(alone / records if records else 0.0)
        unique = self._unique(classes, fraction, in_file)
        return Components(
            in_release=given(self.in_release) or from_file(fraction),
            in_knowledge=given(self.in_knowledge) or assumed(1.0),
            compatible=self._compatible(case, run),
            unique=unique,
            certain=given(self.certainty) or unique.certain(in_file, published=self.published),
            unique_in_release=in_file,
        )

    def _compatible(self, case: Case, run: Run) -> RiskComponent:
        from schleier.kernels.population.compatibility import common_factor

        if self.compatibility is not None:
            return RiskComponent(self.compatibility, "given")
        if (rates := self.assumed(case.released.schema)) is not None:
            return RiskComponent(common_factor(list(rates.values()), self.correlation), "rates")
        if (pairs := self.true_pairs(case, run)) is not None:
            return RiskComponent(pairs.identical.share, "pairs", *pairs.identical.interval())
        return assumed(1.0)

    def _unique(self, classes: Classes, fraction: float, in_file: RiskComponent) -> RiskComponent:
        """W(U_p); where the model fails, as in the file: nobody is likelier to be unique in the population."""
        from schleier.kernels.population.models import count_by_models, highest

        if self.uniqueness is not None:
            return RiskComponent(self.uniqueness, "given")
        if fraction >= COVERS_ALL or not in_file.value:
            return in_file
        found = highest(count_by_models(classes.codes, classes.sizes, fraction), self.model)
        if "not_fitted" in found.doubts:
            return RiskComponent(in_file.value, "failed")
        share, low, high = (number / classes.records for number in (found.expected, found.low, found.high))
        return RiskComponent(share, "estimated", low, high, found.doubts)

    def _tolerated(self, schema: Schema, risk: float) -> dict[str, dict[str, Any]]:
        """For each sensitive column whether the risk is tolerated."""
        strictest = min(self.tolerance, key=lambda name: self.tolerance[name])
        columns = dict.fromkeys((*schema.having("sensitive"), *(c for c in self.sensitivity if c in schema)))
        classes = {column: self.sensitivity.get(column, strictest) for column in columns}
        return {
            column: {"class": name, "tolerated": self.tolerance[name], "within": risk <= self.tolerance[name]}
            for column, name in classes.items()
        }


def _cautions(components: dict[str, dict[str, Any]], doubts: tuple[str, ...]) -> list[str]:
    """What to mind about the components that count."""
    hows = {name: one["how"] for name, one in components.items()}
    found = ["model"] if "failed" in hows.values() else []
    found += ["doubtful"] if doubts and "estimated" in hows.values() else []
    found += ["compatible"] if hows["compatible"] == "assumed" else []
    return found + (["knowledge"] if hows["represented"] == "assumed" else [])


def _text(value: float, detail: dict[str, Any]) -> str:
    parts = " x ".join(f"{one['value']:.3g} ({name}, {one['how']})" for name, one in detail["components"].items())
    text = f"The risk of re-identification is {value:.3g} (row {detail['row']}): {parts}"
    if detail["worst_risk"] > value:
        text += f"; the most dangerous attacker (row {detail['worst']}) reaches {detail['worst_risk']:.3g}"
    beyond = detail.get("beyond")
    return f"{text}{f'; that is more than is tolerated for {listed(beyond)}' if beyond else ''}."
