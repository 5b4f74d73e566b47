"""A plan as one self-contained page, in the look of the report of a release."""

from __future__ import annotations

from pathlib import Path

from schleier.flow.survey import Plan
from schleier.report.language import Words
from schleier.report.pages import Page, render, write_html
from schleier.report.planning.story import tell_plan


def page(plan: Plan, lang: str = "en") -> str:
    """The page."""
    words = Words.of(lang)
    shown = tell_plan(plan, words)
    layout = Page(
        anchor="plan",
        kicker=words("plan.title"),
        title=shown.title,
        contents=words("plan.contents"),
        headings=[words(f"plan.{key}.heading") for key in ("alone", "merge", "persons", "questions")],
        made=words("plan.made", version=plan.schleier, format=plan.format),
    )
    return render("planning", words, layout, front=shown.front, shown=shown)


def write_page(plan: Plan, lang: str, out: Path) -> None:
    """Write the page as a whole or not at all."""
    write_html(page(plan, lang), out)
