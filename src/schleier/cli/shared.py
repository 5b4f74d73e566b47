"""What all commands share: how they print, and how their problems become an exit code."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.commands import Commands

if TYPE_CHECKING:
    from schleier.core.errors import SchleierError

app = typer.Typer(
    cls=Commands,
    help="Anonymise microdata and prove what the result is worth.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks would show values of the data
)


@app.callback()
def _schleier() -> None:
    """Makes the app a group before any command is imported."""


RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="The recipe, a TOML file.")]
Language = Annotated[str | None, typer.Option("--lang", help="Language: en or de.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def with_exit_code(command: Callable[..., int | None]) -> Callable[..., None]:
    """A command whose problems are printed, all of them, and become its exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from schleier.core.errors import InternalError, Problem, SchleierError

        try:
            code = command(*args, **kwargs) or 0
        except SchleierError as error:
            code = explain(error, as_json=kwargs.get("as_json", False), lang=kwargs.get("lang"))
        except (typer.Exit, typer.Abort, KeyboardInterrupt):
            raise
        except Exception as error:
            if os.environ.get("SCHLEIER_DEBUG"):
                raise
            hint = "please report it; SCHLEIER_DEBUG=1 shows more, perhaps also values of your data"
            problem = Problem("internal", "", f"a defect of Schleier ({type(error).__name__})", hint)
            code = explain(InternalError(problem), as_json=kwargs.get("as_json", False), lang=kwargs.get("lang"))
        raise typer.Exit(code)

    return run


def explain(error: SchleierError, *, as_json: bool, lang: str | None = None) -> int:
    """Print every problem; the exit code tells the kind."""
    if as_json:
        print_json({"ok": False, "exit_code": error.exit_code, "problems": [vars(p) for p in error.problems]})
        return error.exit_code
    from rich.console import Console
    from rich.markup import escape

    from schleier.cli.problems import translated

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for problem in error.problems:
        place = f"[bold]{escape(problem.where)}[/]: " if problem.where else ""
        other = translated(problem, language_of(lang))
        word, text = (other.error, other.text) if other else ("error", problem.message)
        mark = ":" if other and not place else ""  # a German sentence begins with a capital letter
        console.print(f"[red]{word}[/]{mark} {place}{escape(text)}")
        for line in (other.details, other.hint) if other else (problem.hint,):
            if line:
                console.print(f"{' ' * len(word)} [dim]{escape(line)}[/]")
    return error.exit_code


def key_of(path: Path | None) -> bytes | None:
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


def language_of(lang: str | None) -> str:
    """The language to speak: as asked for, else SCHLEIER_LANG, else that of the terminal where it is German."""
    if lang or os.environ.get("SCHLEIER_LANG"):
        return lang or os.environ["SCHLEIER_LANG"]
    spoken = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "de" if spoken.lower().startswith("de") else "en"


def say(text: str, *, aside: bool = False) -> None:
    """Print a line; square brackets are markup of rich. ``aside`` keeps it out of what is piped on."""
    from rich.console import Console

    Console(stderr=aside, highlight=False, soft_wrap=True).print(text)


def print_json(document: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table; its cells are plain text."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console(highlight=False).print(table)
