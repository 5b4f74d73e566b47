"""An inspection for the terminal: the same sentences, without their tags."""

from __future__ import annotations

from dataclasses import dataclass

from schleier.flow.inspect.inspect import Inspection
from schleier.report.inspection.story import Story, tell_inspection
from schleier.report.language import Words, plain

MARKS = {"bad": "✕", "mind": "!", "good": "✓"}
SHORT = 8
"""Rows of a table."""


@dataclass(frozen=True)
class Text:
    """What a terminal shows, all of it plain text."""

    headline: str
    mark: str
    said: list[tuple[str, str]]
    """Mark and sentence."""
    head: list[str]
    rows: list[list[str]]
    """The combinations that single out most, or the columns when there are none."""
    next_title: str
    next: list[str]
    recipe_title: str = ""
    recipe: str = ""
    """The changes as steps of a recipe; empty when there are none."""


def text(inspection: Inspection, lang: str = "en") -> Text:
    """The words of an inspection in a language."""
    words = Words.of(lang)
    shown = tell_inspection(inspection, words)
    said = [(MARKS.get(one.mark, "·"), plain(one.text)) for answer in shown.front.answers[:-1] for one in answer.said]
    if shown.enough and shown.enough.rows:
        said.append(("·", plain(shown.enough.added)))
    said += [("·", f"{plain(one.title)}: {plain(one.sentence)}") for one in shown.others]
    head, rows = first_table(shown, words)
    return Text(
        headline=plain(shown.front.headline),
        mark=shown.front.mark,
        said=said,
        head=head,
        rows=rows,
        next_title=plain(words("inspect.next.heading")),
        next=[plain(one) for one in shown.next],
        recipe_title=plain(words("inspect.change.recipe")) if shown.changes else "",
        recipe=shown.changes.toml if shown.changes else "",
    )


def first_table(shown: Story, words: Words) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the combinations that single out most, or of the columns when there are none."""
    if shown.enough and shown.enough.rows:
        head = [plain(words(f"inspect.enough.{key}")) for key in ("combination", "records", "share")]
        ordered = sorted(shown.enough.rows, key=lambda row: -row.unique)[:SHORT]
        return head, [[plain(row.columns), row.records, plain(row.share)] for row in ordered]
    head = [plain(words(f"inspect.single.{key}")) for key in ("column", "values", "alone", "missing")]
    return head, [[one.name, one.values, plain(one.alone), plain(one.missing)] for one in shown.single[:SHORT]]
