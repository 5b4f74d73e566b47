"""The command that says who is behind a token, for whoever may ask: the value goes to the output and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from schleier.cli.secrets import KeyFiles, Passphrase, Reason, SecondKey, opened, secrets_of
from schleier.cli.shared import Language, app, harmless, language_of, with_exit_code


@app.command()
@with_exit_code
def reveal(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token, as it stands in the release.")],
    reason: Reason,
    vault: Annotated[Path | None, typer.Option("--vault", help="The vault that gave the token.")] = None,
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    second_key_file: SecondKey = None,
    recipe: Annotated[
        Path | None, typer.Option("--recipe", "-r", help="In place of a vault: the recipe whose key made the token.")
    ] = None,
    column: Annotated[str, typer.Option("--column", help="With --recipe: the column of the token.")] = "",
    log: Annotated[
        Path | None, typer.Option("--log", help="With --recipe: the log of reversals, outside of releases.")
    ] = None,
    lang: Language = None,
) -> None:
    """Tell who is behind a token, and write down who asked, when, for which token and why."""
    from schleier.core.errors import RecipeError, stop

    if (vault is None) == (recipe is None) or (recipe is not None and (not column or log is None)):
        hint = "a vault has its own log and key; a recipe names the key, and --log where it is written down"
        stop(
            RecipeError,
            "bad-option",
            "reveal",
            "say who made the token: --vault, or --recipe, --column and --log",
            hint,
        )
    if vault is not None:
        value = _of_vault(vault, token, reason, _Opening(key_file, passphrase, second_key_file, lang))
    else:
        from schleier.flow.recipe.recipe import Recipe
        from schleier.flow.reveal import reveal

        value = reveal(Recipe.from_file(recipe or ""), column, token, reason, log or Path())
    sys.stdout.write((harmless(value) if sys.stdout.isatty() else value) + "\n")


class _Opening(NamedTuple):
    """What opens a vault."""

    key_file: list[Path] | None
    passphrase: bool
    second_key_file: list[Path] | None
    lang: str | None


def _of_vault(vault: Path, token: str, reason: str, by: _Opening) -> str:
    from schleier.core.vault.opening import second_in
    from schleier.core.vault.revealing import reveal
    from schleier.report.language import Words

    prompt = Words.of(language_of(by.lang)).plain("cli.vault.passphrase")
    second = second_in(by.second_key_file, "--second-key-file")
    with opened(vault, secrets_of(by.key_file, by.passphrase, prompt)) as one:
        return reveal(one, token, reason, second)
