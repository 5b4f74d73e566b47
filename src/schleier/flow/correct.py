"""Correct an estimate from a release with what its report makes public."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schleier.core.correct import Estimate
from schleier.core.errors import InfeasibleError, Problem, Problems
from schleier.core.method import Method
from schleier.core.registry import get
from schleier.flow.documents import Report, ReportedStep

RIGHT = ("exact", "unbiased", "expected")
"""What a method may say it does to an estimate that then needs no correction."""


def correct(report: Report | Path | str, estimate: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate as it would be without the changes of the release, as far as these are public.

    ``estimate`` names what was computed from the released file: a ``variance`` or ``mean`` of a ``column``, a
    ``covariance`` matrix of ``columns`` (with their ``mean``, where values were multiplied), ``counts`` of the
    ``categories`` of a column, or a ``total``. Steps are undone from the last to the first. An InfeasibleError says
    that users cannot correct, and which parameters are secret.
    """
    if not isinstance(report, Report):
        report = Report.model_validate_json(Path(report).read_text(encoding="utf-8"))
    found, problems, done = Estimate.of(estimate), Problems(), []
    for step in reversed(report.steps):
        method: type[Method] = get("method", step.method, "report.steps")
        before = found
        if _matters(method, step, found):
            found = _corrected(method, step, found, problems)
        if found is not before:
            done.append(step.label)
    problems.raise_as(InfeasibleError)
    return found.told() | {"steps": done}


def known(method: type[Method], step: ReportedStep) -> dict[str, Any]:
    """The parameters an analyst knows: those in the report, and defaults of what is not secret."""
    hidden = method.secrets() - set(step.parameters.get("public", ()))
    fields = {n: f for n, f in method.model_fields.items() if n not in hidden and not f.is_required()}
    defaults = {name: field.get_default(call_default_factory=True) for name, field in fields.items()}
    return defaults | {name: value for name, value in step.parameters.items() if name not in hidden}


def changed(step: ReportedStep) -> set[str]:
    """The columns whose values a step changed; all it read when its parameters do not tell."""
    named = step.parameters.get("columns") or [step.parameters.get("column")]
    return {name for name in named if name} or set(step.columns)


def _matters(method: type[Method], step: ReportedStep, estimate: Estimate) -> bool:
    """Whether a step changed what was estimated."""
    if method.correction is not None and "total" in method.correction.estimates:
        return True  # it left out records, so every total is another one
    if str(method.keeps.get(estimate.kind, "")).startswith(RIGHT):
        return False
    return bool(changed(step) & set(estimate.columns))


def _corrected(method: type[Method], step: ReportedStep, estimate: Estimate, problems: Problems) -> Estimate:
    correction = method.correction
    if correction is not None and estimate.kind in correction.unbiased:
        return estimate
    if correction is None or estimate.kind not in correction.estimates:
        message = f"step '{step.label}' changed the columns, and no correction of a {estimate.kind} is known"
        problems.add("cannot-correct", step.label, message, "ask the data holder for the estimate")
        return estimate
    facts = {key: value for fact in step.facts for key, value in fact.items()}
    try:
        return correction.apply(estimate, known(method, step), facts)
    except KeyError as missing:
        message = f"users cannot correct: step '{step.label}' keeps {missing} secret"
        hint = "the data holder can publish it with public = [...] on the step"
        problems.add("secret-parameter", step.label, message, hint)
    except InfeasibleError as error:
        problems.extend(Problem(p.code, step.label, p.message, p.hint) for p in error.problems)
    return estimate
