"""How a draft is shown on the terminal, for the commands that make one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.shared import say, table
from schleier.core.system import as_typed

if TYPE_CHECKING:
    from schleier.draft.describe import Draft
    from schleier.report.language import Words

File = Annotated[
    str, typer.Argument(metavar="FILE", help="A file, FILE::PART for a sheet or table, or env:NAME::TABLE.")
]
MOST_RETURNING = 5
"""Columns that come back, of which the terminal tells; the others are in the schema."""
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


def show(draft: Draft, words: Words) -> None:
    """Print the columns with what they seem to be, and what to look at first."""
    from rich.markup import escape

    from schleier.core.address import Address
    from schleier.draft.writing import read_so, unreadable_columns

    name = Address.of(draft.file).path.name
    columns = words.plain("draft.columns", n=len(draft.guesses))
    say(escape(words.plain("draft.found", n=draft.records, file=name, columns=columns)))
    for sentence in read_so(draft, words):
        say(escape(sentence))
    head = [words.plain(f"draft.column.{key}") for key in ("name", "role", "scale", "values", "missing", "why")]
    table(head, [row(draft, guess.column.name, words) for guess in draft.guesses])
    quasi = draft.schema.quasi
    if draft.alone is None:
        say(escape(words.plain("draft.no_quasi")))
    else:
        say(escape(words.plain("draft.alone", n=len(quasi), share=words.share(draft.alone).unescape())))
    if draft.left_out:
        say(escape(unreadable_columns(draft, words)))
    for one in draft.returning[:MOST_RETURNING]:
        told = {"column": one.column, "sources": ", ".join(one.sources), "share": words.share(one.share).unescape()}
        say("[yellow]" + escape(words.plain("draft.returning", n=len(one.sources), **told)) + "[/]")
    texts = [guess.column.name for guess in draft.guesses if any(why.key == "free_text" for why in guess.why)]
    unknown = draft.schema.undecided
    for key, names in (("free_text", texts), ("open", unknown), ("units_left_out", draft.units_left_out)):
        if names:
            say(escape(words.plain(f"draft.{key}", n=len(names), columns=", ".join(names[:12]))))


def row(draft: Draft, column: str, words: Words) -> list[str]:
    """One line of the table of columns."""
    from schleier.draft.writing import reason

    guess = draft.guess(column)
    facts, shown = guess.facts, "key" if guess.is_key else guess.column.role
    return [
        column,
        words.plain(f"draft.role.{shown}"),
        words.plain(f"draft.scale.{guess.column.scale}"),
        words.number(facts.distinct),
        words.share(facts.gaps / facts.rows).unescape() if facts.gaps else "",
        reason(guess, words, most=1),
    ]


def tell_files(written: list[Path], words: Words, draft: Draft) -> None:
    """Say what was written and what comes next."""
    from rich.markup import escape

    from schleier.flow.recipe.judging import IN_DOUBT, decide_line

    if not written:
        say(escape(words.plain("draft.not_written", file=as_typed(draft.file))))
        return
    schema, recipe = written[0], written[-1]
    say("[green]" + escape(words.plain("draft.wrote", schema=schema, recipe=recipe)) + "[/]")
    if tables := written[1:-1]:
        say(escape(words.plain("draft.tables", n=len(tables), folder=tables[0].parent)))
    if names := draft.schema.undecided:
        if draft.leaves_nothing:
            say("[yellow]![/] " + escape(words.plain("draft.nothing_yet")))
        command = decide_line(names, dict.fromkeys(names, schema), IN_DOUBT, near=True)
        say(escape(words.plain("draft.decide", command=command)))
    typed = [as_typed(str(path)) for path in (schema, recipe)]
    say(escape(words.plain("draft.next", file=schema, schema=typed[0], recipe=typed[1])))


def document(draft: Draft, words: Words) -> dict[str, Any]:
    """A draft as JSON: numbers and reasons, no values."""
    from schleier.draft.writing import read_so, reason

    return {
        "file": draft.file,
        "records": draft.records,
        "unique_on_quasi": draft.alone,
        "left_out": list(draft.left_out),
        "returning": [one.model_dump(mode="json") for one in draft.returning],
        "remarks": read_so(draft, words),
        "columns": [
            {
                "name": guess.column.name,
                "role": "row_key" if guess.is_key else guess.column.role,
                "judged": guess.column.judged,
                "scale": guess.column.scale,
                "distinct": guess.facts.distinct,
                "missing": guess.facts.gaps,
                "entropy": guess.facts.entropy(),
                "why": reason(guess, words),
            }
            for guess in draft.guesses
        ],
    }
