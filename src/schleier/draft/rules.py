"""The rules of a profile on the columns of a file: steps with their reasons, and the hierarchies they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.hierarchy import Hierarchy, parse
from schleier.core.units import units
from schleier.draft.formats import form_of
from schleier.draft.profile import Profile, Rule, Text
from schleier.draft.roles import Guess
from schleier.draft.steps import FEWEST
from schleier.draft.zones import Places, rows_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset


@dataclass(frozen=True)
class Proposed:
    """An entry of the recipe, and why."""

    entry: dict[str, Any]
    reason: Text | None = None
    """None: what the words of a draft say about it."""


@dataclass
class Ruled:
    """What the rules ask for."""

    dropped: list[Proposed] = field(default_factory=list)
    steps: list[Proposed] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    """The hierarchy of a column, by name."""
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict)


def ruled(profile: Profile, data: Dataset, guesses: Sequence[Guess], places: Places | None, other: str) -> Ruled:
    """The rules of a profile, on the columns that are not left out anyway."""
    found = Ruled()
    for guess in guesses:
        if guess.is_key or guess.column.role in ("identifier", "unit", "weight"):
            continue
        for rule in profile.rules:
            if _concerns(rule, guess):
                _follow(rule, guess, data, places, other, found)
                break
    return found


def _concerns(rule: Rule, guess: Guess) -> bool:
    if guess.column.scale in rule.scales:
        return True
    if guess.meaning is not None and guess.meaning.name in rule.meanings:
        return rule.upper is None or guess.column.numeric
    if rule.forms and guess.column.scale in ("nominal", "text") and guess.facts.filled:
        form = form_of(guess.facts.texts, guess.facts.counts)
        return form is not None and form[0].name in rule.forms
    return False


def _follow(rule: Rule, guess: Guess, data: Dataset, places: Places | None, other: str, found: Ruled) -> None:
    name, meaning = guess.column.name, guess.meaning.name if guess.meaning else None
    if rule.upper is not None:
        found.steps.append(
            Proposed({"method": "top_code", "column": name, "upper": _limit(data, name, rule.upper)}, rule.reason)
        )
        return
    first, then = rule.hierarchy, rule.then
    people = places.of(name, meaning) if rule.inhabitants and places is not None else None
    if rule.inhabitants and people:
        first, then = rows_of(people, rule.inhabitants, other)
    if first is None:
        found.dropped.append(Proposed({"method": "drop", "columns": [name]}, rule.reason))
        return
    names = list(_free(name, {*found.hierarchies, *(c.hierarchy for c in data.schema if c.name != name)}))
    found.hierarchies[names[0]], found.columns[name] = parse(first), names[0]
    entry: dict[str, Any] = {"method": "recode", "column": name, "level": 1}
    if then is not None and guess.column.role == "quasi":
        found.hierarchies[names[1]] = parse(then)
        entry["then"] = names[1]
    found.steps.append(Proposed(entry, rule.reason))


def _limit(data: Dataset, name: str, upper: int) -> int:
    """The limit, or a lower one: nobody is hidden in a tail of one or two."""
    import narwhals as nw

    while 0 < units(data, nw.col(name) > upper) < FEWEST and upper > 1:
        upper -= 1
    return upper


def _free(name: str, taken: set[str | None]) -> Iterator[str]:
    """Two names for hierarchies that nobody uses yet."""
    for start in (name, f"{name} further"):
        candidate, n = start, 2
        while candidate in taken:
            candidate, n = f"{start} {n}", n + 1
        taken.add(candidate)
        yield candidate
