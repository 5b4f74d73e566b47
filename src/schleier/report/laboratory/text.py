"""A grid for the terminal: the same sentences, without their tags."""

from __future__ import annotations

from dataclasses import dataclass

from schleier.lab.grid.results import GridReport
from schleier.report.inspection.text import MARKS
from schleier.report.laboratory.story import tell_grid
from schleier.report.language import Words, plain


@dataclass(frozen=True)
class Text:
    """What a terminal shows, all of it plain text."""

    headline: str
    mark: str
    said: list[tuple[str, str]]
    """Mark and sentence."""


def text(report: GridReport, lang: str = "en") -> Text:
    """The words of a grid in a language."""
    shown = tell_grid(report, Words.of(lang))
    said = [(MARKS.get(one.mark, "·"), plain(one.text)) for answer in shown.front.answers for one in answer.said]
    return Text(plain(shown.front.headline), shown.front.mark, said)
