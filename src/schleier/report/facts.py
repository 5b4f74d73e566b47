"""What the words of a component may name, by the kind of its document; for a step see ``report.steps``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schleier.core.criterion import Verdict
from schleier.core.measure import Finding


def finding_facts(finding: Finding) -> dict[str, Any]:
    """What the words of a measure or attack may name: its detail, and the value with its interval."""
    ends = {"low": finding.low, "high": finding.high}
    return {**finding.detail, "value": float(finding.value), "share": float(finding.value), **ends}


def verdict_facts(verdict: Verdict, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the words of a criterion may name: its parameters and the verdict.

    ``others`` is how many others a record looks like at least, where the level counts records.
    """
    told = verdict.model_dump(exclude={"criterion", "name", "parameters", "text"})
    others = None if verdict.level is None else verdict.level - 1
    return {**parameters, **told, "others": others}
