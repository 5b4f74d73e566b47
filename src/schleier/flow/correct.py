"""Correct an estimate from a release with what its report makes public."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schleier.core.address import spelled
from schleier.core.correction import Estimate, Known, Secret
from schleier.core.errors import InfeasibleError, Problem, Problems, RecipeError
from schleier.core.failures import public
from schleier.core.method import Method
from schleier.core.promises import Kept
from schleier.core.registry import get
from schleier.core.schema import Schema
from schleier.flow.release.documents import Report, ReportedStep

RIGHT: tuple[Kept, ...] = ("exact", "expected")
"""How well an estimate must be kept to need no correction."""


@public
def correct(report: Report | Path | str, estimate: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate as it would be without the changes of the release, as far as these are public.

    ``estimate`` names what was computed from the released file: a ``variance`` or ``mean`` of a ``column``, a
    ``covariance`` or ``correlation`` matrix of ``columns`` (with their ``mean``, where values were multiplied, and with
    their ``variance`` for correlations), ``counts`` of the ``categories`` of a column or of two, or a ``total``. With
    ``regression``, the column to be explained, covariances become coefficients, with ``records`` (their number) and
    standard errors, where these are known. Steps are undone from the last to the first. An InfeasibleError says that
    users cannot correct, and which parameters are secret.
    """
    if not isinstance(report, Report):
        report = Report.model_validate_json(Path(spelled(report)).read_text(encoding="utf-8"))
    found, problems, done = Estimate.of(estimate), Problems(), []
    _demand_released(report, found)
    behind = set[str]()
    for step in reversed(report.steps):
        method: type[Method] = get("method", step.method, "report.steps")
        before, touches = found, changed_columns(step)
        if behind & touches and not (method.builds or _linear(method, step, found)):
            message = f"step '{step.label}' changed columns that one of the estimate was later computed from"
            problems.add("cannot-correct", step.label, message, "ask the data holder for the estimate")
        elif _matters(method, step, found):
            found = _corrected(method, step, found, problems)
        if method.builds and (behind | set(found.columns)) & touches:
            behind |= set(step.columns)
        if found.value is not before.value:
            done.append(step.label)
    problems.raise_as(InfeasibleError)
    return found.told() | {"steps": done}


def known_parameters(method: type[Method], step: ReportedStep) -> Known:
    """The parameters an analyst knows: those in the report, and defaults of what is not secret or was not set."""
    hidden = method.secrets() - set(step.parameters.get("public", ()))
    hidden = hidden if step.withheld is None else set(step.withheld)
    fields = {n: f for n, f in method.model_fields.items() if n not in hidden and not f.is_required()}
    defaults = {name: field.get_default(call_default_factory=True) for name, field in fields.items()}
    return Known(defaults | {name: value for name, value in step.parameters.items() if name not in hidden})


def changed_columns(step: ReportedStep) -> set[str]:
    """The columns whose values a step changed or that it made; all it read when nothing tells."""
    if step.changed is not None:
        return set(step.changed)
    named = [*(step.parameters.get("columns") or ()), step.parameters.get("column"), step.parameters.get("into")]
    return {name for name in named if name} or set(step.columns)


def touched(step: Method, before: Schema, after: Schema) -> tuple[str, ...]:
    """The columns a step may change and those it makes, for the report."""
    made = (name for name in after.names if name not in before)
    return tuple(dict.fromkeys((*step.changes(before), *made)))


def withheld(step: Method) -> tuple[str, ...] | None:
    """Secrets a step has and does not publish; nothing for a step that publishes none.

    One that has a value when it is not set is always among them: leaving it out would tell that value.
    """
    public = set(getattr(step, "public", ()))
    held = (name for name in sorted(step.secrets() - public) if getattr(step, name) not in (None, (), {}))
    return tuple(held) if public else None


def _demand_released(report: Report, estimate: Estimate) -> None:
    released = [column.name for column in report.columns]
    problems = Problems()
    for name in estimate.columns:
        if name not in released:
            near = difflib.get_close_matches(name, released, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {len(released)} columns"
            problems.add("unknown-column", "estimate", f"there is no column '{name}' in the release", hint)
    problems.raise_as(RecipeError)


def _matters(method: type[Method], step: ReportedStep, estimate: Estimate) -> bool:
    """Whether a step changed what was estimated: its columns, or the records of all columns."""
    if _right(method, step, estimate):
        return False
    return not _same_rows(method, step) or bool(changed_columns(step) & set(estimate.columns) and not method.builds)


def _right(method: type[Method], step: ReportedStep, estimate: Estimate) -> bool:
    """Whether an estimate needs no correction: the method keeps it, and knows no better.

    What holds when every record counts alike need not hold with weights: exchanged values keep their mean, but get
    the weights of other records.
    """
    if _correctable(method, estimate) or (estimate.kind == "counts" and estimate.value.ndim > 1):
        return False  # counts of one column may be right where those of two are not
    kept = method.keeps_with(known_parameters(method, step))
    if estimate.weighted and kept.get("weighted total") not in RIGHT:
        return False
    return kept.get("weighted total" if estimate.weighted and estimate.kind == "total" else estimate.kind) in RIGHT


def _correctable(method: type[Method], estimate: Estimate) -> bool:
    return method.correction is not None and estimate.kind in method.correction.estimates


def _linear(method: type[Method], step: ReportedStep, estimate: Estimate) -> bool:
    """Whether an estimate from sums of columns is right when those from the columns are."""
    return estimate.kind in ("mean", "total") and _right(method, step, estimate)


def _same_rows(method: type[Method], step: ReportedStep) -> bool:
    if step.same_rows is not None:
        return step.same_rows
    return method.keeps_with(known_parameters(method, step)).get("rows") == "exact"


def _corrected(method: type[Method], step: ReportedStep, estimate: Estimate, problems: Problems) -> Estimate:
    correction = method.correction
    if correction is None or estimate.kind not in correction.estimates:
        what = "changed the columns" if _same_rows(method, step) else "left out or added records"
        message = f"step '{step.label}' {what}, and no correction of a {estimate.kind} is known"
        problems.add("cannot-correct", step.label, message, "ask the data holder for the estimate")
        return estimate
    facts = {key: value for fact in step.facts for key, value in fact.items()}
    try:
        return correction.apply(estimate, known_parameters(method, step), facts)
    except Secret as missing:
        message = f"users cannot correct: step '{step.label}' keeps {missing} secret"
        hint = "the data holder can publish it with public = [...] on the step"
        problems.add("secret-parameter", step.label, message, hint)
    except InfeasibleError as error:
        problems.extend(Problem(p.code, step.label, p.message, p.hint) for p in error.problems)
    return estimate
