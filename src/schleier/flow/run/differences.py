"""Numbers that two reports tell of the same thing: their difference can be a small group of persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schleier.core import registry
from schleier.core.errors import Problem

if TYPE_CHECKING:
    from schleier.core.run import Note
    from schleier.flow.release.documents import Report

READ, RELEASED = "records read", "records released"
HINT = "release less often, so that the number changes by at least {k} or not at all; nothing was written"


def told_numbers(read: int, released: int, steps: Sequence[tuple[str, str]], notes: Sequence[Note]) -> dict[str, Any]:
    """The counts a report is going to tell, by what they are about; ``steps`` are methods with their labels."""
    facts = {label: [n.facts for n in notes if n.step == label and n.visibility == "public"] for _, label in steps}
    return _told(read, released, [(method, label, facts[label]) for method, label in steps])


def numbers_of(report: Report) -> dict[str, int]:
    """The counts that a report tells, by what they are about."""
    return _told(report.records_read, report.records_released, [(s.method, s.label, s.facts) for s in report.steps])


def differences(before: Report, now: Mapping[str, int], k: int, where: str) -> Iterator[Problem]:
    """The numbers whose difference is fewer than k."""
    old = numbers_of(before)
    for name in (name for name in now if name in old):
        if 0 < abs(now[name] - old[name]) < k:
            message = f"both reports tell the number '{name}', and they differ by fewer than {k}"
            yield Problem("after-difference", where, message, HINT.format(k=k))


def _told(read: int, released: int, steps: Sequence[tuple[str, str, Sequence[Mapping[str, Any]]]]) -> dict[str, int]:
    found = {READ: read, RELEASED: released}
    for method, label, all_facts in steps:
        design = registry.get("method", method).design if method in registry.names("method") else frozenset()
        for facts in all_facts:
            counted = {name: value for name, value in facts.items() if name not in design}
            column = f" of {facts['column']}" if isinstance(facts.get("column"), str) else ""
            found |= {f"{label}: {name}{column}": n for name, n in _whole(counted)}
    return found


def _whole(facts: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, int]]:
    """All whole numbers, those in tables inside too."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _whole(value, f"{within}{name}.")
        elif isinstance(value, int) and not isinstance(value, bool):
            yield f"{within}{name}", value
