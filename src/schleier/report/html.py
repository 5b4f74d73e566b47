"""The report as one self-contained page."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.flow.release.documents import FEWEST, Report
from schleier.report.attacks import draw_attacks, tell_attack, tell_left_out, tell_withheld
from schleier.report.criteria import tell_verdict
from schleier.report.front import Box, front_box
from schleier.report.harm import draw_harm
from schleier.report.judges import tell_judge, tell_judges, tell_meaning
from schleier.report.language import Words
from schleier.report.measures import section_of, tell_measure
from schleier.report.mind import tell_effects, tell_mind
from schleier.report.pages import Page, render
from schleier.report.sections import TELLERS, findings_of, tell_section, wing_sections
from schleier.report.steps import tell_step, was_idle

HEADINGS = ("data", "initial", "done", "remaining", "use")
UMLAUTS = str.maketrans("äöü", "aou")


class Html:
    """Renders a report as HTML that needs no network and no script, in English or German."""

    def render(self, report: Report, lang: str = "en") -> str:
        """The page. It also works as a fragment: all styles are bound to its one root element."""
        words = Words.of(lang)
        criteria = [tell_verdict(verdict, words) for verdict in report.criteria]
        attacks = [tell_attack(finding, i, words) for i, finding in enumerate(report.attacks, 1)]
        sections, others = _sections(findings_of(report), words)
        further = [tell_measure(finding, words) for finding in others]
        page = Page(
            anchor=f"s{hashlib.sha256(report.model_dump_json().encode()).hexdigest()[:8]}",
            kicker=words("page.title"),
            title=report.title or report.file,
            contents=words("page.contents"),
            headings=[words(f"heading.{key}") for key in HEADINGS],
            made=words("page.made", version=report.schleier, format=report.format),
        )
        return render(
            "page",
            words,
            page,
            report=report,
            fewest=FEWEST,
            front=front_box(report, criteria, sections["twins"], attacks, words),
            criteria=criteria,
            sections=sections,
            attacks=attacks,
            attacks_pictures=draw_attacks(attacks, words),
            attacks_withheld=tell_withheld(report.attacks_withheld, words),
            attacks_left_out=tell_left_out(report.attacks_left_out, words),
            harm=draw_harm(report, words),
            steps=[tell_step(step, words, idle=was_idle(step, report)) for step in report.steps],
            effects=tell_effects(report, words),
            meanings={one.name: (tell_meaning(one, words), tell_judge(one, words)) for one in report.columns},
            judges=tell_judges(report, words),
            minded=tell_mind(report, words),
            risks=[one for one in further if one.risk],
            others=[one for one in further if not one.risk],
            wings=list(wing_sections(report, lang)),
            glossary=_glossary(words),
        )

    def card(self, thing: Any) -> str:
        """What a notebook shows of a thing, in the language of the reader."""
        from schleier.report.cards import show

        return show(thing)


def tell_front(report: Report, words: Words) -> Box:
    """The box at the top of the page, for those who show nothing else of it."""
    criteria = [tell_verdict(verdict, words) for verdict in report.criteria]
    attacks = [tell_attack(finding, i, words) for i, finding in enumerate(report.attacks, 1)]
    return front_box(report, criteria, _sections(findings_of(report), words)[0]["twins"], attacks, words)


def _sections(findings: Sequence[Finding], words: Words) -> tuple[dict[str, list[Any]], list[Finding]]:
    """Section -> what it shows, and the findings that are in none."""
    sections: dict[str, list[Any]] = {section: [] for section in TELLERS}
    others = []
    for finding in findings:
        part = tell_section(finding, words)
        if part is None:
            others.append(finding)
        else:
            sections[section_of(finding)].append(part)
    return sections, others


def _glossary(words: Words) -> list[tuple[Markup, Markup]]:
    """Terms with their meaning, in alphabetical order."""
    keys = {key.split(".")[1] for key in words.table if key.startswith("glossary.")}
    entries = [(words(f"glossary.{key}.term"), words(f"glossary.{key}.meaning")) for key in keys]
    return sorted(entries, key=lambda entry: entry[0].casefold().translate(UMLAUTS))
