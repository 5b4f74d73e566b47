"""An inspection as one self-contained page, in the look of the report of a release."""

from __future__ import annotations

from pathlib import Path

from schleier.flow.inspect.inspect import Inspection
from schleier.report.inspection.sections import MOST_ROWS
from schleier.report.inspection.story import tell_inspection
from schleier.report.language import Words
from schleier.report.pages import render, write


def page(inspection: Inspection, lang: str = "en") -> str:
    """The page."""
    words = Words.of(lang)
    return render(
        "inspection", words, inspection=inspection, seen=tell_inspection(inspection, words), most_rows=MOST_ROWS
    )


def write_page(inspection: Inspection, lang: str, out: Path) -> None:
    """Write the page; only its owner may read it, for it is about the unprotected file."""
    write(page(inspection, lang), out, 0o600)
