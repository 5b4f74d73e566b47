"""The report as one self-contained page."""

from __future__ import annotations

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.core.registry import every
from schleier.flow.release.documents import Report
from schleier.report.alike import alike, judged
from schleier.report.attacks import attacked, drawn, left_out
from schleier.report.front import front
from schleier.report.harm import harm
from schleier.report.language import Words
from schleier.report.measured import measured
from schleier.report.pages import rendered
from schleier.report.shifts import shifts
from schleier.report.steps import effects, told
from schleier.report.use import cells, lost, minded

UMLAUTS = str.maketrans("äöü", "aou")


class Html:
    """Renders a report as HTML that needs no network and no script, in English or German."""

    def render(self, report: Report, lang: str = "en") -> str:
        """The page. It also works as a fragment: all styles are bound to its one root element."""
        words = Words.of(lang)
        criteria = [judged(verdict, words) for verdict in report.criteria]
        unique = [one for one in (alike(finding, words) for finding in report.findings) if one]
        attacks = [attacked(finding, i, words) for i, finding in enumerate(report.attacks, 1)]
        further = [measured(finding, words) for finding in report.findings if _unknown(finding, words)]
        return rendered(
            "page",
            words,
            report=report,
            front=front(report, criteria, unique, attacks, words),
            criteria=criteria,
            unique=unique,
            attacks=attacks,
            attacks_pictures=drawn(attacks, words),
            attacks_left_out=left_out(report.attacks_left_out, words),
            harm=harm(report, words),
            steps=[told(step, words) for step in report.steps],
            effects=effects(report),
            minded=minded(report, words),
            cells=[one for one in (cells(finding, words) for finding in report.findings) if one],
            lost=[one for one in (lost(finding, words) for finding in report.findings) if one],
            shifted=[one for one in (shifts(finding, words) for finding in report.findings) if one],
            risks=[one for one in further if one.risk],
            others=[one for one in further if not one.risk],
            glossary=_glossary(words),
            sections=[one for one in (section().render(report, lang) for section in every("section").values()) if one],
        )


def _glossary(words: Words) -> list[tuple[Markup, Markup]]:
    """Terms with their meaning, in alphabetical order."""
    keys = {key.split(".")[1] for key in words.table if key.startswith("glossary.")}
    entries = [(words(f"glossary.{key}.term"), words(f"glossary.{key}.meaning")) for key in keys]
    return sorted(entries, key=lambda entry: entry[0].casefold().translate(UMLAUTS))


def _unknown(finding: Finding, words: Words) -> bool:
    return not any(told(finding, words) for told in (alike, cells, lost, shifts))
