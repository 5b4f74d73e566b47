"""What a notebook shows of a draft and of a suggestion."""

from __future__ import annotations

from markupsafe import escape

from schleier.draft import telling
from schleier.draft.describe import Draft
from schleier.draft.suggest import Suggestion
from schleier.draft.suggest_text import alternatives_table, legend, levels_table, promise, proposal_sentence
from schleier.report.card import Card, Grid, reader, render_card
from schleier.report.front import Remark
from schleier.report.language import name


def show_draft(draft: Draft) -> str:
    """The columns with what they seem to be and why, in the language of the reader."""
    words = reader()
    size, *read = telling.found(draft, words)
    head, rows = telling.columns(draft, words)
    looked_at = telling.look_at(draft, words)
    shown = Card(
        kicker=words("card.draft.kicker"),
        headline=size,
        said=[*(Remark(escape(one)) for one in read), *(Remark(escape(text), mark) for mark, text in looked_at)],
        grids=[Grid(head, [[name(column), *rest] for column, *rest in rows])],
        notes=[words("card.draft.next")],
    )
    return render_card(shown, words)


def show_suggestion(found: Suggestion) -> str:
    """What each level of protection costs, in the language of the reader."""
    words = reader()
    chosen = found.chosen
    headline = proposal_sentence(chosen, words) if chosen else words.plain("suggest.none_strict")
    head, rows = levels_table(found, words)
    shown = Card(
        kicker=words("card.suggestion.kicker"),
        title=found.profile.name,
        mark="good" if chosen else "bad",
        headline=headline,
        said=[Remark(escape(promise(found, words)))],
        grids=[
            Grid(*alternatives_table(found, words)),
            Grid(head, [[name(column), *levels] for column, *levels in rows], words("suggest.levels")),
        ],
        notes=legend(found, words),
    )
    return render_card(shown, words)
