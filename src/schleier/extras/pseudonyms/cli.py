"""Recognise persons and give them pseudonyms, as a service for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schleier.cli.shared import Json, Language, print_json, say, with_exit_code

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _pseudonyms() -> None:
    """Recognise persons and give them pseudonyms, as a service for other programs."""


Store = Annotated[str, typer.Argument(metavar="STORE", help="A folder, or env:NAME with the address of PostgreSQL.")]
Key = Annotated[Path, typer.Option("--key", help="The file of the service's key, made by: schleier key new.")]


@app.command()
@with_exit_code
def serve(
    store: Store,
    key: Key,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port to listen at.")] = 8460,
    column: Annotated[list[str] | None, typer.Option("--column", help="A column payloads may have.")] = None,
    doubt_names: Annotated[
        bool,
        typer.Option("--doubt-names", help="A clerk decides where all but the given name agrees, as it does of twins."),
    ] = False,
    lang: Language = None,
) -> None:
    """Serve pseudonyms until it is stopped."""
    from schleier.extras.pseudonyms._serving import serve as run

    run(store, key, host, port, frozenset(column or ()), doubt_names=doubt_names)


@app.command()
@with_exit_code
def grant(
    store: Store,
    key: Key,
    name: Annotated[str, typer.Option("--name", help="The program that is let in.")],
    role: Annotated[str, typer.Option("--role", help="What it may do.")],
    days: Annotated[int, typer.Option("--days", help="How long.")] = 90,
    lang: Language = None,
    as_json: Json = False,
) -> None:
    """Let a program in: print the token it sends, this once."""
    from schleier.extras.pseudonyms._serving import granted

    token = granted(store, key, name, role, days)
    print_json({"token": token}) if as_json else say(token)
