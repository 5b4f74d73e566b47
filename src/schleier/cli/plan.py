"""The command that tells how identifiable a survey would be, before anybody is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schleier.cli.inspect import COLOURS
from schleier.cli.shared import Json, Language, Quiet, app, key_of, language_of, print_json, say, table, with_exit_code


@app.command()
@with_exit_code
def plan(
    design: Annotated[Path, typer.Argument(metavar="DESIGN", help="The design of the survey, a TOML file.")],
    html: Annotated[Path | None, typer.Option("--html", help="Also write a page for people: a file .html.")] = None,
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="File with the key of the simulation, 64 hexadecimal digits.")
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Tell how many persons of a planned survey would be identifiable, and what to change."""
    from rich.markup import escape

    from schleier.planning.plan import plan as planned
    from schleier.report.language import Words
    from schleier.report.planning.page import write_page
    from schleier.report.planning.text import text

    lang = language_of(lang)
    Words.of(lang)  # a language that does not exist is said before anything is simulated
    found = planned(design, key_of(key_file))
    if html is not None:
        write_page(found, lang, html)
    if as_json:
        print_json({"ok": True, "plan": found.model_dump(mode="json")})
    elif not quiet:
        shown = text(found, lang)
        say(f"[bold {COLOURS[shown.mark]}]{escape(shown.headline)}[/]")
        for part in shown.parts:
            say(f"\n[bold]{escape(part.title)}[/]")
            for mark, sentence in part.said:
                say(f"{mark} {escape(sentence)}")
            if part.rows:
                say("")
                table(part.head, part.rows)
        if html is not None:
            say(f"\n[green]→[/] {escape(str(html))}")
