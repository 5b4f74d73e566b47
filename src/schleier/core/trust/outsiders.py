"""What those may read of a release who do not hold its file: counts in tens, everything else in steps, upwards."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from schleier.core.amount import LEAST, in_tens, step_of, without
from schleier.core.goal import RISK, Goal
from schleier.core.trust.coarse import OUTCOME

if TYPE_CHECKING:
    from schleier.core.criterion import Verdict
    from schleier.core.measure import Finding, Measure
    from schleier.core.method import Method

STRUCTURE = frozenset(("compared", "looked_at", "columns", "row", "worst", "k", "m"))
"""Names of whole numbers that tell how large a comparison is, and nothing about anybody in the file."""
EDGES = frozenset(("up_to", "bins", "samples"))
"""Names of lists that say where bins end."""
BROKEN = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+))( %)?")
COUNTED = re.compile(r"(?<![\w.,])\d+(?![\w%]|[.,]\d| %)")
FINE = 1e6
"""Parts of one in which a step is told."""
TOLD = "Counts are told in tens and shares in steps, because the released file is not public."


def for_outsiders(finding: Finding, measure: Measure, records: int) -> Finding:
    """A public finding about a file that is not: what everybody could compute from it would tell of persons there.

    An experiment was told coarsely already, and what blind guessing finds follows from the number of records.
    """
    if OUTCOME in finding.detail:
        return finding.model_copy(update={"detail": without(finding.detail, measure.released_detail)})
    detail, apart = without(finding.detail, measure.released_detail), STRUCTURE | measure.structure
    coarse = {
        name: one if _is_parameter(one, name, measure) else _coarse(one, name, records, apart)
        for name, one in detail.items()
    }
    ends = {name: in_tens(getattr(finding, name), records) for name in ("value", "low", "high")}
    told = measure.phrase(finding.model_copy(update={**ends, "detail": coarse}))
    if told.text == finding.text:  # made of exact numbers
        told = told.model_copy(update={"text": TOLD})
    return told


def _is_parameter(value: Any, name: str, measure: Measure) -> bool:
    """Whether a part of the detail repeats what the recipe says."""
    said = getattr(measure, name, None) if name in type(measure).model_fields else None
    return said is not None and (value == said or (isinstance(said, tuple) and value == list(said)))


def _coarse(value: Any, name: str, records: int, apart: Set[str]) -> Any:
    if name in EDGES:
        return value
    if isinstance(value, Mapping):
        return {key: _coarse(one, key, records, apart) for key, one in value.items()}
    if isinstance(value, list | tuple):  # of one name, but hardly of one meaning: lists of counts count somebody
        return [_coarse(one, "", records, apart) for one in value]
    of_all = isinstance(value, int) and (name in apart or value == records)
    return value if of_all else in_tens(value, records)


def rows_for_outsiders(rows: int, steps: Iterable[Method]) -> int:
    """How many rows a file has that is not public: upwards in tens where rows stand for values, else as many as it has.

    >>> rows_for_outsiders(37, [])
    37
    """
    return _up(rows) if any(step.makes_rows() for step in steps) else rows


def _up(count: int) -> int:
    return math.ceil(count / LEAST) * LEAST


def verdict_for_outsiders(
    verdict: Verdict, demanded: Mapping[str, Any], goal: Goal = RISK, *, made_rows: bool = False
) -> Verdict:
    """A verdict with broken levels in steps: a distance or a share tells of the sensitive values behind it.

    A risk is told upwards and a protection downwards, never better than it is, but not beyond what was demanded where
    that is met. What was demanded is told as it is, and so are numbers of records; numbers of rows that were made of
    values (``made_rows``) are not.

    >>> from schleier.core.criterion import Verdict
    >>> said = "It is 0.014 of 0.3."
    >>> fine = Verdict(criterion="t", parameters={}, holds=True, level=0.0140475, records=200, text=said)
    >>> verdict_for_outsiders(fine, {"t": 0.3}).level, verdict_for_outsiders(fine, {"t": 0.3}).text
    (0.05, 'It is 0.05 of 0.3.')
    >>> fine = fine.model_copy(update={"text": "It is 6.31 % of 7.5 %."})
    >>> verdict_for_outsiders(fine, {"t": 0.075}, Goal(0.075)).text
    'It is 7.5 % of 7.5 %.'
    """
    allowed = {f"{one:.10g}" for one in _numbers(demanded)}
    step = step_of(verdict.records)
    if made_rows:
        verdict = _with_rows_in_tens(verdict)
    levels = {name: getattr(verdict, name) for name in ("level", "low", "high", "category_level")}
    exact = {name: one for name, one in levels.items() if one is not None}

    def said(match: re.Match[str]) -> str:
        unit, percent = (0.01, " %") if match[2] else (1.0, "")
        number = unit * float(match[1])
        if f"{number:.10g}" in allowed:
            return match[0]
        # A sentence rounds its numbers: what it tells of a level is the step of the level itself.
        half = 0.500001 * unit * 10.0 ** int(Decimal(match[1]).as_tuple().exponent)
        number = next((one for one in exact.values() if abs(one - number) <= half), number)
        return f"{_worse(number, step, goal) / unit:.10g}{percent}"

    told = {name: _worse(one, step, goal) for name, one in exact.items()}
    return verdict.model_copy(update={**told, "text": BROKEN.sub(said, verdict.text)})


def _worse(number: float, step: float, goal: Goal) -> float:
    """The next step on the bad side; whole numbers stay, and nothing passes what was demanded and is met."""
    if float(number).is_integer():
        return number
    sign = -1.0 if goal.protects else 1.0
    steps = math.ceil(round(sign * number / step, 9))
    found = sign * math.ceil(round(steps * step * FINE, 3)) / FINE
    ends = [1.0] if not goal.protects else []  # a share is not more than all
    met = [end for end in (*ends, *([] if goal.limit is None else [goal.limit])) if sign * number <= sign * end]
    return sign * min(sign * end for end in (found, *met))


def _with_rows_in_tens(verdict: Verdict) -> Verdict:
    """How many rows were looked at or left out in tens, in the sentence too; a level stays what it is."""
    rows, out = verdict.records, verdict.excluded
    told = {str(one): str(_up(one)) for one in (rows, out, rows + out)}
    text = COUNTED.sub(lambda match: told.get(match[0], match[0]), verdict.text)
    return verdict.model_copy(update={"records": _up(rows), "excluded": _up(out), "text": text})


def _numbers(value: Any) -> Iterator[float]:
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        yield from _numbers(part)
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
