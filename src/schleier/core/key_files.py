"""Files of long-lived keys: a line for each epoch, for the eyes of their owner alone."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from schleier.core.atomic import cannot_write, whole_file
from schleier.core.errors import RecipeError, stop
from schleier.core.system import BINARY, NO_WAIT, open_to_others

BYTES, MOST = 32, 64
"""A secret has at least 256 bits."""
LONGEST = 100_000
"""Characters read from the file of a key."""
FEWEST = 10
"""Different bytes of 32 that are drawn by lot: fewer are not seen in the age of the world."""
KEY = "schleier-key"
NEW = "schleier key new FILE"

Secrets = Mapping[int, bytes]
"""The secret of each epoch."""


def new_secret() -> bytes:
    """256 bits from the operating system."""
    return secrets.token_bytes(BYTES)


def text_of(held: Secrets) -> str:
    """What stands in the file of a key.

    >>> secrets_of(text_of({1: bytes(range(32))}), "") == {1: bytes(range(32))}
    True
    """
    head = [KEY, "# Whoever reads this can undo pseudonyms: keep it apart from the data."]
    return "\n".join([*head, *(f"{epoch} {secret.hex()}" for epoch, secret in sorted(held.items()))]) + "\n"


def secrets_of(text: str, where: str) -> dict[int, bytes]:
    """The secrets in a text: lines of epoch and hexadecimal digits, or the digits of the first epoch alone.

    >>> secrets_of("00ff", "keys.people")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    schleier.core.errors.RecipeError: keys.people: the key is too short: 2 bytes, and it needs 32 (schleier ...)
    """
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    rows = [row for row in lines if row and row != [KEY]]
    if len(rows) == 1 and len(rows[0]) == 1:
        rows = [["1", *rows[0]]]
    try:
        found = {int(epoch): bytes.fromhex(digits) for epoch, digits in rows}
    except ValueError:
        found = {}
    if not found or len(found) != len(rows) or min(found) < 1 or max(found) > 2**31:
        message = "this is no key: a line for each epoch, with its number and hexadecimal digits"
        stop(RecipeError, "key-broken", where, message, NEW)
    _refuse_weak(found, where)
    return found


def _refuse_weak(held: Secrets, where: str) -> None:
    shortest = min(map(len, held.values()))
    if shortest < BYTES:
        message = f"the key is too short: {shortest} bytes, and it needs {BYTES}"
        stop(RecipeError, "key-short", where, message, NEW)
    if max(map(len, held.values())) > MOST:
        stop(RecipeError, "key-broken", where, f"the key is too long: more than {MOST} bytes", NEW)
    if any(len(set(one)) < FEWEST for one in held.values()):
        stop(RecipeError, "key-weak", where, "the key repeats a few bytes: it was not drawn by lot", NEW)
    if len(set(held.values())) < len(held):
        message = "two epochs have the same secret"
        stop(RecipeError, "key-weak", where, message, "schleier key rotate FILE")


def read_text(path: Path, where: str) -> str:
    """What stands in a file for its owner alone; its content never appears in a message."""
    try:
        # Without waiting: a pipe nobody writes to would wait for ever.
        with os.fdopen(os.open(path, os.O_RDONLY | NO_WAIT | BINARY), encoding="ascii") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                stop(RecipeError, "key-broken", where, "this is no regular file (a device, a pipe or a socket)", NEW)
            if open_to_others(about):
                hint = f"a key is for its owner alone: chmod 600 {path}; if others may have read it, rotate it"
                stop(RecipeError, "key-open", where, "other users can read the file of the key", hint)
            return file.read(LONGEST)
    except FileNotFoundError:
        stop(RecipeError, "no-key", where, "there is no such file of a key", NEW)
    except (OSError, ValueError):
        stop(RecipeError, "key-broken", where, "the file of the key cannot be read as text", NEW)


def read_secrets(path: Path, where: str) -> dict[int, bytes]:
    """The secrets in a file."""
    return secrets_of(read_text(path, where), where)


def write_private(path: Path, text: str, *, new: bool = True) -> None:
    """Write a file for its owner alone; a new one never takes the place of another, nor any that of a link."""
    if not new and path.is_symlink():
        hint = "name the file itself: the new secret would stand where the link is"
        stop(RecipeError, "key-link", str(path), "this is only a link to the file of the key", hint)
    if new:
        _claim(path)
    try:
        with whole_file(path, private=True) as place:
            place.write_text(text, encoding="ascii", newline="\n")
    except BaseException:
        if new:
            path.unlink(missing_ok=True)
        raise


def _claim(path: Path) -> None:
    """An empty file, which nobody else can have made: of two who make a key at once, the second is refused."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        hint = "choose another name: a key that is lost cannot be made again"
        stop(RecipeError, "key-there", str(path), "there is a file already", hint)
    except OSError as error:
        raise cannot_write(error, path, "file") from error


def new_file(path: Path) -> Secrets:
    """A file with a new key."""
    held = {1: new_secret()}
    write_private(path, text_of(held))
    return held


def rotate_file(path: Path) -> Secrets:
    """A further epoch with a new secret; the old ones stay, so that old pseudonyms can still be revealed."""
    held = read_secrets(path, str(path))
    held[max(held) + 1] = new_secret()
    write_private(path, text_of(held), new=False)
    return held
