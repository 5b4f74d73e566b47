"""What attackers achieved in experiments, against blind guessing; every attack tells its technique itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

from schleier.core.measure import ALARM, Finding
from schleier.report import pictures
from schleier.report.component_words import words_of
from schleier.report.facts import finding_facts
from schleier.report.language import Words, foreign, name, plain
from schleier.report.sentence import tell_all
from schleier.report.untold import Count, Form, Share, Untold

KINDS = ("attacks", "inferred")
"""Attacks that find persons, and attacks that learn values: their shares cannot be compared."""


@dataclass(frozen=True)
class Experiment:
    """An experiment as the page shows it."""

    title: Markup
    short: list[Markup]
    more: list[Markup]
    means: Markup | None = None
    """How the technique works."""
    estimate: pictures.Estimate | None = None
    success: float = 0.0
    better: bool = False
    """Whether it is clearly better than guessing."""
    kind: str = "attacks"
    """Whether persons were found, or values inferred."""
    drawn: bool = True
    """Whether there is something to draw: the share of no claims at all is none."""

    @property
    def mark(self) -> str:
        """How bad that is: good, bad from the alarm on, or something to mind where it is clearly better than guessing.

        Where values are inferred, success is what exceeds the same guess for all.
        """
        return "good" if not self.better else "bad" if self.success >= ALARM else "mind"


class Counts(Form):
    """What every experiment counts."""

    value: Share
    low: Share | None = None
    high: Share | None = None
    known: Sequence[str]
    targets: Count
    claims: Count
    correct: Count
    baseline: Share
    contained: Count | None = None


class Persons(Counts):
    """An experiment in which persons are looked for."""

    knowledge: Literal["exact", "file", "member"] = "exact"
    false_share: Share = 0.0
    control_claims: Share | None = None


class Values(Counts):
    """An experiment in which a value is claimed for each target."""

    knowledge: Literal["exact", "file", "record"] = "exact"
    sensitive: str
    difference: float
    difference_low: float
    difference_high: float
    without_value: Count | None = None
    rare: Count | None = None
    rare_correct: Count = 0
    rare_guessed: Count = 0
    sure: Share | None = None
    within: float | None = None
    as_it_stands: Share | None = None
    control_right: Share | None = None


def tell_attack(finding: Finding, place: int, words: Words) -> Experiment:
    """An experiment in words; every attack of a kind tells the same counts, whatever its technique."""
    own = words_of("attack", finding.name)
    title = words("attack.title", place=place, technique=own.titled({}, words))
    try:
        values = "sensitive" in finding.detail
        facts = finding_facts(finding)
        found = Values.of(facts) if values else Persons.of(facts)
        told = _values(found, words) if isinstance(found, Values) else _persons(found, words)
        more = [*told.more, *tell_all(own.sentences, facts, own.telling(words))]
        means = own.means.tell(facts, own.telling(words)) if own.means else None
        estimate = _estimate(finding.name, found, place, words)
    except Untold:
        return Experiment(title, [foreign(finding.text)], [])
    kind = KINDS[values]
    return Experiment(title, told.short, more, means, estimate, told.success, told.better, kind, told.drawn)


@dataclass(frozen=True)
class _Told:
    short: list[Markup]
    more: list[Markup]
    success: float
    better: bool
    drawn: bool = True


def _persons(found: Persons, words: Words) -> _Told:
    short = [
        words(
            f"attack.found.{found.knowledge}",
            n=found.correct,
            targets=found.targets,
            known=words.names(found.known),
            share=words.interval(found.value, found.low, found.high),
            guess=words.share(found.baseline),
        )
    ]
    better = (found.low or 0.0) > found.baseline
    if found.knowledge != "member":
        short.append(words("attack.better" if better else "attack.no_better"))
    claimed = "attack.no_claim" if not found.claims else "attack.claims" if found.false_share else "attack.claims_right"
    more = [*_contained(found, words), words(claimed, n=found.claims, share=words.share(found.false_share))]
    if found.control_claims is not None:
        more.append(words("attack.control", share=words.share(found.control_claims)))
    elif found.knowledge != "member":
        more.append(words("attack.no_control"))
    return _Told(short, more, found.value, better)


def _values(found: Values, words: Words) -> _Told:
    about: dict[str, Any] = {
        "targets": found.targets,
        "known": words.names(found.known),
        "sensitive": name(found.sensitive),
    }
    better, at_hand = found.difference_low > 0, found.knowledge == "record"
    if found.claims:
        knowledge = "record_known" if at_hand and found.known else found.knowledge
        share = words.interval(found.value, found.low, found.high)
        same = "guess" if not found.within else "guess_likely" if at_hand else "guess_mean"
        ends = {"points": found.difference, "low": found.difference_low, "high": found.difference_high}
        points: dict[str, Any] = {key: words.number(100 * end, 3) for key, end in ends.items()}
        short = [
            words(f"attack.inferred.{knowledge}", n=found.correct, claims=found.claims, share=share, **about),
            words(f"attack.inferred.{same}", guess=words.share(found.baseline)),
            words("attack.inferred.better", **points) if better else words("attack.no_better"),
        ]
    else:
        short = [words("attack.inferred.none_record" if at_hand else "attack.inferred.none", **about)]
    return _Told(short, list(_about_values(found, words)), found.difference, better, found.claims > 0)


def _about_values(found: Values, words: Words) -> Iterator[Markup]:
    yield from _contained(found, words)
    if found.without_value:
        yield words("attack.inferred.without", n=found.without_value)
    if found.claims and found.rare:
        yield words("attack.inferred.rare", n=found.rare, correct=found.rare_correct, guessed=found.rare_guessed)
    shares = {
        "sure": found.sure,
        "within": found.within,
        "as_it_stands": found.as_it_stands,
        "control": found.control_right,
    }
    for key, share in shares.items():
        if share is not None:
            yield words(f"attack.inferred.{key}", share=words.share(share))
    if found.control_right is None and found.knowledge != "record":
        yield words("attack.no_control")


def _contained(found: Counts, words: Words) -> Iterator[Markup]:
    if found.contained is not None and found.contained < found.targets:
        yield words("attack.contained", n=found.contained, targets=found.targets)


def _estimate(attack: str, found: Persons | Values, place: int, words: Words) -> pictures.Estimate:
    kind = KINDS[isinstance(found, Values)]
    technique, how = words_of("attack", attack).titled({}, words), words(f"attack.how.{found.knowledge}")
    return pictures.Estimate(
        label=plain(words("attack.label", place=place, technique=technique, how=how)),
        value=found.value,
        low=found.low or 0.0,
        high=found.value if found.high is None else found.high,
        guess=found.baseline,
        value_text=plain(words(f"picture.{kind}.found", share=words.share(found.value))),
        guess_text=plain(words(f"picture.{kind}.guess", share=words.share(found.baseline))),
    )


def tell_left_out(names: Sequence[str], words: Words) -> Markup | None:
    """Attacks that were not tried because nothing they are aimed at was done."""
    named = words.listed([words_of("attack", one).titled({}, words) for one in names], len(names))
    return words("attack.left_out", names=named) if names else None


def strongest(found: Sequence[Experiment]) -> list[Experiment]:
    """The experiment of each kind in which most was found."""
    counted = [[one for one in found if one.estimate and one.kind == kind] for kind in KINDS]
    return [max(some, key=lambda one: (one.better, one.success)) for some in counted if some]


def draw_attacks(found: Sequence[Experiment], words: Words) -> list[tuple[Markup, Markup]]:
    """All experiments of a kind in one picture, with its title."""
    pairs = [(_picture(kind, found, words), words(f"picture.{kind}.title")) for kind in KINDS]
    return [(picture, title) for picture, title in pairs if picture]


def _picture(kind: str, found: Sequence[Experiment], words: Words) -> Markup | None:
    rows = [one.estimate for one in found if one.estimate and one.kind == kind and one.drawn]
    if not rows:
        return None
    largest = _above(max(max(row.high, row.guess) for row in rows))
    ticks = [(part * largest, plain(words.share(part * largest))) for part in (0.0, 0.5, 1.0)]
    told = [f"{row.label}: {row.value_text}, {row.guess_text}" for row in rows]
    marks = plain(words(f"picture.{kind}.mark_found")), plain(words(f"picture.{kind}.mark_guess"))
    legend = pictures.Legend(plain(words("picture.legend")), marks)
    return pictures.estimates(rows, plain(words(f"picture.{kind}.title")), "; ".join(told), ticks, legend)


def _above(value: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten.

    >>> _above(0.0087), _above(0.3), _above(0)
    (0.01, 0.5, 0.01)
    """
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    return min(next(round(power * step, 12) for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9)), 1.0)
