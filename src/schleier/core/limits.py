"""How much a file may hold: looked at before it is read, so that a small file cannot fill the memory or the disk."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from schleier.core.errors import RecipeError, SchleierError, stop

SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?) ?([KMGT]i?)?B?")
UNPACKED, CELLS, TEXT = "SCHLEIER_MAX_UNPACKED", "SCHLEIER_MAX_CELLS", "SCHLEIER_MAX_TEXT"
"""Variables of the environment that raise a limit: bytes unpacked, cells of a sheet, bytes of a recipe or hierarchy."""
COLUMNS = "SCHLEIER_MAX_COLUMNS"
"""Columns of a file that is to be described."""
NOT_REGULAR = "this is no regular file (a device, a pipe or a socket)"


def size_of(text: str) -> int:
    """A size in bytes; ValueError when it is none.

    >>> size_of("1.5GB"), size_of("512 MiB"), size_of("20M"), size_of("7")
    (1500000000, 536870912, 20000000, 7)
    """
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError("this is no size")
    number, unit = float(found[1]), found[2] or ""
    return int(number * (1024 if "i" in unit else 1000) ** (" KMGT".index(unit[0]) if unit else 0))


def limit(variable: str, usual: int) -> int:
    """A limit: what the environment says, else the usual one."""
    said = os.environ.get(variable)
    if not said:
        return usual
    try:
        return size_of(said)
    except ValueError:
        hint = 'write a size such as "500MB" or "20GB", or a number such as "50M"'
        stop(RecipeError, "bad-limit", variable, "the variable of the environment holds no size", hint)


def most_unpacked(packed: int) -> int:
    """Bytes that may come out of a file of this size: what data can be packed to, and not a trap."""
    return limit(UNPACKED, min(50 * 10**9, max(10**9, 200 * packed)))


def most_cells(written: int) -> int:
    """Cells a sheet may span that has so many cells written in it: a forgotten cell far away makes it huge."""
    return limit(CELLS, min(200 * 10**6, max(5 * 10**6, 100 * written)))


def most_columns() -> int:
    """Columns that are looked at one by one: ten thousand take a minute and 2 GB."""
    return limit(COLUMNS, 20_000)


def refuse_size(kind: type[SchleierError], where: str, what: str, found: int, most: int, variable: str) -> None:
    """Stop when there is more than may be."""
    if found > most:
        hint = f"if it is right, raise the limit: set {variable} in the environment"
        stop(kind, "too-much", where, f"{what} {found:,}, and the limit is {most:,}", hint)


def small_text(path: Path, kind: type[SchleierError], where: str, encoding: str = "utf-8") -> str:
    """The text of a recipe, a schema or a hierarchy; an OSError or UnicodeDecodeError goes on as it is.

    >>> small_text(Path("/dev/zero"), RecipeError, "recipe")
    Traceback (most recent call last):
    schleier.core.errors.RecipeError: recipe: this is no regular file (a device, a pipe or a socket)
    """
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
        stop(kind, "not-regular", where, NOT_REGULAR)
    refuse_size(kind, where, "the bytes of the file are", about.st_size, limit(TEXT, 100 * 10**6), TEXT)
    return path.read_text(encoding=encoding)


def is_there(path: Path) -> bool:
    """Whether there is something at a path; at a name no file can have, too long for example, there is nothing.

    >>> is_there(Path("x" * 5000)), is_there(Path("\\0")), is_there(Path.cwd())
    (False, False, True)
    """
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
