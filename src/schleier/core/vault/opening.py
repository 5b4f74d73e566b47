"""Secrets of vaults from long-lived keys, whole or in shares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import RecipeError, stop
from schleier.core.vault.secret import Secret

if TYPE_CHECKING:
    from schleier.core.keys import Key


def secret_of(key: Key) -> Secret:
    """What a key opens a vault with: of all projects the same, for a vault may serve several.

    >>> from schleier.core.keys import Key
    >>> secret_of(Key(bytes(range(32)), project="a")) == secret_of(Key(bytes(range(32))))
    True
    """
    return Secret.of_key(key.without_project().derive("vault", "open"))


def keys_in(files: Sequence[Path], where: str) -> tuple[Key, ...]:
    """The key in a file, of every epoch, the newest last; several files are all shares of one key."""
    from schleier.core.key_files import read_secrets
    from schleier.core.key_shares import joined
    from schleier.core.keys import Key

    if not files:
        hint = "name the file of its key with --key-file, or type the passphrase with --passphrase"
        stop(RecipeError, "no-secret", where, "nothing is said about what opens the vault", hint)
    held = read_secrets(files[0], where) if len(files) == 1 else joined(files, where)
    return tuple(Key(secret, epoch) for epoch, secret in sorted(held.items()))


def secrets_in(files: Sequence[Path], where: str) -> tuple[Secret, ...]:
    """What may open a vault, the newest first: it may not know of the last epoch yet."""
    return tuple(secret_of(key) for key in reversed(keys_in(files, where)))


def second_in(files: Sequence[Path] | None, where: str) -> tuple[bytes, ...]:
    """The keys of the second person, the newest first; nothing where none is named."""
    return tuple(one.content for one in secrets_in(files, where)) if files else ()
