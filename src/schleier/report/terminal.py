"""The outcome of a run as plain lines, for the terminal: the same words as on the page, without their tags."""

from __future__ import annotations

from collections.abc import Iterator

from schleier.core.criterion import Verdict
from schleier.flow.release.documents import Report
from schleier.report.attacks import tell_attack
from schleier.report.criteria import tell_verdict
from schleier.report.language import Words, plain
from schleier.report.measures import tell_measure
from schleier.report.sections import findings_of, tell_section


def verdict_line(verdict: Verdict, words: Words) -> str:
    """A verdict in one sentence; English has the criterion's own words."""
    if words.lang == "en":
        return verdict.text
    return " ".join(plain(sentence) for sentence in tell_verdict(verdict, words).sentences)


def finding_lines(report: Report, words: Words) -> Iterator[tuple[str, str]]:
    """Name and sentence of everything that was measured and attacked."""
    for finding in findings_of(report):
        section = tell_section(finding, words)
        yield finding.name, plain(section.short if section else tell_measure(finding, words).sentence)
    for place, finding in enumerate(report.attacks, 1):
        yield finding.name, " ".join(plain(sentence) for sentence in tell_attack(finding, place, words).short)
    for name in report.attacks_withheld:
        yield name, plain(words("attempt.withheld"))
