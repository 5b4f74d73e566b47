"""Names of columns that say something only to those who know the code book of the survey."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from schleier.draft.names import Meaning, meaning_called

FEWEST = 4
"""So many names of a file must be in a book: single ones are there by chance."""


@dataclass(frozen=True)
class Book:
    """The code book of a survey."""

    name: str
    signs: re.Pattern[str]
    """Names that hardly any other file has."""
    meanings: tuple[tuple[str, re.Pattern[str]], ...]

    def find(self, name: str) -> str | None:
        """What a column of this name holds."""
        written = name.strip().lower()
        return next((meaning for meaning, pattern in self.meanings if pattern.fullmatch(written)), None)


def read_names(names: Sequence[str]) -> tuple[str | None, dict[str, Meaning]]:
    """The survey that the columns of a file belong to, if any, and what its code book says of them.

    >>> book, found = read_names(["SERIALNO", "AGEP", "SCHL", "PINCP", "PWGTP", "notes"])
    >>> book, found["PINCP"].name, "notes" in found
    ('acs', 'money', False)
    """
    best: tuple[str | None, dict[str, str]] = None, {}
    for book in _books():
        if not any(book.signs.fullmatch(name.strip().lower()) for name in names):
            continue
        found = {name: meaning for name in names if (meaning := book.find(name)) is not None}
        if len(found) >= max(FEWEST, len(best[1]) + 1):
            best = book.name, found
    return best[0], {name: meaning_called(meaning) for name, meaning in best[1].items()}


@cache
def _books() -> tuple[Book, ...]:
    table = tomllib.loads(Path(__file__).with_name("codebooks.toml").read_text(encoding="utf-8"))
    return tuple(
        Book(name, _any(entry["signs"]), tuple((m, _any(words)) for m, words in entry["meanings"].items()))
        for name, entry in table.items()
    )


def _any(expressions: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(expressions))
