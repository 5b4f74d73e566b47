"""An inspection as one self-contained page, in the look of the report of a release."""

from __future__ import annotations

from pathlib import Path

from schleier.flow.inspect.inspect import Inspection
from schleier.report.inspection.sections import MOST_ROWS
from schleier.report.inspection.story import tell_inspection
from schleier.report.language import Words
from schleier.report.pages import Page, render, write_html


def page(inspection: Inspection, lang: str = "en") -> str:
    """The page."""
    words = Words.of(lang)
    seen = tell_inspection(inspection, words)
    keys = [
        *(["alone"] if seen.alone else []),
        "next",
        *(["columns", "enough"] if seen.enough else []),
        *(["single"] if seen.single else []),
    ]
    layout = Page(
        anchor="inspection",
        kicker=words("inspect.title"),
        title=seen.title,
        contents=words("inspect.contents"),
        headings=[words(f"inspect.{key}.heading") for key in keys],
        made=words("inspect.made", version=inspection.schleier, format=inspection.format),
        keys=keys,
    )
    return render("inspection", words, layout, front=seen.front, seen=seen, most_rows=MOST_ROWS)


def write_page(inspection: Inspection, lang: str, out: Path) -> None:
    """Write the page; only its owner may read it, for it is about the unprotected file."""
    write_html(page(inspection, lang), out, private=True)
