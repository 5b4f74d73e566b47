"""The command line: parsing and printing, no logic."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from schleier.core.errors import SchleierError
    from schleier.core.registry import Kind

app = typer.Typer(
    help="Anonymise microdata and prove what the result is worth.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks would show values of the data
)

RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="The recipe, a TOML file.")]
OneName = Annotated[str | None, typer.Argument(metavar="NAME", help="Explain this one.")]
Language = Annotated[str | None, typer.Option("--lang", help="Language of the report: en or de.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def told(command: Callable[..., int | None]) -> Callable[..., None]:
    """A command whose problems are printed, all of them, and become its exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from schleier.core.errors import InternalError, Problem, SchleierError

        try:
            code = command(*args, **kwargs) or 0
        except SchleierError as error:
            code = _explain(error, as_json=kwargs.get("as_json", False))
        except (typer.Exit, typer.Abort, KeyboardInterrupt):
            raise
        except Exception as error:
            if os.environ.get("SCHLEIER_DEBUG"):
                raise
            hint = "please report it; SCHLEIER_DEBUG=1 shows more, perhaps also values of your data"
            problem = Problem("internal", "", f"a defect of Schleier ({type(error).__name__})", hint)
            code = _explain(InternalError(problem), as_json=kwargs.get("as_json", False))
        raise typer.Exit(code)

    return run


@app.command()
@told
def check(recipe: RecipeFile, quiet: Quiet = False, as_json: Json = False) -> None:
    """Say everything that is wrong with a recipe, before any row is read."""
    from schleier.flow.check import refuse
    from schleier.flow.recipe import Recipe

    loaded = Recipe.from_file(recipe)
    refuse(loaded.problems())
    counts = {s: len(getattr(loaded, s)) for s in ("steps", "criteria", "measures", "attacks")}
    if as_json:
        _print_json({"ok": True, **counts})
    elif not quiet:
        _print("[green]The recipe is sound:[/] " + ", ".join(f"{s} {n}" for s, n in counts.items()) + ".")


@app.command()
@told
def run(
    recipe: RecipeFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the release.")] = Path("release"),
    engine: Annotated[str | None, typer.Option(help="duckdb or spark; overrides the recipe.")] = None,
    key_file: Annotated[Path | None, typer.Option(help="File with the run key: 64 hexadecimal digits.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Anonymise: read, transform, judge, measure, write a release."""
    from dataclasses import replace

    from rich.markup import escape

    from schleier.flow.entries import validated
    from schleier.flow.recipe import Recipe, ReleaseSection
    from schleier.progress import Watch

    loaded = Recipe.from_file(recipe)
    if lang is not None:
        section = validated(ReleaseSection, loaded.release.model_dump() | {"language": lang}, "release")
        loaded = replace(loaded, release=section)
    key = _key(key_file)
    with Watch(quiet=quiet or as_json) as watch:
        release = loaded.run(out=out, key=key, force=force, engine=engine, listener=watch)
    if as_json:
        _print_json({"ok": True, "path": str(out), "report": release.report.model_dump(mode="json")})
        return
    if quiet:
        return
    report, folder = release.report, escape(str(out))
    _print(f"[green]Released[/] {report.records_released} of {report.records_read} records to {folder}/public/")
    for verdict in report.criteria:
        _print(f"  [green]met[/] {escape(verdict.name or verdict.criterion)}: {escape(verdict.text)}")
    for finding in (*report.findings, *report.attacks):
        _print(f"  {escape(finding.name)}: {escape(finding.text)}")
    _print(f"  digest {report.digest}")
    _print(f"  The folder {folder}/restricted/ stays with you: it holds the run key.")


@app.command()
@told
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to look at.")],
    recipe: Annotated[Path, typer.Option("--recipe", "-r", help="The recipe whose criteria it must meet.")],
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Does an existing file meet the criteria of a recipe? Exit code 0 if so, 3 if not."""
    from rich.markup import escape

    from schleier.flow.recipe import Recipe
    from schleier.flow.runner import verify as judged

    verdicts = judged(file, Recipe.from_file(recipe))
    holds = all(verdict.holds for verdict in verdicts)
    if as_json:
        _print_json({"ok": holds, "criteria": [verdict.model_dump(mode="json") for verdict in verdicts]})
    elif not quiet:
        for verdict in verdicts:
            word = "[green]met[/]" if verdict.holds else "[red]broken[/]"
            _print(f"{word} {escape(verdict.name or verdict.criterion)}: {escape(verdict.text)}")
    return 0 if holds else 3


@app.command()
@told
def report(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder of a release.")],
    lang: Language = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .html or .pdf.")] = Path("report.html"),
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write the report of a release once more: in another language, or as PDF."""
    from rich.markup import escape

    from schleier.report.again import write_again

    write_again(release, lang or "en", out)
    if as_json:
        _print_json({"ok": True, "path": str(out)})
    elif not quiet:
        _print(f"[green]Wrote[/] {escape(str(out))}")


@app.command()
@told
def world(
    persons: Annotated[int, typer.Option("--persons", "-n", help="How many persons live in it.")] = 100_000,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the world.")] = Path("world"),
    key_file: Annotated[Path | None, typer.Option(help="File with a key: the same key makes the same world.")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make the example world: an invented population, a survey of it, and a file of names to attack it with."""
    from schleier.core.run import new_key
    from schleier.progress import Watch
    from schleier.world.files import write_world

    with Watch(quiet=quiet or as_json) as watch:
        rows = write_world(persons, out, _key(key_file) or new_key(), listener=watch)
    if as_json:
        _print_json({"ok": True, "path": str(out), "rows": rows})
    elif not quiet:
        _print(f"[green]Made a world[/] in {out}/: " + ", ".join(f"{name} {n:,}" for name, n in rows.items()))
        _print(f"  Try it: schleier run {out}/recipe.toml --out {out}/release")


def _catalogue(kind: Kind, plural: str) -> None:
    """Add a command that lists the components of a kind, or explains one."""

    @told
    def show(
        name: OneName = None,
        as_json: Json = False,
    ) -> None:
        from schleier.core import registry
        from schleier.core.describe import description, summary

        chosen = registry.names(kind) if name is None else [name]
        found = {word: registry.get(kind, word) for word in chosen}
        if as_json:
            full = {word: description(declared) for word, declared in found.items()}
            _print_json(full if name is None else full[name])
        elif not found:
            _print(f"There are no {plural} yet.")
        elif name is None:
            _table([plural.capitalize(), ""], [[word, summary(declared)] for word, declared in found.items()])
        else:
            _explain_component(description(found[name]))

    show.__doc__ = f"List the {plural}, or explain one."
    app.command(plural)(show)


_catalogue("method", "methods")
_catalogue("criterion", "criteria")
_catalogue("measure", "measures")
_catalogue("attack", "attacks")


def _explain_component(about: dict[str, Any]) -> None:
    from rich.markup import escape

    _print(f"[bold]{about['name']}[/]  {escape(about['text'])}")
    rows = [[p["name"], p["value"], p["default"], p["text"]] for p in about["parameters"]]
    _table(["Parameter", "Value", "Default", "Meaning"], rows)
    for label, value in about["facts"].items():
        _print(f"{label}: {escape(value)}")


def _explain(error: SchleierError, *, as_json: bool) -> int:
    """Print every problem; the exit code tells the kind."""
    if as_json:
        _print_json({"ok": False, "exit_code": error.exit_code, "problems": [vars(p) for p in error.problems]})
        return error.exit_code
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for problem in error.problems:
        place = f"[bold]{escape(problem.where)}[/]: " if problem.where else ""
        console.print(f"[red]error[/] {place}{escape(problem.message)}")
        if problem.hint:
            console.print(f"      [dim]{escape(problem.hint)}[/]")
    return error.exit_code


def _key(path: Path | None) -> bytes | None:
    """The run key from a file; its content never appears in a message."""
    from schleier.core.errors import RecipeError, stop
    from schleier.core.run import KEY_BYTES

    if path is None:
        return None
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        hint = "make one with: openssl rand -hex 32"
        stop(RecipeError, "bad-key", "--key-file", "the file does not hold 64 hexadecimal digits", hint)
    return key


def _print(text: str) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(text)


def _print_json(document: Any) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def _table(head: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console(highlight=False).print(table)


def main() -> None:
    """Entry point of the command ``schleier``."""
    app()
