"""The command that makes the example world."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from schleier.cli.shared import Json, Language, Quiet, app, key_of, language_of, print_json, say, with_exit_code
from schleier.core.system import as_typed

Design = Literal["scholars", "survey"]


@app.command()
@with_exit_code
def world(
    persons: Annotated[int, typer.Option("--persons", "-n", help="How many persons live in it.")] = 100_000,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the world.")] = Path("world"),
    design: Annotated[
        Design | None, typer.Option(help="Another design: scholars in a handbook, or a social survey of one Land.")
    ] = None,
    key_file: Annotated[Path | None, typer.Option(help="File with a key: the same key makes the same world.")] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make the example world: an invented population, a survey of it, and a file of names to attack it with."""
    from rich.markup import escape

    from schleier.core.run import new_key
    from schleier.core.trust.coarse import FEW
    from schleier.progress import Watch
    from schleier.report.language import Words
    from schleier.world.design_files import write_design
    from schleier.world.designs import PERSONS
    from schleier.world.files import write_world

    with Watch(Words.of(language_of(lang)), quiet=quiet or as_json) as watch:
        key = key_of(key_file) or new_key()
        if design is None:
            rows = write_world(persons, out, key, listener=watch)
        else:
            rows = write_design(design, persons, out, key, listener=watch)
    if as_json:
        print_json({"ok": True, "path": str(out), "rows": rows})
    elif not quiet:
        words, folder = Words.of(language_of(lang)), escape(str(out))
        told = ", ".join(f"{name} {words.number(n)}" for name, n in rows.items())
        say(words.plain("cli.world", folder=folder, rows=told))
        if design is not None and rows["truth"] < FEW:
            say("  " + words.plain("cli.world_few", n=rows["truth"], source=str(PERSONS)))
            if not rows["truth"]:  # the attack would refuse two files that have nobody in common
                return
        typed = [escape(as_typed(str(out / name))) for name in ("recipe.toml", "release")]
        say("  " + words.plain("cli.world_next", recipe=typed[0], release=typed[1]))
