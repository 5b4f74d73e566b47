"""Experiments that belong together in a picture: a line for each technique and its keys, marked by a letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.lab.grid.results import GridReport, Told
from schleier.report.component_words import words_of
from schleier.report.language import Words, name, plain

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


def called(label: str, words: Words) -> Markup:
    """What a technique of the grid is called: its title, unless the grid gives it a name of its own."""
    own = words_of("attack", label)
    return own.titled({}, words) if own.there else name(label)


def technique(one: Told, words: Words) -> str:
    """A technique with the name of its keys."""
    title = plain(called(one.technique, words))
    return f"{title}, {one.keys}" if one.keys else title


def panels(report: GridReport, words: Words) -> Iterator[Panel]:
    """For each release and attacker his strongest lines. The same line has the same letter in every picture."""
    groups: dict[tuple[str, str, str], dict[str, list[Told]]] = {}
    for one in report.cells:
        place = groups.setdefault((one.release, one.knowledge, one.method), {})
        place.setdefault(technique(one, words), []).append(one)
    drawn = {
        place: sorted(lines, key=lambda one: -strength(lines[one]))[:MOST_LINES] for place, lines in groups.items()
    }
    letters = {
        label: _letter(i) for i, label in enumerate(dict.fromkeys(one for some in drawn.values() for one in some))
    }
    for (release, knowledge, method), lines in groups.items():
        here = set(drawn[release, knowledge, method])
        series = tuple(
            Series(letter, label, tuple(sorted(lines[label], key=lambda one: one.threshold or 0.0)))
            for label, letter in letters.items()
            if label in here
        )
        yield Panel(release, knowledge, method, series)


def _letter(place: int) -> str:
    """a to z, then a2 and so on."""
    again, i = divmod(place, len(LETTERS))
    return f"{LETTERS[i]}{again + 1 if again else ''}"


def strength(cells: Sequence[Told]) -> float:
    """What the strongest of some experiments finds at most that is certain, then at most that is possible.

    Of what is not told, anything is possible: that makes it no strong one.
    """
    return max(((one.low or 0.0) + (one.high or 0.0) / 1000 for one in cells if is_told(one)), default=0.0)


def accuracy(one: Told) -> float:
    """How many of the values that are claimed are right, as strength tells how many persons are found."""
    low, high = one.right or (0.0, 0.0)
    return low + high / 1000 if is_told(one) else 0.0


def is_told(one: Told) -> bool:
    """Whether everybody may read what it came to."""
    return one.outcome not in ("withheld", None)
