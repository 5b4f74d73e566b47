"""The commands around a recipe and its release: check, run, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.releasing import release_json, tell_release
from schleier.cli.shared import (
    After,
    AfterK,
    Json,
    Language,
    Quiet,
    RecipeFile,
    app,
    earlier,
    key_of,
    language_of,
    print_json,
    say,
    with_exit_code,
)

if TYPE_CHECKING:
    from schleier.flow.recipe.check import Outlook
    from schleier.flow.recipe.recipe import Recipe
    from schleier.report.language import Words


@app.command()
@with_exit_code
def check(recipe: RecipeFile, lang: Language = None, quiet: Quiet = False, as_json: Json = False) -> None:
    """Say everything that is wrong with a recipe, before any row is read."""
    from schleier.flow.recipe.check import check as look_ahead
    from schleier.flow.recipe.check import refuse
    from schleier.flow.recipe.recipe import Recipe
    from schleier.report.language import Words

    loaded = Recipe.from_file(recipe)
    found = look_ahead(loaded)
    refuse(found.problems)
    counts = {s: len(getattr(loaded, s)) for s in ("steps", "criteria", "measures", "attacks")}
    unsure = {"undecided": list(found.released.undecided), "guessed": list(found.released.guessed)}
    if as_json:
        foreseen = [one.model_dump(mode="json") for one in found.cautions]
        print_json({"ok": True, **counts, **unsure, "cautions": foreseen, "candidates": dict(found.candidates)})
    elif not quiet:
        words = Words.of(language_of(lang))
        told: dict[str, Any] = {s: words.plain(f"cli.count.{s}", n=n) for s, n in counts.items()}
        said = words.plain("cli.sound", **told)
        say(f"[green]{said.partition(':')[0]}:[/]{said.partition(':')[2]}")
        _tell_unsure(loaded, found, words)


def _tell_unsure(recipe: Recipe, found: Outlook, words: Words) -> None:
    """Which columns nobody has judged, which are guesses, what weights tell, and what to type about it."""
    from rich.markup import escape

    from schleier.flow.recipe.judging import IN_DOUBT, behind, decide_line
    from schleier.report.front import tell_caution
    from schleier.report.language import plain

    released = found.released
    if names := released.undecided:
        sources = behind(names, found.stages, recipe.schema) or names
        say("[yellow]![/] " + escape(words.plain("cli.undecided", n=len(names), columns=", ".join(names))))
        say("  " + escape(words.plain("cli.choice")))
        say(f"  [dim]{escape(decide_line(sources, recipe.declared, IN_DOUBT, near=True))}[/]")
    if names := released.guessed:
        say("[yellow]![/] " + escape(words.plain("cli.guessed", n=len(names), columns=", ".join(names))))
        say(f"  [dim]{escape(decide_line(names, recipe.declared, near=True))}[/]")
    for caution in found.cautions:
        say(f"[yellow]![/] {escape(plain(tell_caution(caution, words)))}")
    for column, many in found.candidates.items():
        about = words.number(float(f"{many:.2g}"))
        say("[yellow]![/] " + escape(words.plain("cli.candidates", column=column, many=about)))


@app.command()
@with_exit_code
def run(
    recipe: RecipeFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the release.")] = Path("release"),
    engine: Annotated[str | None, typer.Option(help="duckdb or spark; overrides the recipe.")] = None,
    key_file: Annotated[Path | None, typer.Option(help="File with the run key: 64 hexadecimal digits.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    after: After = None,
    after_k: AfterK = None,
    listed_in: Annotated[
        Path | None, typer.Option(help="Register: a file that lists releases by their source; overrides the recipe.")
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Anonymise: read, transform, judge, measure, write a release."""
    from dataclasses import replace

    from schleier.flow.recipe.entries import validated
    from schleier.flow.recipe.recipe import Recipe, ReleaseSection
    from schleier.progress import Watch
    from schleier.report.language import Words

    loaded = Recipe.from_file(recipe)
    said = {"language": lang, "listed_in": str(listed_in) if listed_in is not None else None}
    if given := {name: value for name, value in said.items() if value is not None}:
        section = validated(ReleaseSection, loaded.release.model_dump() | given, "release")
        loaded = replace(loaded, release=section)
    key = key_of(key_file)
    with Watch(Words.of(language_of(lang)), quiet=quiet or as_json) as watch:
        release = loaded.run(
            out=out, key=key, force=force, engine=engine, listener=watch, after=earlier(after), after_k=after_k
        )
    if as_json:
        print_json(release_json(release, out))
        return
    if quiet:
        return
    tell_release(release, out, Words.of(language_of(lang)))


@app.command()
@with_exit_code
def report(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder of a release.")],
    lang: Language = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .html or .pdf.")] = Path("report.html"),
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write the report of a release once more: in another language, or as PDF."""
    from rich.markup import escape

    from schleier.report.language import Words
    from schleier.report.rerender import write_report

    write_report(release, language_of(lang), out)
    if as_json:
        print_json({"ok": True, "path": str(out)})
    elif not quiet:
        say(Words.of(language_of(lang)).plain("cli.wrote", file=escape(str(out))))
