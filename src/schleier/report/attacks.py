"""What attackers achieved in experiments, against blind guessing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.core.measure import ALARM, Finding
from schleier.report import pictures
from schleier.report.alike import BROKEN, plain, refuse_endless
from schleier.report.language import Words, foreign, name

KINDS = ("attacks", "inferred")
"""Attacks that find persons, and attacks that learn values: their shares cannot be compared."""
ENDS = {"points": "", "low": "_low", "high": "_high"}
"""The difference and the ends of its interval, as the detail of a finding calls them."""


@dataclass(frozen=True)
class Attacked:
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


def attacked(finding: Finding, place: int, words: Words) -> Attacked:
    """An experiment in words; every attack of a kind tells the same counts, whatever its technique."""
    try:
        refuse_endless(finding.detail)
        return (_inferred if "sensitive" in finding.detail else _attacked)(finding, place, words)
    except BROKEN:
        return Attacked(words("attack.title", place=place, technique=name(finding.name)), [foreign(finding.text)], [])


def _attacked(finding: Finding, place: int, words: Words) -> Attacked:
    detail = finding.detail
    targets, claims, correct, guess = (detail[key] for key in ("targets", "claims", "correct", "baseline"))
    low = finding.low or 0.0
    knowledge = detail.get("knowledge", "exact")
    technique = words.word("technique", finding.name)
    found = words(
        f"attack.found.{knowledge}",
        n=correct,
        targets=targets,
        known=words.names(detail["known"]),
        share=words.interval(finding.value, finding.low, finding.high),
        guess=words.share(guess),
    )
    better = low > guess
    against = [] if knowledge == "member" else [words("attack.better" if better else "attack.no_better")]
    more = list(_contained(detail, targets, words))
    wrong = detail.get("false_share", 0.0)
    told = "attack.no_claim" if not claims else "attack.claims" if wrong else "attack.claims_right"
    more.append(words(told, n=claims, share=words.share(wrong)))
    control = detail.get("control_claims")
    if control is not None:
        more.append(words("attack.control", share=words.share(control)))
    elif knowledge != "member":
        more.append(words("attack.no_control"))
    estimate = _estimate("attacks", finding, place, words)
    title = words("attack.title", place=place, technique=technique)
    return Attacked(title, [found, *against], more, _means(finding, words), estimate, finding.value, better)


def _inferred(finding: Finding, place: int, words: Words) -> Attacked:
    """An experiment in which a value is claimed for each target."""
    detail = finding.detail
    targets, claims, guess, gain = (detail[key] for key in ("targets", "claims", "baseline", "difference"))
    about = {"targets": targets, "known": words.names(detail["known"]), "sensitive": name(detail["sensitive"])}
    knowledge, within = detail.get("knowledge", "exact"), detail.get("within")
    better = detail["difference_low"] > 0
    found_already = knowledge == "record"
    if found_already and detail["known"]:
        knowledge = "record_known"
    if claims:
        share = words.interval(finding.value, finding.low, finding.high)
        short = [words(f"attack.inferred.{knowledge}", n=detail["correct"], claims=claims, share=share, **about)]
        same = "guess" if not within else "guess_likely" if found_already else "guess_mean"
        short.append(words(f"attack.inferred.{same}", guess=words.share(guess)))
        points: dict[str, Any] = {key: words.number(100 * detail[f"difference{end}"], 3) for key, end in ENDS.items()}
        short.append(words("attack.inferred.better", **points) if better else words("attack.no_better"))
    else:
        short = [words("attack.inferred.none_record" if found_already else "attack.inferred.none", **about)]
    more = list(_contained(detail, targets, words))
    if without := detail.get("without_value"):
        more.append(words("attack.inferred.without", n=without))
    if claims and (rare := detail.get("rare")):
        told = {"correct": detail["rare_correct"], "guessed": detail["rare_guessed"]}
        more.append(words("attack.inferred.rare", n=rare, **told))
    shares = {key: detail.get(key) for key in ("sure", "within", "as_it_stands", "narrow", "narrowest")}
    for key, value in (shares | {"control": detail.get("control_right")}).items():
        if value is not None:
            more.append(words(f"attack.inferred.{key}", share=words.share(value)))
    if detail.get("averaged"):
        more.append(words("attack.inferred.averaged"))
    if odd := detail.get("impossible"):
        told = {"targets": detail["impossible_targets"], "correct": detail["impossible_right"]}
        more.append(words("attack.inferred.impossible", n=odd, **told))
    if detail.get("control_right") is None and not found_already:
        more.append(words("attack.no_control"))
    title = words("attack.title", place=place, technique=words.word("technique", finding.name))
    estimate = _estimate("inferred", finding, place, words)
    return Attacked(title, short, more, _means(finding, words), estimate, gain, better, "inferred", claims > 0)


def _contained(detail: Mapping[str, Any], targets: int, words: Words) -> Iterator[Markup]:
    if detail.get("contained", targets) < targets:
        yield words("attack.contained", n=detail["contained"], targets=targets)


def _means(finding: Finding, words: Words) -> Markup | None:
    key = f"means.{finding.name}"
    return words(key) if key in words else None


def _estimate(kind: str, finding: Finding, place: int, words: Words) -> pictures.Estimate:
    guess, how = finding.detail["baseline"], words(f"attack.how.{finding.detail.get('knowledge', 'exact')}")
    technique = words.word("technique", finding.name)
    return pictures.Estimate(
        label=plain(words("attack.label", place=place, technique=technique, how=how)),
        value=finding.value,
        low=finding.low or 0.0,
        high=finding.value if finding.high is None else finding.high,
        guess=guess,
        value_text=plain(words(f"picture.{kind}.found", share=words.share(finding.value))),
        guess_text=plain(words(f"picture.{kind}.guess", share=words.share(guess))),
    )


def left_out(names: Sequence[str], words: Words) -> Markup | None:
    """Attacks that were not tried because nothing they are aimed at was done."""
    named = words.listed([words.word("technique", one) for one in names], len(names))
    return words("attack.left_out", names=named) if names else None


def best(found: Sequence[Attacked]) -> list[Attacked]:
    """The experiment of each kind in which most was found."""
    counted = [[one for one in found if one.estimate and one.kind == kind] for kind in KINDS]
    return [max(some, key=lambda one: (one.better, one.success)) for some in counted if some]


def drawn(found: Sequence[Attacked], words: Words) -> list[tuple[Markup, Markup]]:
    """All experiments of a kind in one picture, with its title."""
    pairs = [(_picture(kind, found, words), words(f"picture.{kind}.title")) for kind in KINDS]
    return [(picture, title) for picture, title in pairs if picture]


def _picture(kind: str, found: Sequence[Attacked], words: Words) -> Markup | None:
    rows = [one.estimate for one in found if one.estimate and one.kind == kind and one.drawn]
    if not rows:
        return None
    largest = _above(max(max(row.high, row.guess) for row in rows))
    ticks = [(part * largest, plain(words.share(part * largest))) for part in (0.0, 0.5, 1.0)]
    told = [f"{row.label}: {row.value_text}, {row.guess_text}" for row in rows]
    return pictures.estimates(rows, plain(words(f"picture.{kind}.title")), "; ".join(told), ticks)


def _above(value: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten.

    >>> _above(0.0087), _above(0.3), _above(0)
    (0.01, 0.5, 0.01)
    """
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    return min(next(round(power * step, 12) for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9)), 1.0)
