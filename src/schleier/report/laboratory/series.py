"""Experiments that belong together in a picture: a line for each technique and its keys, marked by a letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schleier.lab.grid.results import GridReport, Told
from schleier.report.language import Words, plain

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_LINES = 8
"""Lines in one picture; those that find most come first."""


@dataclass(frozen=True)
class Series:
    """One line: the same technique, keys and knowledge at growing thresholds."""

    letter: str
    label: str
    cells: tuple[Told, ...]


@dataclass(frozen=True)
class Panel:
    """One picture: a release, and what an attacker knows."""

    release: str
    knowledge: str
    method: str
    series: tuple[Series, ...]


def attacker(one: Told, report: GridReport, words: Words) -> str:
    """What he knows, as far as the grid varies it."""
    parts = [one.knowledge] if len(report.knowledge) > 1 else []
    parts += [plain(words(f"lab.method.{one.method}"))] if len(report.method) > 1 else []
    return ", ".join(parts)


def technique(one: Told) -> str:
    """A technique with the name of its keys."""
    return f"{one.technique}, {one.keys}" if one.keys else one.technique


def panels(report: GridReport) -> Iterator[Panel]:
    """For each release and attacker his lines, the strongest first."""
    groups: dict[tuple[str, str, str], dict[str, list[Told]]] = {}
    for one in report.cells:
        place = groups.setdefault((one.release, one.knowledge, one.method), {})
        place.setdefault(technique(one), []).append(one)
    for (release, knowledge, method), lines in groups.items():
        ranked = sorted(lines.items(), key=lambda line: -strength(line[1]))[:MOST_LINES]
        series = tuple(
            Series(LETTERS[i], label, tuple(sorted(cells, key=lambda one: one.threshold or 0.0)))
            for i, (label, cells) in enumerate(ranked)
        )
        yield Panel(release, knowledge, method, series)


def strength(cells: Sequence[Told]) -> float:
    """What the strongest of some experiments finds at most that is certain, then at most that is possible.

    Of what is not told, anything is possible: that makes it no strong one.
    """
    return max(((one.low or 0.0) + (one.high or 0.0) / 1000 for one in cells if is_told(one)), default=0.0)


def is_told(one: Told) -> bool:
    """Whether everybody may read what it came to."""
    return one.outcome not in ("withheld", None)
