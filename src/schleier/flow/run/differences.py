"""Numbers that two reports tell of the same thing: their difference can be a small group of persons.

Steps are recognised by what they do, not by their names: a label can be changed, and two labels can change places.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from schleier.core import registry
from schleier.core.errors import Problem

if TYPE_CHECKING:
    from schleier.core.run import Note
    from schleier.flow.recipe.stages import Stage
    from schleier.flow.release.documents import Report

READ, RELEASED = "records read", "records released"
HINT = "release less often, so that the number changes by at least {k} or not at all; nothing was written"


class Number(NamedTuple):
    """A count that a report tells."""

    about: tuple[str, ...]
    """What is counted: the method, its fact, and the columns."""
    made: str
    """The parameters of the step."""
    name: str
    """What it is called here."""
    n: int


def told_numbers(read: int, released: int, steps: Iterable[tuple[Stage, str]], notes: Sequence[Note]) -> list[Number]:
    """The counts a report is going to tell; ``steps`` are fitted, and come with the labels their notes have."""
    found = _records(read, released)
    for stage, label in steps:
        step = stage.step
        facts = [note.facts for note in notes if note.step == label and note.visibility == "public"]
        found += _counted(step.word(), label, step.uses(stage.before), step.parameters(public=True), facts)
    return found


def numbers_of(report: Report) -> list[Number]:
    """The counts that a report tells."""
    found = _records(report.records_read, report.records_released)
    for step in report.steps:
        found += _counted(step.method, step.label, step.columns, step.parameters, step.facts)
    return found


def differences(before: Report, now: Sequence[Number], k: int, where: str) -> Iterator[Problem]:
    """The numbers whose difference is fewer than k."""
    for old, new in _paired(numbers_of(before), now):
        if 0 < abs(new.n - old.n) < k:
            message = f"both reports tell the number '{new.name}', and they differ by fewer than {k}"
            yield Problem("after-difference", where, message, HINT.format(k=k))


def _paired(before: Sequence[Number], now: Sequence[Number]) -> Iterator[tuple[Number, Number]]:
    """Numbers about the same thing: those made with the same parameters, then those left, each time in their order."""
    old, new = list(before), list(now)
    for same in ("about made", "about"):
        names = same.split()
        for one in tuple(new):
            alike = (other for other in old if all(getattr(other, name) == getattr(one, name) for name in names))
            if (found := next(alike, None)) is not None:
                old.remove(found)
                new.remove(one)
                yield found, one


def _records(read: int, released: int) -> list[Number]:
    return [Number((what,), "", what, n) for what, n in ((READ, read), (RELEASED, released))]


def _counted(
    method: str,
    label: str,
    columns: Sequence[str],
    parameters: Mapping[str, Any],
    facts: Sequence[Mapping[str, Any]],
) -> Iterator[Number]:
    design = registry.get("method", method).design if method in registry.names("method") else frozenset()
    made = json.dumps({name: value for name, value in parameters.items() if name != "name"}, sort_keys=True)
    for fact in facts:
        counted = {name: value for name, value in fact.items() if name not in design}
        column = fact["column"] if isinstance(fact.get("column"), str) else None
        about = (column,) if column is not None else tuple(columns)
        of_column = f" of {column}" if column is not None else ""
        for name, n in _whole(counted):
            yield Number((method, name, *about), made, f"{label}: {name}{of_column}", n)


def _whole(facts: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, int]]:
    """All whole numbers, those in tables inside too."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _whole(value, f"{within}{name}.")
        elif isinstance(value, int) and not isinstance(value, bool):
            yield f"{within}{name}", value
