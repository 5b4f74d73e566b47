"""Why nothing meets the criteria: how far one gets, which column is in the way, and the cheapest way out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.criterion import Breach
from schleier.core.errors import Problem
from schleier.search._goals import Demand
from schleier.search._judge import Judge, Node

if TYPE_CHECKING:
    from schleier.core.classes import Classes

ALLOW = "allow more (max_suppressed), or give the keys coarser levels"


def explain_coarsest(judge: Judge) -> list[Problem]:
    """What stands in the way, said of the coarsest node: no other one is better where criteria are monotone."""
    top = judge.top()
    found = list(_of_criteria(judge, top))
    if found:
        return found
    share = judge.budget / max(judge.classes.records, 1)
    message = f"the criteria can be met only by suppressing more than {share:.1%} of the records"
    needed = _needed(judge, top)
    hint = f"even at the coarsest levels {needed:.1%} must go: {ALLOW}" if needed is not None else ALLOW
    return [Problem("unreachable", "max_suppressed", message, hint)]


def _of_criteria(judge: Judge, top: Node) -> Iterator[Problem]:
    for i, demand in enumerate(judge.demands):
        verdict = demand.verdict(top.table)
        if verdict.holds:
            continue
        message = f"even with all keys at their coarsest level it is broken: {verdict.text}"
        ways = [*_reachable(demand, verdict.level), *_without(judge, demand, top), *_suppressing(judge, demand, top)]
        hint = "; ".join(ways) or "leave the criterion out, or leave out what is special before"
        yield Breach("unreachable", f"criteria[{i}] ({demand.criterion.word()})", message, hint, verdict)


def _reachable(demand: Demand, level: float | None) -> Iterator[str]:
    """The parameter to change, and the value for which the criterion is met: where it is measured by the level."""
    limits = {
        name: extra["stricter"]
        for name, field in type(demand.criterion).model_fields.items()
        if isinstance(extra := field.json_schema_extra, dict) and "stricter" in extra
    }
    if level is None or len(limits) != 1:
        return
    ((name, direction),) = limits.items()
    value = getattr(demand.criterion, name)
    if isinstance(value, int | float) and (level < value if direction == "higher" else level > value):
        yield f"{'lower' if direction == 'higher' else 'raise'} {name} to {level:.6g}"


def _without(judge: Judge, demand: Demand, top: Node) -> Iterator[str]:
    """The column in the way: the one whose values, all taken as one, bring the criterion nearest."""
    names = {name for request in demand.requests for name in request.keys}
    fixed = [name for name, key in zip(judge.classes.keys, judge.keys, strict=True) if name in names and not key.is_all]
    if not fixed:
        return
    failing = {name: demand.verdict(_as_one(top.table, name)).bad_records for name in fixed}
    column = min(failing, key=lambda name: (failing[name], name))
    if failing[column] < demand.verdict(top.table).bad_records:
        enough = "" if failing[column] == 0 else ", though that alone is not enough"
        yield f"column '{column}' is in the way: give its hierarchy a coarser level, or drop it{enough}"


def _suppressing(judge: Judge, demand: Demand, top: Node) -> Iterator[str]:
    """How many records must go at the coarsest levels."""
    needed = _needed(judge, top)
    if needed is not None:
        yield f"or allow max_suppressed = {_rounded_up(needed)}"


def _needed(judge: Judge, top: Node) -> float | None:
    """Share of the records that the coarsest node suppresses, if it holds when that is allowed."""
    records = judge.classes.records
    if not records or top.suppressed >= records:
        return None
    allowed = replace(judge, budget=records - 1).judged(top.levels)
    return allowed.suppressed / records if allowed.holds else None


def _rounded_up(share: float) -> str:
    """A share in as few digits as say enough.

    >>> _rounded_up(0.01234), _rounded_up(0.5)
    ('0.013', '0.5')
    """
    import math

    return f"{math.ceil(share * 1000 - 1e-9) / 1000:g}"


def _as_one(table: Classes, name: str) -> Classes:
    """The table as if a column told nothing."""
    codes = table.codes.copy()
    codes[:, table.keys.index(name)] = 0
    return replace(table, codes=codes, hierarchies=(None,) * len(table.keys)).at((0,) * len(table.keys))
