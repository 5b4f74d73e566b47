"""The command that says who is behind a token, for whoever may ask: the value goes to the output and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from schleier.cli.secrets import KeyFiles, Passphrase, Reason, SecondKey, opened, secrets_of
from schleier.cli.shared import Language, app, harmless, language_of, with_exit_code


@app.command()
@with_exit_code
def reveal(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token, as it stands in the release.")],
    reason: Reason,
    vault: Annotated[Path, typer.Option("--vault", help="The vault that gave the token.")],
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    second_key_file: SecondKey = None,
    lang: Language = None,
) -> None:
    """Tell who is behind a token, and write down who asked, when, for which token and why."""
    from schleier.core.vault.opening import second_in
    from schleier.core.vault.revealing import reveal
    from schleier.report.language import Words

    prompt = Words.of(language_of(lang)).plain("cli.vault.passphrase")
    second = second_in(second_key_file, "--second-key-file")
    with opened(vault, secrets_of(key_file, passphrase, prompt)) as one:
        value = reveal(one, token, reason, second)
    sys.stdout.write((harmless(value) if sys.stdout.isatty() else value) + "\n")
