"""What all commands share: how they print, and how their problems become an exit code."""

from __future__ import annotations

import functools
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.commands import Commands
from schleier.core.language import language_of as language_of  # noqa: PLC0414  # every command asks here

if TYPE_CHECKING:
    from rich.console import Console

    from schleier.core.errors import Problem

app = typer.Typer(
    cls=Commands,
    help="Anonymise microdata and prove what the result is worth.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks would show values of the data
)


LONGEST_KEY = 1000
"""Characters read from the file of a key."""


def _tell_version(asked: bool) -> None:
    if asked:
        from schleier import __version__

        typer.echo(f"schleier {__version__}")
        raise typer.Exit


Language = Annotated[str | None, typer.Option("--lang", help="Language: en or de.")]


def _show_defects(ctx: typer.Context, asked: bool) -> None:
    if asked:
        from schleier.core.failures import DEBUG

        before = os.environ.get(DEBUG, "")
        os.environ[DEBUG] = "1"
        ctx.call_on_close(lambda: os.environ.update({DEBUG: before}))


@app.callback()
def _schleier(
    ctx: typer.Context,
    lang: Language = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", callback=_show_defects, help="Show how a defect came about; values of the data may be among it."
        ),
    ] = False,
) -> None:
    """Makes the app a group before any command is imported; a language before the command counts for the command."""
    if lang is not None and ctx.invoked_subcommand is not None:
        ctx.default_map = {ctx.invoked_subcommand: {"lang": lang}}


RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="The recipe, a TOML file.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
After = Annotated[
    list[str] | None,
    typer.Option(
        "--after",
        metavar="RELEASE",
        help="Folder of an earlier release about the same persons, to judge together with this one; RELEASE=FILE says "
        "where its rows are now.",
    ),
]
AfterK = Annotated[
    int | None,
    typer.Option("--after-k", help="How many persons must look alike in all of them; the k of the recipe when absent."),
]


def earlier(after: Sequence[str] | None) -> dict[Path | str, str | None]:
    """The folders that were named, each with the file of its rows where one was given."""
    found: dict[Path | str, str | None] = {}
    for text in after or ():
        cuts = [len(text), *(place for place, letter in enumerate(text) if letter == "=")]
        cut = next((one for one in cuts if Path(text[:one]).is_dir()), len(text))
        found[text[:cut]] = text[cut + 1 :] or None
    return found


def with_exit_code(command: Callable[..., int | None]) -> Callable[..., None]:
    """A command whose problems are printed, all of them, and become its exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from schleier.cli.endings import ended
        from schleier.core.interrupts import interruptible, received, uninterrupted
        from schleier.core.leftovers import clear, held, sweep

        as_json, lang, before = kwargs.get("as_json", False), kwargs.get("lang"), held()
        with interruptible():
            try:
                sweep()
                code = command(*args, **kwargs) or 0
            except (typer.Exit, typer.Abort):
                raise
            except BaseException as error:
                with uninterrupted():
                    code, problems = ended(error)
                    if isinstance(error, KeyboardInterrupt) or received():
                        clear(kept=before)  # it may have come between the making of a folder and its use
                    explain(problems, code, as_json=as_json, lang=lang)
        raise typer.Exit(code)

    return run


def explain(problems: Iterable[Problem], code: int, *, as_json: bool, lang: str | None = None) -> None:
    """Print every problem."""
    if as_json:
        print_json({"ok": False, "exit_code": code, "problems": [p.document for p in problems]})
        return
    from rich.markup import escape

    from schleier.cli.problems import translated

    for problem in problems:
        place = f"[bold]{escape(problem.where)}[/]: " if problem.where else ""
        other = translated(problem, language_of(lang))
        word, text = (other.error, other.text) if other else ("error", problem.message)
        mark = ":" if other and not place else ""  # a German sentence begins with a capital letter
        say(f"[red]{word}[/]{mark} {place}{escape(text)}", aside=True)
        for line in (other.details, other.hint) if other else (problem.hint,):
            if line:
                say(f"{' ' * len(word)} [dim]{escape(line)}[/]", aside=True)


def key_of(path: Path | None) -> bytes | None:
    """The run key from a file; its content never appears in a message."""
    from schleier.core.errors import RecipeError, stop
    from schleier.core.run import KEY_BYTES
    from schleier.core.system import NO_WAIT, open_to_others

    if path is None:
        return None
    try:
        # Without waiting: a pipe nobody writes to would wait for ever.
        with os.fdopen(os.open(path, os.O_RDONLY | NO_WAIT), encoding="ascii") as file:
            about = os.fstat(file.fileno())
            if stat.S_ISREG(about.st_mode) and open_to_others(about):
                hint = f"a key is for its owner alone: chmod 600 {path}; if others may have read it, make a new one"
                stop(RecipeError, "open-key", "--key-file", "other users can read the file with the key", hint)
            key = bytes.fromhex(file.read(LONGEST_KEY).strip() if stat.S_ISREG(about.st_mode) else "")
    except FileNotFoundError:
        stop(RecipeError, "bad-key", "--key-file", "there is no such file", "make one with: openssl rand -hex 32")
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        hint = "make one with: openssl rand -hex 32"
        stop(RecipeError, "bad-key", "--key-file", "the file does not hold 64 hexadecimal digits", hint)
    return key


def say(text: str, *, aside: bool = False) -> None:
    """Print a line; square brackets are markup of rich. ``aside`` keeps it out of what is piped on."""
    _console(aside=aside).print(harmless(text), soft_wrap=True)


def print_json(document: Any) -> None:
    """Print one JSON document; where the output cannot hold every character, in ASCII."""
    every = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(document, ensure_ascii=not every, indent=2) + "\n")


def table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table; its cells are plain text."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(escape(harmless(cell)) for cell in row))
    _console().print(table)


def harmless(text: str) -> str:
    r"""A text whose control characters are shown in place of being obeyed by the terminal.

    >>> harmless("\x1b[2Jage\n")
    '\\x1b[2Jage\n'
    """
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def _console(*, aside: bool = False) -> Console:
    """A terminal that shows names as they are: ``:smile:`` is no picture."""
    from rich.console import Console

    return Console(stderr=aside, highlight=False, emoji=False)
