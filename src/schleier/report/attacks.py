"""What attackers achieved in experiments, against blind guessing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.report import pictures
from schleier.report.alike import BROKEN, plain, refuse_endless
from schleier.report.language import Words, foreign, name

ALARM = 0.09
"""Success from which an attack is called a problem: the threshold for public release that the European Medicines Agency
(Policy 0070) and Health Canada recommend. Below it, what is clearly better than guessing is something to mind."""


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

    @property
    def mark(self) -> str:
        """How bad that is: good, mind or bad."""
        return "good" if not self.better else "bad" if self.success >= ALARM else "mind"


def attacked(finding: Finding, place: int, words: Words) -> Attacked:
    """An experiment in words; every attack tells the same counts, whatever its technique."""
    try:
        return _attacked(finding, place, words)
    except BROKEN:
        return Attacked(words("attack.title", place=place, technique=name(finding.name)), [foreign(finding.text)], [])


def _attacked(finding: Finding, place: int, words: Words) -> Attacked:
    refuse_endless(finding.detail)
    detail = finding.detail
    targets, claims, correct, guess = (detail[key] for key in ("targets", "claims", "correct", "baseline"))
    low, high = finding.low or 0.0, finding.value if finding.high is None else finding.high
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
    against = words("attack.better" if better else "attack.no_better")
    means = words(f"means.{finding.name}") if f"means.{finding.name}" in words else None
    more = []
    if detail.get("contained", targets) < targets:
        more.append(words("attack.contained", n=detail["contained"], targets=targets))
    wrong = detail.get("false_share", 0.0)
    told = "attack.no_claim" if not claims else "attack.claims" if wrong else "attack.claims_right"
    more.append(words(told, n=claims, share=words.share(wrong)))
    control = detail.get("control_claims")
    more.append(words("attack.no_control") if control is None else words("attack.control", share=words.share(control)))
    estimate = pictures.Estimate(
        label=plain(words("attack.label", place=place, technique=technique, how=words(f"attack.how.{knowledge}"))),
        value=finding.value,
        low=low,
        high=high,
        guess=guess,
        value_text=plain(words("picture.attacks.found", share=words.share(finding.value))),
        guess_text=plain(words("picture.attacks.guess", share=words.share(guess))),
    )
    title = words("attack.title", place=place, technique=technique)
    return Attacked(title, [found, against], more, means, estimate, finding.value, better)


def best(found: Sequence[Attacked]) -> Attacked | None:
    """The experiment in which most was found."""
    counted = [one for one in found if one.estimate]
    return max(counted, key=lambda one: one.success, default=None)


def drawn(found: Sequence[Attacked], words: Words) -> Markup | None:
    """All experiments in one picture."""
    rows = [one.estimate for one in found if one.estimate]
    if not rows:
        return None
    largest = _above(max(max(row.high, row.guess) for row in rows))
    ticks = [(part * largest, plain(words.share(part * largest))) for part in (0.0, 0.5, 1.0)]
    told = [f"{row.label}: {row.value_text}, {row.guess_text}" for row in rows]
    return pictures.estimates(rows, plain(words("picture.attacks.title")), "; ".join(told), ticks)


def _above(value: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten.

    >>> _above(0.0087), _above(0.3), _above(0)
    (0.01, 0.5, 0.01)
    """
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    return min(next(round(power * step, 12) for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9)), 1.0)
