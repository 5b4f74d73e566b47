"""What keeps a release that meets its criteria from being green, and what of it keeps it from being public."""

from __future__ import annotations

from collections.abc import Sequence

from schleier.core.caution import Caution
from schleier.core.criterion import Verdict
from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.schema import Column

HINT = 'set missing = "category", or give the release to fewer than everybody (release.access)'


def cautions(
    steps: Sequence[Method], labels: Sequence[str], verdicts: Sequence[Verdict], joining: Sequence[Column] = ()
) -> tuple[Caution, ...]:
    """All reservations about a release, the most important first; ``joining`` columns tell all records apart."""
    of_criteria = [
        Caution(code="wildcard", where=f"criteria[{i}] ({verdict.criterion})", columns=_keys(verdict))
        for i, verdict in enumerate(verdicts)
        if verdict.holds and not verdict.safe
    ]
    of_steps = [
        Caution(code=code, where=label)
        for step, label in zip(steps, labels, strict=True)
        for code in step.cautions()
        if not any(one.code == code for one in of_criteria)
    ]
    of_gaps = [
        Caution(
            code="left_out",
            where=f"criteria[{i}] ({verdict.criterion})",
            columns=_keys(verdict),
            share=round(verdict.share_excluded, 2),
        )
        for i, verdict in enumerate(verdicts)
        if verdict.holds and verdict.mostly_excluded
    ]
    weights = tuple(column.name for column in joining if column.role == "weight")
    others = tuple(column.name for column in joining if column.role != "weight")
    unique = [("unique_column", others), ("unique_weight", weights)]
    of_columns = [Caution(code=code, columns=names) for code, names in unique if names]
    return (*of_criteria, *of_gaps, *of_steps, *of_columns)


def not_for_everybody(step: Method, where: str) -> list[Problem]:
    """Why a step must not be part of a release to everybody."""
    message = "a gap that may be anything hides nothing from whoever knows the value behind it"
    return [Problem("wildcard-public", where, message, HINT)] if step.cautions() else []


def for_access(verdicts: Sequence[Verdict], access: str) -> tuple[Verdict, ...]:
    """Verdicts for those who get a release: for everybody, one that is met only by wildcards is not met."""
    if access != "public":
        return tuple(verdicts)
    return tuple(one if one.safe else one.model_copy(update={"holds": False}) for one in verdicts)


def _keys(verdict: Verdict) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for keys in verdict.keys for key in keys))
