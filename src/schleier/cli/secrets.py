"""What opens a vault, as it is named on the command line: files of keys, or a passphrase that is typed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from schleier.core.vault.secret import Secret
    from schleier.core.vault.vault import Vault

VaultFile = Annotated[Path, typer.Argument(metavar="VAULT", help="The file of the vault.")]
KeyFiles = Annotated[
    list[Path] | None,
    typer.Option("--key-file", help="The file of the key that opens the vault; given several times, all its shares."),
]
Passphrase = Annotated[
    bool, typer.Option("--passphrase", help="Ask for the passphrase that opens the vault; piped in, it is one line.")
]
SecondKey = Annotated[
    list[Path] | None,
    typer.Option("--second-key-file", help="The key of the second person, where two must agree."),
]
NewKey = Annotated[
    list[Path] | None, typer.Option("--new-key-file", help="The file of the key that opens it from now on.")
]
NewPassphrase = Annotated[
    bool, typer.Option("--new-passphrase", help="Ask for a passphrase that opens it from now on.")
]
Reason = Annotated[str, typer.Option("--reason", help="Why: the file number of a request, without names.")]
Record = Annotated[Path, typer.Option("--record", help="Where to write the signed record.")]
LONGEST = 10_000
"""Characters of one line that is piped in."""


def secrets_of(files: Sequence[Path] | None, passphrase: bool, prompt: str, where: str = "") -> tuple[Secret, ...]:
    """What may open a vault; where both or neither are named, that is said."""
    from schleier.core.errors import RecipeError, stop
    from schleier.core.vault.opening import secrets_in
    from schleier.core.vault.secret import Secret

    if passphrase and files:
        hint = "a vault is opened by the one it was made with"
        stop(RecipeError, "two-secrets", where or "--passphrase", "a key and a passphrase are named", hint)
    if passphrase:
        return (Secret.of_passphrase(typed(prompt, "--passphrase")),)
    return secrets_in(files or (), where or "--key-file")


def new_secret_of(files: Sequence[Path] | None, passphrase: bool, prompts: tuple[str, str], where: str) -> Secret:
    """What opens it from now on: a passphrase is typed twice."""
    from schleier.core.errors import RecipeError, stop

    (secret, *_) = secrets_of(files, passphrase, prompts[0], where)
    if passphrase and sys.stdin.isatty() and secret.content != _again(prompts[1]):
        stop(RecipeError, "unlike-passphrases", where, "the two passphrases are not the same", "type it once more")
    return secret.demand_long()


def opened(path: Path, secrets: Sequence[Secret]) -> Vault:
    """A vault, with the first secret that opens it."""
    from schleier.core.vault.vault import Vault

    return Vault.open(path, *secrets)


def typed(prompt: str, where: str) -> str:
    """What is typed, unseen; or the next line of what is piped in."""
    from schleier.core.errors import RecipeError, stop

    if sys.stdin.isatty():
        return str(typer.prompt(prompt, hide_input=True, err=True))
    line = sys.stdin.readline(LONGEST)
    if not line.strip("\r\n"):
        stop(RecipeError, "nothing-typed", where, "nothing was typed", "type it, or pipe in one line")
    return line.strip("\r\n")


def _again(prompt: str) -> bytes:
    from schleier.core.vault.secret import Secret

    return Secret.of_passphrase(typed(prompt, "--passphrase")).content
