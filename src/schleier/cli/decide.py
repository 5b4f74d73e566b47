"""The command by which a person judges what columns tell about people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, with_exit_code
from schleier.core.system import as_typed

if TYPE_CHECKING:
    from schleier.flow.recipe.decide import Decision

PROFILE = "public_use"
"""The profile of a new proposal: what `describe` drafts for, too."""


@app.command()
@with_exit_code
def decide(
    schema: Annotated[Path, typer.Argument(metavar="SCHEMA", help="The schema, or a recipe that describes columns.")],
    columns: Annotated[
        list[str] | None, typer.Argument(metavar="[COLUMN]...", help="Columns to judge; all guesses if left out.")
    ] = None,
    role: Annotated[
        str | None,
        typer.Option("--role", "-r", help="What they are: identifier, quasi, sensitive, weight, unit or plain."),
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Judge what columns tell about people: give them a role, or confirm the roles that were guessed."""
    from rich.markup import escape

    from schleier.flow.recipe.decide import decide as judge
    from schleier.flow.recipe.judging import IN_DOUBT, decide_line
    from schleier.report.language import Words

    found = judge(schema, columns or (), role)
    left = {"undecided": found.schema.undecided, "guessed": found.schema.guessed}
    if as_json:
        open_ones = {key: list(names) for key, names in left.items()}
        anew = {"draft_anew": _drafting(found)} if found.new_keys or found.new_names else {}
        print_json({"ok": True, "path": str(found.file), "decided": found.decided, **open_ones, **anew})
        return
    if quiet:
        return
    words = Words.of(language_of(lang))
    roles: dict[str, list[str]] = {}
    for name, decided in found.decided.items():
        roles.setdefault(decided, []).append(name)
    for decided, judged in roles.items():
        said = words.plain("decide.judged", n=len(judged), role=decided, columns=", ".join(judged))
        say("[green]✓[/] " + escape(said))
    if not roles:
        say(escape(words.plain("decide.nothing")))
    for key, new in {"new_keys": found.new_keys, "new_names": found.new_names}.items():
        if new:
            say("[yellow]![/] " + escape(words.plain(f"decide.{key}", n=len(new), columns=", ".join(new))))
            say(f"  [dim]{escape(_drafting(found))}[/]")
    for key, names in left.items():
        if names:
            line = decide_line(names, found.declared, IN_DOUBT if key == "undecided" else None, near=True)
            say("[yellow]![/] " + escape(words.plain(f"decide.{key}", n=len(names), columns=", ".join(names))))
            say(f"  [dim]{escape(line)}[/]")


def _drafting(found: Decision) -> str:
    """What to type for a recipe that knows the keys; nothing that exists is replaced by it."""
    from schleier.flow.recipe.judging import shown

    out, n = found.file.with_name("recipe.toml"), 2
    while out.exists():
        out, n = found.file.with_name(f"recipe-{n}.toml"), n + 1
    said = {"--schema": shown(found.file), "--profile": PROFILE, "--out": shown(out)}
    options = " ".join(f"{option} {as_typed(value)}" for option, value in said.items())
    return f"schleier suggest {as_typed(found.data) if found.data else 'FILE'} {options}"
