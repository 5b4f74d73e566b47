"""From answers to an outcome: every rule that fits speaks, and the strictest of all results wins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import Field

from schleier.core.errors import Problem, RecipeError
from schleier.core.record import Frozen
from schleier.draft.advice.questions import Answers, Point, When, fits, open_points, questions, settled
from schleier.draft.profile import Text


class Rule(Frozen):
    """What follows where answers fit."""

    when: When
    reason: Text
    source: tuple[str, ...]
    """Keys of the sources."""
    outcome: str = ""
    profile: str = ""
    protection: str = ""
    """The need for protection is at least this."""
    k: int = 0
    """Smallest class, at least."""
    l: int = 0  # noqa: E741  # as the literature calls it
    """Different sensitive values in a class, at least."""


class Contradiction(Frozen):
    """Answers that cannot all be true."""

    when: When
    en: str
    de: str


class Ending(Frozen):
    """What an outcome means, and what comes next."""

    title: Text
    means: Text
    commands: tuple[str, ...] = ()
    absent: bool = False
    """Whether Schleier cannot do it yet."""
    instead: dict[str, str] = Field(default_factory=dict)
    """Profiles that are replaced by another one."""


class Rules(Frozen):
    """Everything in the file of rules."""

    profiles: tuple[str, ...]
    outcomes: tuple[str, ...]
    special: tuple[str, ...]
    sources: dict[str, str]
    rule: tuple[Rule, ...]
    contradiction: tuple[Contradiction, ...]
    advice: dict[str, Ending]


@dataclass(frozen=True)
class Reason:
    """Why something is advised, and where that is written."""

    text: Text
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Decision:
    """What the rules say, before a row is looked at."""

    outcome: str
    ending: Ending = field(repr=False)
    protection: str
    """The need for protection: as answered, or raised."""
    reasons: tuple[Reason, ...] = field(repr=False)
    profiles: tuple[str, ...] = ()
    """The profiles that apply, the strictest first; none where no records are to be had."""
    k: int = 0
    l: int = 0  # noqa: E741

    @property
    def records(self) -> bool:
        """Whether somebody gets records."""
        return bool(self.profiles)


@cache
def rules() -> Rules:
    """The rules."""
    return Rules.model_validate(tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")))


def points(answers: Answers, found: Mapping[str, str]) -> list[Point]:
    """Everything that keeps an advice from being given: what is missing or no answer, and all contradictions."""
    open_ones = list(open_points(answers))
    wrong = {key for one in open_ones for key in one.keys}
    known = {one.key: answers[one.key] for one in questions() if one.key in answers and one.key not in wrong}
    return [*open_ones, *_contradictions({**settled(known), **found})]


def decide(answers: Answers, found: Mapping[str, str] | None = None) -> Decision:
    """What is advised; ``found`` is what the file itself tells.

    >>> decide({"collected": "yes", "purpose": "none any more", "needed": "no"}).outcome
    'delete'
    """
    found = found or {}
    if wrong := points(answers, found):
        raise RecipeError([one.problem for one in wrong])
    said = {**settled(answers), **found}
    table, harms = rules(), next(list(one.choices) for one in questions() if one.key == "protection")
    raised = [rule for rule in table.rule if rule.protection and fits(rule.when, said)]
    if "protection" in said:
        said["protection"] = _strictest([str(said["protection"]), *(rule.protection for rule in raised)], harms)
    fitting = [rule for rule in table.rule if fits(rule.when, said)]
    outcome = _strictest([rule.outcome for rule in fitting if rule.outcome] or [table.outcomes[-1]], table.outcomes)
    ending = table.advice[outcome]
    named = {ending.instead.get(rule.profile, rule.profile) for rule in fitting if rule.profile}
    profiles = tuple(sorted(named, key=table.profiles.index)) if _gives_records(outcome) else ()
    speaking = [rule for rule in fitting if profiles or rule.outcome == outcome]
    return Decision(
        outcome=outcome,
        ending=ending,
        protection=str(said.get("protection", "")),
        reasons=tuple(Reason(rule.reason, tuple(table.sources[one] for one in rule.source)) for rule in speaking),
        profiles=profiles,
        k=max((rule.k for rule in fitting), default=0) if profiles else 0,
        l=max((rule.l for rule in fitting), default=0) if profiles else 0,
    )


def _gives_records(outcome: str) -> bool:
    """Whether somebody gets records: the two mildest outcomes."""
    return outcome in rules().outcomes[-2:]


def _strictest(given: Sequence[str], order: Sequence[str]) -> str:
    return min(given, key=order.index)


def _contradictions(said: Answers) -> Iterator[Point]:
    for one in rules().contradiction:
        if fits(one.when, said):
            keys = tuple(key for key in one.when if not key.startswith("found_"))
            hint = f"look again at: {', '.join(keys)}"
            yield Point(Problem("contradiction", "answers", one.en, hint), keys, {"en": one.en, "de": one.de})
