"""What the report reads of an experiment: no counts of what was right, in older documents neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from schleier.core.measure import Finding
from schleier.core.trust.blocks import Outcome
from schleier.core.trust.coarse import OUTCOME, USUAL, tell_coarsely
from schleier.report.facts import finding_facts
from schleier.report.untold import Count, Form, Share


class Exact(Form):
    """An experiment with its counts, as older reports have it."""

    value: Share
    low: Share | None = None
    high: Share | None = None
    known: Sequence[str]
    knowledge: Literal["exact", "file", "record", "member"] = "exact"
    targets: Count
    contained: Count | None = None
    claims: Count
    false_share: Share | None = None
    baseline: Share
    control_claims: Share | None = None


class Claimed(Form):
    """What an experiment tells in which a value is claimed for each target."""

    sensitive: str
    difference: float
    difference_low: float
    difference_high: float
    without_value: Count | None = None
    sure: Share | None = None
    within: float | None = None


class ExactValues(Exact, Claimed):
    """Such an experiment with its counts."""


class Public(Form):
    """What every experiment tells."""

    value: Share
    low: Share
    high: Share
    known: Sequence[str]
    targets: Count
    outcome: Outcome
    claims: Count | None = None
    """Zero, or not told."""
    as_earlier: bool = False
    """Whether its claims are almost those of an earlier one: its numbers are those of that one, or not told."""
    claims_share: Share | None = None
    contained_share: Share | None = None
    baseline: Share | None = None
    control_claims: Share | None = None


class Persons(Public):
    """An experiment in which persons are looked for."""

    knowledge: Literal["exact", "file", "member"] = "exact"
    false_share: Share | None = None


class Values(Public, Claimed):
    """An experiment in which values are claimed."""

    knowledge: Literal["exact", "file", "record"] = "exact"


def public_finding(finding: Finding, *, values: bool) -> Finding:
    """The finding as everybody may read it: older reports have counts."""
    if OUTCOME in finding.detail:
        return finding
    exact = (ExactValues if values else Exact).of(finding_facts(finding))
    ends = exact.model_dump(include={"value", "low", "high"})
    counted = {key: part for key, part in exact.model_dump().items() if key not in ends}
    public = tell_coarsely(finding.model_copy(update={**ends, "detail": counted}), USUAL)
    return public.model_copy(update={"detail": {**finding.detail, **public.detail}})
