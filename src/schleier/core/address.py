"""Where rows are: a file or a database, and which table, sheet or member of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from schleier.core.errors import DataError, stop
from schleier.core.limits import is_there

BETWEEN, VARIABLE = "::", "env:"


def spelled(given: object) -> str:
    """An address as text; rows in its place, as a frame or as text, are refused and never quoted.

    >>> spelled(Path("people.csv"))
    'people.csv'
    """
    hint = "give the name of a file, an address such as FILE.duckdb::TABLE, or a frame of pandas, Polars or Arrow"
    if not isinstance(given, str | os.PathLike):
        stop(DataError, "not-a-file", "data", f"this is no name of a file but a {type(given).__name__}", hint)
    text = os.fsdecode(given)
    if "\n" in text and not is_there(Path(text)):
        stop(DataError, "not-a-file", "data", "this is no name of a file but a text of several lines", hint)
    return text


def at_sheet(file: str, sheet: str) -> str:
    """The address of a sheet of a file, where one is named beside it.

    >>> at_sheet("book.xlsx", "People"), at_sheet("book.xlsx::People", "")
    ('book.xlsx::People', 'book.xlsx::People')
    """
    if not sheet:
        return file
    place = Address.of(file)
    if place.part and place.part != sheet:
        stop(DataError, "two-sheets", "--sheet", "two sheets are named", "name one, FILE::SHEET or --sheet SHEET")
    return str(Address(place.at, sheet))


@dataclass(frozen=True)
class Address:
    """A place rows come from: ``FILE``, ``FILE::PART``, or ``env:NAME::TABLE`` for a database.

    The part is a sheet of a workbook, a member of an archive, a table of a database, a dictionary of fixed widths.
    A connection string is never written down: ``env:NAME`` names the environment variable that holds it.

    >>> Address.of("shop.duckdb::people")
    Address(at='shop.duckdb', part='people')
    >>> Address.of("env:SHOP::public.people").variable
    'SHOP'
    """

    at: str
    part: str = ""

    @staticmethod
    def of(text: str | Path, folder: Path = Path()) -> Address:
        """An address as it is written in a recipe in ``folder``; a file that is called like this comes first."""
        whole = str(text)
        at, between, part = whole.rpartition(BETWEEN)
        found = Address(at, part) if at and between and not is_there(folder / whole) else Address(whole)
        return found if found.variable else Address(str(folder / found.at), found.part)

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.at)

    @property
    def variable(self) -> str | None:
        """Name of the environment variable with the connection string, for a database elsewhere."""
        return self.at.removeprefix(VARIABLE) if self.at.startswith(VARIABLE) else None

    def __str__(self) -> str:
        return self.at + (BETWEEN + self.part if self.part else "")
