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
Described = Annotated[Path | None, typer.Option("--schema", "-s", help="Its schema or recipe; drafted if left out.")]
Population = Annotated[str | None, typer.Option("--population", help="Table of places and their inhabitants.")]
Year = Annotated[
    int | None,
    typer.Option("--year", min=1900, max=2100, help="Year in which ages are counted; else the latest in the file."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


def show(draft: Draft, words: Words) -> None:
    """Print the columns with what they seem to be, and what to look at first."""
    from rich.markup import escape

    from schleier.draft import telling

    for sentence in telling.found(draft, words):
        say(escape(sentence))
    table(*telling.columns(draft, words))
    for mark, sentence in telling.look_at(draft, words):
        say(f"[yellow]{escape(sentence)}[/]" if mark else escape(sentence))


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
        "redundant": [one.model_dump(mode="json") for one in draft.redundant],
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
