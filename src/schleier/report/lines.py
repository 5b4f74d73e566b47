"""The outcome of a run as plain lines, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from schleier.core.criterion import Verdict
from schleier.core.measure import Finding
from schleier.flow.release.documents import Report
from schleier.report.alike import alike, judged, plain
from schleier.report.attacks import attacked
from schleier.report.language import Words
from schleier.report.measured import measured
from schleier.report.shifts import shifts
from schleier.report.use import cells, lost


def verdict_line(verdict: Verdict, words: Words) -> str:
    """A verdict in one sentence; English has the criterion's own words."""
    if words.lang == "en":
        return verdict.text
    return " ".join(plain(sentence) for sentence in judged(verdict, words).sentences)


def finding_lines(report: Report, words: Words) -> Iterator[tuple[str, str]]:
    """Name and sentence of everything that was measured and attacked."""
    for finding in report.findings:
        yield finding.name, finding.text if words.lang == "en" else _found(finding, words)
    for place, finding in enumerate(report.attacks, 1):
        said = " ".join(plain(sentence) for sentence in attacked(finding, place, words).short)
        yield finding.name, finding.text if words.lang == "en" else said


def _found(finding: Finding, words: Words) -> str:
    if twins := alike(finding, words):
        return plain(twins.short)
    shown = cells(finding, words) or lost(finding, words) or shifts(finding, words)
    return plain(shown.sentences[0] if shown else measured(finding, words).sentence)
