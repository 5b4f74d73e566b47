"""The command that tries a grid of attacks on releases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from schleier.cli.inspect import COLOURS
from schleier.cli.shared import Json, Language, Quiet, app, key_of, language_of, print_json, say, with_exit_code


@app.command()
@with_exit_code
def lab(
    grid: Annotated[Path, typer.Argument(metavar="GRID", help="The grid of experiments, a TOML file.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the results; what is done there is not done again.")
    ] = Path("lab"),
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Processes at a time; all cores when absent.")
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="File with the key of all draws: 64 hexadecimal digits.")
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Try attacks on releases: every combination of releases, techniques, thresholds, keys and knowledge."""
    from rich.markup import escape

    from schleier.flow.cases import look, look_at_file, opened
    from schleier.lab.grid.run import Doors, run_grid
    from schleier.lab.grid.store import PAGE
    from schleier.progress import Lines, Watch
    from schleier.report.laboratory.page import write_page
    from schleier.report.laboratory.text import text
    from schleier.report.language import Words

    lang = language_of(lang)
    words = Words.of(lang)
    lines = Lines(words, "cli.lab.so_far", quiet=quiet or as_json)
    with Watch(words, quiet=quiet or as_json) as watch:
        found = run_grid(
            grid,
            Doors(look, look_at_file, opened),
            lambda report, place: write_page(report, lang, place),
            out=out,
            key=key_of(key_file),
            jobs=jobs,
            listener=watch if sys.stderr.isatty() else lines,
        )
    if as_json:
        counts = {"done": found.done, "skipped": found.skipped}
        print_json({"ok": True, "path": str(out), **counts, "grid": found.report.model_dump(mode="json")})
    elif not quiet:
        shown = text(found.report, lang)
        say(f"[bold {COLOURS[shown.mark]}]{escape(shown.headline)}[/]")
        for mark, sentence in shown.said:
            say(f"{mark} {escape(sentence)}")
        say("\n" + words.plain("cli.lab.done", n=found.done, skipped=found.skipped))
        say("[green]→[/] " + escape(words.plain("cli.lab.page", file=str(out / PAGE))))
        say("  " + escape(words.plain("cli.lab.restricted", folder=str(out / "restricted"))))
