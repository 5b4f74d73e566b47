"""Names of columns that say something only to those who know the code book of the survey."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
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
    meanings: Mapping[str, Sequence[str]]

    @cached_property
    def _patterns(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """Of a book whose signs were seen: those of all books together take longer than the rest of the look."""
        return tuple((meaning, _any(expressions)) for meaning, expressions in self.meanings.items())

    def find(self, name: str) -> str | None:
        """What a column of this name holds."""
        written = name.strip().lower()
        return next((meaning for meaning, pattern in self._patterns if pattern.fullmatch(written)), None)


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
    return tuple(Book(name, _any(entry["signs"]), entry["meanings"]) for name, entry in table.items())


def _any(expressions: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(expressions))
