"""Commands for a vault: made, looked at, copied, joined, given a new key, one person erased, all of it destroyed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from schleier.cli.commands import Group
from schleier.cli.secrets import (
    KeyFiles,
    NewKey,
    NewPassphrase,
    Passphrase,
    Reason,
    Record,
    SecondKey,
    VaultFile,
    new_secret_of,
    opened,
    secrets_of,
    typed,
)
from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, with_exit_code

vault = typer.Typer(cls=Group, no_args_is_help=True)
app.add_typer(vault, name="vault")


@vault.callback()
def _vault(ctx: typer.Context, lang: Language = None) -> None:
    """Keep the random tokens of persons in a vault: make, copy, join, rotate and destroy it, erase a person."""
    if lang is not None and ctx.invoked_subcommand is not None:
        ctx.default_map = {ctx.invoked_subcommand: {"lang": lang}}


@vault.command()
@with_exit_code
def new(
    file: VaultFile,
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    second_key_file: SecondKey = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make an empty vault, outside of every release."""
    from schleier.core.vault.opening import second_in
    from schleier.core.vault.vault import Vault

    secret = new_secret_of(key_file, passphrase, _prompts(lang, "passphrase"), "--key-file")
    second = second_in(second_key_file, "--second-key-file")
    with Vault.new(file, secret, second[0] if second else None) as made:
        _tell("made", {"path": str(file), "id": made.identity}, lang=lang, quiet=quiet, as_json=as_json)


@vault.command()
@with_exit_code
def info(
    file: VaultFile,
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    lang: Language = None,
    as_json: Json = False,
) -> None:
    """Tell how many rows a vault holds, its domains and epochs; nothing of any person."""
    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        facts = one.facts
        told = {
            "id": one.identity,
            "since": one.head["made"],
            "verifies": one.head["verifies"],
            "persons": one.head["persons"],
            "rows": facts.rows,
            "epoch": facts.epoch,
            "erased_rows": facts.erased,
            "reveals": facts.log.lines,
        }
    if as_json:
        print_json({"ok": True, **told, "domains": facts.domains})
        return
    for name, value in told.items():
        say(f"{_word(lang, name)}: {value}")
    for name in sorted(facts.domains):
        _say(f"{_word(lang, 'domain')}: {name}")


@vault.command()
@with_exit_code
def verify(
    file: VaultFile,
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    record: Annotated[Path | None, typer.Option("--record", help="Also check a record that this vault signed.")] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check every row of a vault, and that its log of reversals is what was written."""
    from schleier.core.errors import DataError, stop
    from schleier.core.vault.proof import is_signed, read_record
    from schleier.core.vault.revealing import demand_sound

    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        found = demand_sound(one)
        if record is not None and not is_signed(read_record(record), one.head["verifies"]):
            hint = "it was changed, or belongs to another vault"
            stop(DataError, "wrong-record", str(record), "this vault did not sign the record", hint)
    _tell("sound", found, lang=lang, quiet=quiet, as_json=as_json)


@vault.command()
@with_exit_code
def export(
    file: VaultFile,
    out: Annotated[Path, typer.Argument(metavar="COPY", help="The file of the copy; it must not exist.")],
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    second_key_file: SecondKey = None,
    new_key_file: NewKey = None,
    new_passphrase: NewPassphrase = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write a copy under a key of its own, which another secret opens."""
    from schleier.core.vault.moving import export
    from schleier.core.vault.opening import second_in

    second = second_in(second_key_file, "--second-key-file")
    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        secret = new_secret_of(new_key_file, new_passphrase, _prompts(lang, "new_passphrase"), "--new-key-file")
        rows = export(one, out, secret, second)
    _tell("exported", {"rows": rows, "path": str(out)}, lang=lang, quiet=quiet, as_json=as_json)


@vault.command(name="import")
@with_exit_code
def import_(
    file: VaultFile,
    other: Annotated[Path, typer.Argument(metavar="COPY", help="The vault whose rows are taken over.")],
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    second_key_file: SecondKey = None,
    other_key_file: Annotated[
        list[Path] | None, typer.Option("--other-key-file", help="The key of the vault whose rows are taken over.")
    ] = None,
    other_passphrase: Annotated[
        bool, typer.Option("--other-passphrase", help="Ask for the passphrase of the vault whose rows are taken over.")
    ] = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Take over the rows of another vault, all or none of them."""
    from schleier.core.vault.moving import join
    from schleier.core.vault.opening import second_in

    second = second_in(second_key_file, "--second-key-file")
    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        keys = secrets_of(other_key_file, other_passphrase, _word(lang, "other_passphrase"), "--other-key-file")
        with opened(other, keys) as two:
            rows = join(one, two, second)
    _tell("imported", {"rows": rows, "path": str(other)}, lang=lang, quiet=quiet, as_json=as_json)


@vault.command()
@with_exit_code
def rotate(
    file: VaultFile,
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    second_key_file: SecondKey = None,
    new_key_file: NewKey = None,
    new_passphrase: NewPassphrase = False,
    epoch: Annotated[
        bool, typer.Option("--epoch", help="Give new tokens from now on; old ones can be revealed.")
    ] = False,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", help="With --epoch: a file of old and new tokens, as confidential as the vault."),
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Seal every row anew under a new key; tokens stay as they are, unless an epoch begins."""
    from schleier.core.errors import RecipeError, stop
    from schleier.core.vault.moving import rotate
    from schleier.core.vault.opening import second_in

    if mapping is not None and not epoch:
        stop(RecipeError, "bad-option", "--mapping", "tokens stay as they are: a mapping needs --epoch")
    second = second_in(second_key_file, "--second-key-file")
    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        secret = new_secret_of(new_key_file, new_passphrase, _prompts(lang, "new_passphrase"), "--new-key-file")
        rows = rotate(one, secret, second, epoch=epoch, mapping=mapping)
        now = one.facts.epoch
    _tell("rotated", {"rows": rows, "epoch": now}, lang=lang, quiet=quiet, as_json=as_json)


@vault.command()
@with_exit_code
def destroy(
    file: VaultFile,
    reason: Reason,
    record: Record,
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """End a vault for ever: nobody can resolve its tokens any more, and a signed record says so."""
    from schleier.core.vault.moving import destroy

    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        written = destroy(one, record, reason)
    told = {"rows": written["rows"], "path": str(record)}
    _tell("destroyed", told, lang=lang, quiet=quiet, as_json=as_json)


@vault.command()
@with_exit_code
def erase(
    file: VaultFile,
    reason: Reason,
    record: Record,
    token: Annotated[
        str, typer.Option("--token", help="A token of the person; without it, the value is asked for.")
    ] = "",
    domain: Annotated[str, typer.Option("--domain", help="Which domain the value belongs to.")] = "",
    key_file: KeyFiles = None,
    passphrase: Passphrase = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Erase one person from a vault, search the file for what is left, and write a signed record."""
    from schleier.core.errors import RecipeError, stop
    from schleier.core.vault.erasing import erase_into

    if bool(token) == bool(domain):
        stop(RecipeError, "bad-option", "--token", "say who is erased: --token, or --domain and the value")
    with opened(file, secrets_of(key_file, passphrase, _word(lang, "passphrase"))) as one:
        value = "" if token else typed(_word(lang, "value"), "--domain")
        written = erase_into(one, record, reason, value=value, domain=domain, token=token)
    told = {"rows": written["rows"], "path": str(record)}
    _tell("erased", told, lang=lang, quiet=quiet, as_json=as_json)


def _tell(what: str, facts: dict[str, Any], *, lang: str | None, quiet: bool, as_json: bool) -> None:
    from rich.markup import escape

    from schleier.report.language import Words

    if as_json:
        print_json({"ok": True, **facts})
    elif not quiet:
        shown: dict[str, Any] = {
            name: escape(value) if isinstance(value, str) else value for name, value in facts.items()
        }
        say(Words.of(language_of(lang)).plain(f"cli.vault.{what}", shown.pop("rows", None), **shown))


def _word(lang: str | None, name: str) -> str:
    from schleier.report.language import Words

    return Words.of(language_of(lang)).plain(f"cli.vault.{name}")


def _prompts(lang: str | None, name: str) -> tuple[str, str]:
    return _word(lang, name), _word(lang, "again")


def _say(text: str) -> None:
    from rich.markup import escape

    say(escape(text))
