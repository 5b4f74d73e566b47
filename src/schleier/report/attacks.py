"""What attackers achieved in experiments, against blind guessing; every attack tells its technique itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.core import registry
from schleier.core.measure import Finding
from schleier.core.trust.aim import Technique
from schleier.core.trust.blocks import Outcome
from schleier.core.trust.coarse import FEW, is_clear, round_step
from schleier.report import pictures
from schleier.report.component_words import ComponentWords, words_of
from schleier.report.experiments import Persons, Public, Values, public_finding
from schleier.report.facts import finding_facts
from schleier.report.language import Words, foreign, name, plain
from schleier.report.sentence import tell_all
from schleier.report.untold import Untold

KINDS = ("attacks", "inferred")
"""Attacks that find persons, and attacks that learn values: their shares cannot be compared."""
MARKS = {"guess": "good", "withheld": "mind", "unclear": "mind", "better": "mind", "alarm": "bad"}
"""Outcome -> how bad it is, the best first."""


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
    """The middle of what was found; where values are inferred, of what exceeds the same guess for all."""
    outcome: Outcome = "guess"
    """What that is against guessing."""
    kind: str = "attacks"
    """Whether persons were found, or values inferred."""
    drawn: bool = True
    """Whether there is something to draw: the share of few claims, or of none, is not told."""

    @property
    def mark(self) -> str:
        """How bad that is: good, bad from the alarm on, or something to mind where it is better than guessing."""
        return MARKS[self.outcome]


def tell_attack(finding: Finding, place: int, words: Words) -> Experiment:
    """An experiment in words; every attack of a kind tells the same, whatever its technique."""
    own = words_of("attack", finding.name)
    title = words("attack.title", place=place, technique=own.titled({}, words))
    try:
        values = "sensitive" in finding.detail
        facts = finding_facts(public_finding(finding, values=values))
        found = Values.of(facts) if values else Persons.of(facts)
        told = _values(found, words) if isinstance(found, Values) else _persons(found, own, facts, words)
        more = [*told.more, *tell_all(own.sentences, facts, own.telling(words))]
        means = own.means.tell(facts, own.telling(words)) if own.means else None
        estimate = _estimate(finding.name, found, place, words)
    except Untold:
        return Experiment(title, [foreign(finding.text)], [])
    drawn = found.claims is None and found.outcome != "withheld" if values else True
    return Experiment(title, told.short, more, means, estimate, told.success, found.outcome, KINDS[values], drawn)


@dataclass(frozen=True)
class _Told:
    short: list[Markup]
    more: list[Markup]
    success: float


def _persons(found: Persons, own: ComponentWords, facts: Mapping[str, Any], words: Words) -> _Told:
    ends: dict[str, Any] = {"low": words.share(found.low), "high": words.share(found.high)}
    about: dict[str, Any] = {"targets": found.targets, "known": words.names(found.known)}
    usual = words(f"attack.found.{found.knowledge}", n=found.claims, **about, **ends)
    itself = tell_all(own.short, facts, own.telling(words))[:1]
    short = itself or [usual]
    if found.knowledge != "member":
        if found.baseline is not None and not itself:
            # In steps a small share is zero: it is not told as nobody.
            some = words.share(found.baseline) if found.baseline else _below(found.targets, words)
            short.append(words("attack.guess", guess=some))
        rests = tell_all(own.outcome, facts, own.telling(words))[:1]
        short += rests or [words(f"attack.outcome.{_how(found)}", few=FEW)]
    more = [*_contained(found, words), *_claims(found, words), *_as_earlier(found, words)]
    if found.control_claims is not None:
        more.append(words("attack.control", share=words.share(found.control_claims)))
    elif found.knowledge != "member":
        more.append(words("attack.no_control"))
    return _Told(short, more, found.value)


def _below(persons: int, words: Words) -> Markup:
    """A share that is zero to the nearest step of so many persons: it is below the first one."""
    return words("attack.below", share=words.share(round_step(persons)))


def _claims(found: Persons, words: Words) -> Iterator[Markup]:
    """How many claims there were, and how many of them were false."""
    if found.claims == 0:
        yield words("attack.no_claim")
    elif found.outcome == "withheld" and not found.as_earlier:
        yield words("attack.few_claims", few=FEW)
    else:
        if found.claims_share is not None:
            yield words("attack.claims", share=_many(found.claims_share, words))
        if found.false_share is not None:
            yield words(
                "attack.false" if found.false_share else "attack.few_false", share=words.share(found.false_share)
            )


def _many(share: float, words: Words) -> Markup:
    return words("attack.about", share=words.share(share)) if share else words("attack.hardly")


def _values(found: Values, words: Words) -> _Told:
    about: dict[str, Any] = {
        "targets": found.targets,
        "known": words.names(found.known),
        "sensitive": name(found.sensitive),
        "few": FEW,
    }
    at_hand = found.knowledge == "record"
    if found.claims == 0:
        none = words("attack.inferred.none_record" if at_hand else "attack.inferred.none", **about)
        short = [none, *_judged(found, words)]
    else:
        knowledge = "record_known" if at_hand and found.known else found.knowledge
        short = [words(f"attack.inferred.{knowledge}", **about), *_judged(found, words), *_right(found, words)]
    return _Told(short, list(_about_values(found, words)), found.difference)


def _judged(found: Values, words: Words) -> Iterator[Markup]:
    """That some of the persons have no value that could be learned: the shares that follow are of the others."""
    if found.without_value:
        yield words("attack.inferred.judged", n=max(found.targets - found.without_value, 0))


def _claimed(found: Values) -> int:
    """About how many claims were made: the steps of shares go by them."""
    judged = found.targets - (found.without_value or 0)
    return round(judged * (1.0 if found.claims_share is None else found.claims_share))


def _right(found: Values, words: Words) -> Iterator[Markup]:
    """Of how many persons something was claimed, how much of it was right, and what that is against guessing."""
    if found.outcome == "withheld":
        yield words("attack.outcome.held") if found.as_earlier else words("attack.inferred.withheld", few=FEW)
        return
    ends: dict[str, Any] = {"low": words.share(found.low), "high": words.share(found.high)}
    share = words("attack.some") if found.claims_share is None else _many(found.claims_share, words)
    yield words("attack.inferred.right", share=share, **ends)
    same = "guess" if not found.within else "guess_likely" if found.knowledge == "record" else "guess_mean"
    if found.baseline is not None:
        some = (
            words("attack.roughly", share=words.share(found.baseline))
            if found.baseline
            else _below(_claimed(found), words)
        )
        yield words(f"attack.inferred.{same}", guess=some)
    # Both shares are told in steps, outwards and to the nearest: they may look farther apart than they are, or nearer.
    between = found.baseline is not None and found.low <= found.baseline <= found.high
    low, high = (words.number(100 * max(end, 0.0), 3) for end in (found.difference_low, found.difference_high))
    if found.outcome == "guess":
        yield words("attack.inferred.as_often" if between else "attack.outcome.guess")
    elif found.outcome == "unclear":
        yield words("attack.outcome.unclear")
    elif is_clear(found.outcome, found.difference_low):
        yield words("attack.inferred.better", low=low, high=high)
    else:
        yield words("attack.inferred.little_apart" if between else "attack.inferred.little", high=high)


def _how(found: Public) -> str:
    return "held" if found.outcome == "withheld" and found.as_earlier else found.outcome


def _as_earlier(found: Public, words: Words) -> Iterator[Markup]:
    """That the numbers are those of another experiment."""
    if found.as_earlier and found.outcome != "withheld":
        yield words("attack.as_earlier")


def _about_values(found: Values, words: Words) -> Iterator[Markup]:
    yield from _contained(found, words)
    yield from _as_earlier(found, words)
    for key, share in {"sure": found.sure, "within": found.within}.items():
        if share is not None:
            yield words(f"attack.inferred.{key}", share=words.share(share))
    if found.control_claims is None and found.knowledge != "record":
        yield words("attack.no_control")


def _contained(found: Public, words: Words) -> Iterator[Markup]:
    if found.contained_share is not None and found.contained_share < 1:
        yield words("attack.contained", share=_many(found.contained_share, words))


def _estimate(attack: str, found: Persons | Values, place: int, words: Words) -> pictures.Estimate:
    kind = KINDS[isinstance(found, Values)]
    technique, how = words_of("attack", attack).titled({}, words), words(f"attack.how.{found.knowledge}")
    ends: dict[str, Any] = {"low": words.share(found.low), "high": words.share(found.high)}
    share = None if found.baseline is None else words.share(found.baseline)
    if share is not None and not found.baseline and found.knowledge != "member":
        share = _below(_claimed(found) if isinstance(found, Values) else found.targets, words)
    guess = "" if share is None else words(f"picture.{kind}.guess", share=share)
    return pictures.Estimate(
        label=plain(words("attack.label", place=place, technique=technique, how=how)),
        low=found.low,
        high=found.high,
        guess=found.baseline,
        found_text=plain(words(f"picture.{kind}.found", **ends)),
        guess_text=plain(guess),
    )


def tell_withheld(names: Sequence[str], words: Words) -> Markup | None:
    """Attacks of which nothing is told, because it would give somebody away."""
    named = words.listed([words_of("attack", one).titled({}, words) for one in names], len(names))
    return words("attack.withheld", names=named) if names else None


def tell_left_out(names: Sequence[str], words: Words) -> list[Markup]:
    """Attacks that were not tried, by why they were not."""
    found = dict[str, list[Markup]]()
    for one in names:
        found.setdefault(_why_left_out(one), []).append(words_of("attack", one).titled({}, words))
    return [words(f"attack.left_out.{why}", names=words.listed(some, len(some))) for why, some in found.items()]


def _why_left_out(attack: str) -> str:
    """Whether it must be named, is aimed at something that was done, or at what there is in the data."""
    declared: Any = registry.get("attack", attack) if attack in registry.names("attack") else None
    if declared is None or not issubclass(declared, Technique):
        return "other"
    return "named" if declared.on_request() else "aimed" if declared.against else "lacking"


def strongest(found: Sequence[Experiment]) -> list[Experiment]:
    """The experiment of each kind in which most was found."""
    counted = [[one for one in found if one.estimate and one.kind == kind] for kind in KINDS]
    order = list(MARKS)
    return [max(some, key=lambda one: (order.index(one.outcome), one.success)) for some in counted if some]


def draw_attacks(found: Sequence[Experiment], words: Words) -> list[tuple[Markup, Markup]]:
    """All experiments of a kind in one picture, with its title."""
    pairs = [(_picture(kind, found, words), words(f"picture.{kind}.title")) for kind in KINDS]
    return [(picture, title) for picture, title in pairs if picture]


def _picture(kind: str, found: Sequence[Experiment], words: Words) -> Markup | None:
    rows = [one.estimate for one in found if one.estimate and one.kind == kind and one.drawn]
    if not rows:
        return None
    largest = _above(max(max(row.high, row.guess or 0.0) for row in rows))
    ticks = [(part * largest, plain(words.share(part * largest))) for part in (0.0, 0.5, 1.0)]
    told = [f"{row.label}: {', '.join(filter(None, (row.found_text, row.guess_text)))}" for row in rows]
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
