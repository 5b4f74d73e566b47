"""What came of attacks on a release, in words: coarsely as in a report, and exactly for the holder."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from schleier.core.errors import Problem
from schleier.core.measure import Finding
from schleier.flow.attack.attempt import Attempt, LeftOut, Tried
from schleier.report.attacks import MARKS, tell_attack
from schleier.report.component_words import words_of
from schleier.report.language import Words, foreign, name, plain

WORST = list(MARKS.values())
TOLD = ("name", "targets", "knowledge")
"""Parameters that the sentences about a technique tell."""


@dataclass(frozen=True)
class ToldTechnique:
    """A technique and what came of it."""

    title: Markup
    said: list[Markup]
    more: list[Markup] = field(default_factory=list)
    mark: str = "mind"


@dataclass(frozen=True)
class ToldAttempt:
    """All of it, from top to bottom."""

    title: Markup
    scene: list[Markup]
    """What the attacker knew, and who judged."""
    techniques: list[ToldTechnique]
    notes: list[Markup]
    mark: str
    """The worst of all techniques."""


def in_english(problem: Problem) -> Markup:
    """What is wrong, as it stands."""
    return foreign(problem.message)


def tell_attempt(attempt: Attempt, words: Words, reason: Callable[[Problem], Markup | str] = in_english) -> ToldAttempt:
    """The words of an attempt in a language; ``reason`` tells why a technique was left out."""
    told = [_technique(one, place, words, attempt) for place, one in enumerate(attempt.tried, 1)]
    mark = max((one.mark for one in told), key=WORST.index, default="mind")
    title = words("attempt.title", release=name(attempt.release), n=attempt.records)
    return ToldAttempt(title, list(_scene(attempt, words)), told, list(_notes(attempt, words, reason)), mark)


def in_words(attempt: Attempt, words: Words) -> Attempt:
    """The same document with its sentences in a language: findings are made with English ones."""

    def told(one: Tried, place: int) -> Tried:
        exact = one.exact and one.exact.model_copy(update={"text": plain(_exactly(one.exact, words))})
        short = tell_attack(one.public, place, words).short if one.public is not None else []
        public = one.public and one.public.model_copy(update={"text": plain(Markup(" ").join(short))})
        return one.model_copy(update={"exact": exact, "public": public})

    return attempt.model_copy(update={"tried": tuple(told(one, place) for place, one in enumerate(attempt.tried, 1))})


def _scene(attempt: Attempt, words: Words) -> Iterator[Markup]:
    if attempt.persons is None:
        yield words("attempt.knows.truth")
    else:
        yield words("attempt.knows.file", n=attempt.persons, columns=words.names(attempt.columns))
    if attempt.alike:
        pairs = [Markup("{} ({})").format(name(other), name(own)) for other, own in attempt.alike.items()]
        yield words("attempt.alike", pairs=Markup(", ").join(pairs))
    yield words(f"attempt.judge.{attempt.judged_by}")
    if not attempt.whole:
        yield words("attempt.part")
    if attempt.untold:
        yield words("attempt.untold", n=len(attempt.untold), steps=words.names(attempt.untold))


def _notes(attempt: Attempt, words: Words, reason: Callable[[Problem], Markup | str]) -> Iterator[Markup]:
    for one in attempt.left_out:
        yield _left_out(one, words, reason)
    if attempt.automatic and attempt.judged_by != "original":
        yield words("attempt.automatic")
    if attempt.unused_pairs:
        yield words("attempt.unused", n=attempt.unused_pairs)
    if attempt.restricted and any(one.exact is not None for one in attempt.tried):
        yield words("attempt.confidential")


def _left_out(one: LeftOut, words: Words, reason: Callable[[Problem], Markup | str]) -> Markup:
    technique = words_of("attack", one.attack).titled({}, words)
    if not one.problems:
        return words("attempt.left_out.unsaid", technique=technique)
    return words("attempt.left_out.why", technique=technique, reason=Markup("; ").join(map(reason, one.problems)))


def _technique(one: Tried, place: int, words: Words, attempt: Attempt) -> ToldTechnique:
    own = words_of("attack", one.attack).titled({}, words)
    title, how = words("attack.title", place=place, technique=own), list(_parameters(one.parameters, words))
    if one.claims is not None:
        return ToldTechnique(title, [*how, words("attempt.unjudged", n=one.claims, targets=one.targets or 0)])
    exact = [_exactly(one.exact, words)] if one.exact is not None else []
    if attempt.persons is not None and _knows_true_values(one):
        how.append(words("attempt.unread"))
    if one.public is None:
        return ToldTechnique(title, [*how, words("attempt.withheld"), *exact])
    told = tell_attack(one.public, place, words)
    return ToldTechnique(told.title, [*how, *told.short, *exact], told.more, told.mark)


def _knows_true_values(one: Tried) -> bool:
    """Whether what the attacker knew was not the file."""
    told = one.exact or one.public
    return told is not None and told.detail.get("knowledge") == "exact"


def _parameters(given: Mapping[str, Any], words: Words) -> Iterator[Markup]:
    """How a technique was tried: by its parameters, which are called in every language as in a recipe."""
    pairs = [Markup("{} = {}").format(name(key), words.value(one)) for key, one in given.items() if key not in TOLD]
    if pairs:
        yield words("attempt.parameters", parameters=Markup("; ").join(pairs))


def _exactly(found: Finding, words: Words) -> Markup:
    """The counts of the trustee; in its own words where an attack counts other things."""
    detail = found.detail
    counts = [one for key in ("targets", "claims", "correct") if isinstance(one := detail.get(key), int)]
    if found.low is None or found.high is None or len(counts) < 3:
        return foreign(found.text)
    targets, claims, correct = counts
    shares: dict[str, Any] = {end: words.share(getattr(found, end)) for end in ("value", "low", "high")}
    kind = "values" if "difference" in detail else "persons"
    if "area" in detail or not math.isclose(
        found.value, correct / max(claims if kind == "values" else targets, 1), abs_tol=1e-9
    ):
        kind = "rate"  # of a rate at so many false alarms there are no counts
    without = detail.get("without_value")
    if kind == "values" and isinstance(without, int) and without:
        kind, shares = "values_with", {**shares, "all": targets + without}
    said = words(f"attempt.exact.{kind}", n=claims, targets=targets, correct=correct, **shares)
    also = {"guess": detail.get("baseline"), "as_it_stands": detail.get("as_it_stands")}
    more = [words(f"attempt.{key}", share=words.share(share)) for key, share in also.items() if share is not None]
    return Markup(" ").join([said, *more])
