"""Automatic: every attack that fits what was done to the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import InfeasibleError, Problem
from schleier.core.registry import every
from schleier.core.schema import Schema
from schleier.core.trust.aim import LEFT_OUT, Technique

if TYPE_CHECKING:
    from schleier.core.measure import Case, Finding, Measure
    from schleier.core.run import Run


class Auto(Technique):
    """Try every attack that fits the methods of a recipe, with parameters it finds itself.

    >>> Auto(targets=500).targets
    500
    """

    reference: ClassVar[str] = "Höhne (2010), 2.3 criterion 5: every method is judged by its residual risks"
    example: ClassVar[dict[str, object]] = {"targets": 100}

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many persons each attack is tried on, or all when there are fewer."""

    def label(self, schema: Schema) -> str:
        """Its name."""
        return self.name or self.word()

    def parts(self, case: Case, run: Run) -> Sequence[Measure]:
        """The attacks that fit; the report is told which do not."""
        found: list[Measure] = []
        left: list[str] = []
        for word, attack in every("attack").items():
            if attack is Auto or not issubclass(attack, Technique):
                continue
            fit = [one.model_copy(update=self._targets(one, case)) for one in attack.fitting(case)]
            fit = [one for one in fit if not list(one.problems(case.released.schema))]
            found += fit
            if not fit:
                left.append(word)
        run.note("public", **{LEFT_OUT: left})
        return found

    def measure(self, case: Case, run: Run) -> Finding:
        """The finding of the attack that gains most."""
        findings = [part.measure(case, run) for part in self.parts(case, run)]
        if not findings:
            hint = 'give columns the role "quasi" or "sensitive", or name an attack'
            raise InfeasibleError(
                Problem("no-attack-fits", "attacks", "no attack fits what was done to the data", hint)
            )
        return max(findings, key=_gain)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Nothing: that one attack gained more than all others hangs on single claims. Each tells of itself."""
        return None

    def _targets(self, attack: Any, case: Case) -> dict[str, Any]:
        if type(attack).model_fields["targets"].default == "all":
            return {}
        return {"targets": "all" if self.targets == "all" or self.targets >= case.original.rows else self.targets}


def _gain(finding: Finding) -> float:
    return finding.value - float(finding.detail.get("baseline", 0.0))
