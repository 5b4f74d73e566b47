"""Long-lived keys with names: what pseudonyms follow from. They never leave memory but into a file of their own."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn, Self

from pydantic import Field, model_validator

from schleier.core.errors import Problem, RecipeError, stop
from schleier.core.key_files import Secrets, read_secrets, secrets_of
from schleier.core.record import Declared
from schleier.core.validation import nearest

SALT = b"schleier/key/1"
VARIABLE = "env:"
"""What stands before the variable of the environment where a key is named by that alone."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Key:
    """A secret of one epoch. It shows, and lets be written down, its id alone, from which nothing else follows.

    >>> key = Key(bytes(range(32)))
    >>> key
    Key(id='g3gmzh3obtx2i', epoch=1)
    >>> key.derive("persons", "token") == key.derive("doctors", "token")
    False
    """

    __slots__ = ("_secret", "epoch", "project")

    def __init__(self, secret: bytes, epoch: int = 1, project: str = "") -> None:
        self._secret = secret
        self.epoch = epoch
        self.project = project

    @property
    def id(self) -> str:
        """Tells keys apart: 13 letters and digits that everybody may read."""
        return id_of(self._secret)

    def derive(self, domain: str, purpose: str, length: int = 32) -> bytes:
        """A key of its own for what shares pseudonyms (``domain``) and what is done there: HKDF-SHA-256 (RFC 5869).

        Other projects and epochs have other ones.
        """
        parts = (purpose, self.project, domain)
        told = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
        return _expanded(self._secret, b"use" + told + self.epoch.to_bytes(8, "big"), length)

    def without_project(self) -> Key:
        """The same key for what belongs to no project."""
        return Key(self._secret, self.epoch)

    def __repr__(self) -> str:
        return f"Key(id={self.id!r}, epoch={self.epoch})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        same = secrets.compare_digest(self._secret, other._secret)
        return same and (self.epoch, self.project) == (other.epoch, other.project)

    def __hash__(self) -> int:
        return hash((self.id, self.epoch, self.project))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is never written down: hand on what is derived from it")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def id_of(secret: bytes) -> str:
    """The id of a secret, in small letters and digits."""
    import base64

    return base64.b32encode(_expanded(secret, b"id", 8)).decode().rstrip("=").lower()


def _expanded(secret: bytes, info: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), length, SALT, info).derive(secret)


class KeySource(Declared):
    """Where a key of the recipe is: ``[keys.NAME]``. Just one of ``file`` and ``env``."""

    file: str | None = None
    """The file of the key, as ``schleier key new`` makes it; relative to the recipe. Keep it apart from the data."""
    env: str | None = Field(default=None, pattern=NAME.pattern + "$")
    """A variable of the environment that holds what would stand in the file."""
    project: str = ""
    """Other projects get other pseudonyms from the same key."""
    epoch: int | None = Field(default=None, ge=1)
    """An earlier epoch of a key that was rotated; the newest when left out."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.file is None) == (self.env is None):
            raise ValueError("say where the key is: file or env")
        return self

    def every(self, where: str = "keys") -> tuple[Key, ...]:
        """The key of every epoch, the newest last; refused where others can read it or it is too short."""
        held = read_secrets(Path(self.file), where) if self.file is not None else _of_variable(self.env or "", where)
        return tuple(Key(secret, epoch, self.project) for epoch, secret in sorted(held.items()))

    def key(self, where: str = "keys") -> Key:
        """The key that is used: that of the newest epoch, or of the one that is named."""
        found = self.every(where)
        wanted = self.epoch if self.epoch is not None else found[-1].epoch
        fitting = [one for one in found if one.epoch == wanted]
        if fitting:
            return fitting[0]
        known = ", ".join(str(one.epoch) for one in found)
        return stop(RecipeError, "key-epoch", f"{where}.epoch", f"the key has no epoch {wanted}", f"there are: {known}")


def _of_variable(name: str, where: str) -> Secrets:
    text = os.environ.get(name)
    if text is None:
        hint = f"set it to what stands in the file of the key: export {name}=..."
        stop(RecipeError, "no-key", where, f"the variable '{name}' of the environment is not set", hint)
    return secrets_of(text, where)


def find_key(name: str, known: Mapping[str, Key]) -> Key:
    """The key of a name; ``env:VARIABLE`` is the one in a variable of the environment.

    >>> find_key("people", {})
    Traceback (most recent call last):
    schleier.core.errors.RecipeError: key: there is no key 'people' (declare it under [keys.people])
    """
    if name.startswith(VARIABLE):
        return KeySource(env=name.removeprefix(VARIABLE)).key("key")
    if name not in known:
        raise RecipeError(unknown_key(name, known, "key"))
    return known[name]


def unknown_key(name: str, known: Mapping[str, object], where: str) -> Problem:
    """The problem that no key has this name, with the nearest name there is."""
    near = nearest(name, list(known))
    return Problem("unknown-key", where, f"there is no key '{name}'", near or f"declare it under [keys.{name}]")
