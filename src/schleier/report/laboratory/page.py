"""A grid of experiments as one self-contained page, in the look of the report of a release."""

from __future__ import annotations

from pathlib import Path

from schleier.lab.grid.results import GridReport
from schleier.report.laboratory.story import tell_grid
from schleier.report.language import Words
from schleier.report.pages import Page, render, write_html

PARTS = ("heat", "threshold", "balance", "all")


def page(report: GridReport, lang: str = "en") -> str:
    """The page."""
    words = Words.of(lang)
    shown = tell_grid(report, words)
    layout = Page(
        anchor="lab",
        kicker=words("lab.title"),
        title=report.title or words("lab.unnamed"),
        contents=words("lab.contents"),
        headings=[words(f"lab.{key}.heading") for key in PARTS],
        made=words("lab.made", version=report.schleier, format=report.format),
    )
    return render("laboratory", words, layout, front=shown.front, shown=shown)


def write_page(report: GridReport, lang: str, out: Path) -> None:
    """Write the page as a whole or not at all."""
    write_html(page(report, lang), out)
