"""Commands for long-lived keys: a new one, a further epoch, shares for several persons. No key is ever shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schleier.cli.commands import Group
from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, with_exit_code

if TYPE_CHECKING:
    from schleier.core.key_files import Secrets

key = typer.Typer(cls=Group, no_args_is_help=True)
app.add_typer(key, name="key")


@key.callback()
def _key(ctx: typer.Context, lang: Language = None) -> None:
    """Make, rotate, split and join the keys that pseudonyms follow from."""
    if lang is not None and ctx.invoked_subcommand is not None:
        ctx.default_map = {ctx.invoked_subcommand: {"lang": lang}}


KeyFile = Annotated[Path, typer.Argument(metavar="KEY", help="The file of the key.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="The file to write; it must not exist.")]
Shares = Annotated[list[Path], typer.Argument(metavar="SHARE", help="The files of the shares, one for each person.")]


@key.command()
@with_exit_code
def new(file: KeyFile, lang: Language = None, quiet: Quiet = False, as_json: Json = False) -> None:
    """Make a key in a new file that only you can read."""
    from schleier.core.key_files import new_file

    _tell("made", file, new_file(file), lang=lang, quiet=quiet, as_json=as_json)


@key.command()
@with_exit_code
def show(file: KeyFile, lang: Language = None, quiet: Quiet = False, as_json: Json = False) -> None:
    """Tell the ids and epochs of a key, by which the audit of a release names it."""
    from schleier.core.key_files import read_secrets

    _tell("is", file, read_secrets(file, str(file)), lang=lang, quiet=quiet, as_json=as_json)


@key.command()
@with_exit_code
def rotate(file: KeyFile, lang: Language = None, quiet: Quiet = False, as_json: Json = False) -> None:
    """Begin a further epoch: new pseudonyms follow from a new secret; the old one stays in the file."""
    from schleier.core.key_files import rotate_file

    _tell("rotated", file, rotate_file(file), lang=lang, quiet=quiet, as_json=as_json)


@key.command()
@with_exit_code
def split(file: KeyFile, shares: Shares, lang: Language = None, quiet: Quiet = False, as_json: Json = False) -> None:
    """Split a key into shares for several persons: only all of them together are the key."""
    from rich.markup import escape

    from schleier.core.key_files import read_secrets
    from schleier.core.key_shares import split_file
    from schleier.report.language import Words

    split_file(file, shares)
    if as_json:
        print_json({"ok": True, "shares": list(map(str, shares)), "epochs": _epochs(read_secrets(file, str(file)))})
    elif not quiet:
        words = Words.of(language_of(lang))
        for share in shares:
            say(words.plain("cli.key_files.share", file=escape(str(share))))
        say(words.plain("cli.key_files.then", file=escape(str(file))))


@key.command()
@with_exit_code
def join(shares: Shares, out: Out, lang: Language = None, quiet: Quiet = False, as_json: Json = False) -> None:
    """Join all shares of a key to the key."""
    from schleier.core.key_shares import join_files

    _tell("made", out, join_files(shares, out), lang=lang, quiet=quiet, as_json=as_json)


def _epochs(held: Secrets) -> list[dict[str, str | int]]:
    from schleier.core.keys import id_of

    return [{"epoch": epoch, "id": id_of(secret)} for epoch, secret in sorted(held.items())]


def _tell(what: str, file: Path, held: Secrets, *, lang: str | None, quiet: bool, as_json: bool) -> None:
    from rich.markup import escape

    from schleier.report.language import Words

    if as_json:
        print_json({"ok": True, "path": str(file), "epochs": _epochs(held)})
    elif not quiet:
        words = Words.of(language_of(lang))
        say(words.plain(f"cli.key_files.{what}", file=escape(str(file))))
        for one in _epochs(held):
            say("  " + words.plain("cli.key_files.epoch", epoch=one["epoch"], id=one["id"]))
