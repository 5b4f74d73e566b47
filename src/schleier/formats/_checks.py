"""What every format refuses before it reads: no file, an empty file, columns that cannot be told apart."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from schleier.core.errors import DataError, Problems, stop
from schleier.core.limits import NOT_REGULAR

FIELDS = 3
"""Delimiters inside a name that has several lines, or is the only one, from which on it is no name."""


def check_file(path: Path) -> None:
    """Stop when there is nothing to read at this place.

    >>> check_file(Path("nowhere.csv"))
    Traceback (most recent call last):
    schleier.core.errors.DataError: nowhere.csv: there is no such file
    """
    where = str(path)
    try:
        if not stat.S_ISREG(kind := path.stat().st_mode) and not stat.S_ISDIR(kind):
            stop(DataError, "not-regular", where, NOT_REGULAR, "copy what it gives into a file, and name that")
        with path.open("rb") as stream:
            empty = not stream.read(1)
    except FileNotFoundError:
        stop(DataError, "no-file", where, "there is no such file")
    except IsADirectoryError:
        stop(DataError, "unreadable", where, "this is a directory", "name a single file")
    except (OSError, ValueError) as error:  # a name that is too long, or that holds a null character
        reason = (getattr(error, "strerror", None) or "no reason given").lower()
        stop(DataError, "unreadable", where, f"the file cannot be read: {reason}", "check its permissions")
    if empty:
        stop(DataError, "empty-file", where, "the file is empty", "the first row must hold the column names")


def check_names(names: Sequence[str], where: str, line: int = 1) -> None:
    """Stop when columns have no name or share one.

    Columns are counted, never named: in a file without a header the "names" are the values of a person.

    >>> check_names(["age", "sex", "age"], "a.csv")
    Traceback (most recent call last):
    schleier.core.errors.DataError: a.csv: 1 column repeats an earlier name: column 3 (is line 1 the header?)
    """
    found = Problems()
    if swallowed := [place for place, name in enumerate(names, 1) if _is_swallowed(name, len(names) == 1)]:
        message = f"{_count(swallowed, 'has', 'have')} a whole record in the name: {_places(swallowed)}"
        hint = f"is line {line} a header with as many names as a record has fields, and with every quote closed?"
        stop(DataError, "malformed-rows", where, message, hint)
    unnamed = [place for place, name in enumerate(names, 1) if not name.strip()]
    first = {name: place for place, name in reversed([*enumerate(names, 1)])}
    repeated = [place for place, name in enumerate(names, 1) if name.strip() and first[name] < place]
    if unnamed:
        message = f"{_count(unnamed, 'has', 'have')} no name: {_places(unnamed)}"
        hint = f"line {line} must name them all; the number of lines above it is the layout's skip"
        found.add("unnamed-columns", where, message, hint)
    if repeated:
        message = f"{_count(repeated, 'repeats', 'repeat')} an earlier name: {_places(repeated)}"
        found.add("duplicate-columns", where, message, f"is line {line} the header?")
    found.raise_as(DataError)


def _is_swallowed(name: str, only: bool) -> bool:
    """Whether a name holds the fields of a record: over several lines, or as the only name where none could be told.

    >>> _is_swallowed("age,sex\\nAda,30,f", only=False), _is_swallowed("income, net\\n(euro)", only=False)
    (True, False)
    """
    lines = any(end in name for end in "\r\n")
    return (lines or only) and any(name.count(mark) >= FIELDS for mark in ",;|\t")


def _count(places: Sequence[int], one: str, many: str) -> str:
    return f"1 column {one}" if len(places) == 1 else f"{len(places)} columns {many}"


def _places(places: Sequence[int]) -> str:
    """The first few places, counted from 1."""
    shown = ", ".join(str(place) for place in places[:5])
    return f"column{'s' if len(places) > 1 else ''} {shown}{' ...' if len(places) > 5 else ''}"
