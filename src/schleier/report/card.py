"""A card: what a notebook shows of a thing, with every style at its element.

A notebook has a theme of its own, light or dark, and one that nobody trusts yet loses style sheets. So a card takes the
colours of the text around it, and its own colours are readable on both.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.language import language_of
from schleier.report.front import Answer, Remark
from schleier.report.language import Words, languages
from schleier.report.pages import environment

MOST_ROWS = 60
"""Rows of a table that a card shows; what it leaves out it counts."""
Cell = Markup | str | Remark
RULE = "1px solid rgba(128, 128, 128, 0.35)"
SIGNS = {"good": "✓", "mind": "!", "bad": "✕"}
TONES = {kind: f"background-color: {tone}; color: #ffffff" for kind, tone in
         {"good": "#1c7a4a", "mind": "#9a5c0a", "bad": "#b3261e"}.items()}  # fmt: skip
STYLES = {
    "card": f"max-width: 60em; margin: 4px 0; padding: 10px 14px; border: {RULE}; border-radius: 6px; font-size: 14px; "
    "line-height: 1.5; text-align: left; color: inherit",
    "kicker": "font-size: 12px; letter-spacing: 0.06em; text-transform: uppercase; opacity: 0.75",
    "title": "font-size: 17px; font-weight: 600; margin: 0 0 4px 0",
    "headline": "font-size: 15px; font-weight: 600; margin: 4px 0 6px 0",
    "sign": "display: inline-block; width: 18px; height: 18px; margin: 0 7px 0 0; border-radius: 9px; font-size: 12px; "
    "font-weight: 700; line-height: 18px; text-align: center; text-indent: 0; vertical-align: 1px; ",
    "said": "margin: 0 0 3px 0; ",
    "marked": "padding: 0 0 0 25px; text-indent: -25px",
    "wide": "overflow-x: auto",
    "table": "width: 100%; margin: 6px 0; border: 0; border-collapse: collapse; font-size: 13px; table-layout: auto",
    "caption": "margin: 10px 0 0 0; font-weight: 600",
    "head": f"padding: 3px 14px 3px 0; border: 0; border-bottom: {RULE}; font-weight: 600; text-align: left; "
    "vertical-align: bottom; white-space: nowrap",
    "question": f"width: 11em; padding: 4px 14px 4px 0; border: 0; border-top: {RULE}; font-weight: 600; "
    "text-align: left; vertical-align: top; white-space: normal",
    "cell": f"padding: 4px 14px 4px 0; border: 0; border-top: {RULE}; text-align: left; vertical-align: top; "
    "white-space: normal; max-width: none",
    "note": "margin: 6px 0 0 0; font-size: 13px; opacity: 0.75",
    "code": f"margin: 6px 0; padding: 8px 10px; border: {RULE}; border-radius: 4px; font-size: 12px; overflow-x: auto; "
    "background-color: transparent; color: inherit; text-align: left",
}


@dataclass(frozen=True)
class Grid:
    """A table of a card."""

    head: Sequence[Markup | str]
    rows: Sequence[Sequence[Cell]]
    caption: Markup | str = ""


@dataclass(frozen=True)
class Card:
    """What a card shows, from top to bottom; what is not Markup is escaped."""

    kicker: Markup | str
    """What kind of thing it is."""
    title: Markup | str = ""
    mark: str = ""
    headline: Markup | str = ""
    said: Sequence[Remark] = ()
    answers: Sequence[Answer] = ()
    grids: Sequence[Grid] = ()
    code: str = ""
    """Lines for a recipe."""
    code_caption: Markup | str = ""
    notes: Sequence[Markup | str] = ()


def reader(own: str | None = None) -> Words:
    """The words of the reader's language: SCHLEIER_LANG, else that of the thing itself, else that of the terminal.

    English where nobody translated into it: to show a thing must not fail.
    """
    spoken = language_of(os.environ.get("SCHLEIER_LANG") or own)
    return Words.of(spoken if spoken in languages() else "en")


def render_card(card: Card, words: Words) -> str:
    """A card as HTML that needs no style sheet, no script and nothing from elsewhere."""
    shown = environment().get_template("card.html.j2")
    text = shown.render(card=card, w=words, s=STYLES, signs=SIGNS, tones=TONES, most=MOST_ROWS)
    return text.replace('<span class="name"', '<span style="font-weight: 600"')
