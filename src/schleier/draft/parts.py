"""Names that were written together or cut short: what stands before and after a thing, brief parts, vowels left out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

WORD, BRIEF = 4, 2
"""Letters from which on a word can be told under such additions, and a brief part among them."""
THIN = 3
"""So many consonants must be left of a word without its vowels."""


def cores(name: str) -> Iterator[tuple[str, bool]]:
    """What may be left of a name, longest first, and whether something stood behind it.

    >>> list(cores("avginc"))
    [('avginc', False), ('inc', False)]
    """
    together = re.sub(r"\d+$", "", name.replace(" ", ""))
    before, after = _affixes()
    starts = {0} | {end for end in range(1, len(together)) if together[:end] in before}
    starts |= {end for start in starts for end in range(start + 1, len(together)) if together[start:end] in before}
    ends = {len(together)} | {start for start in range(1, len(together)) if together[start:] in after}
    spans = {(start, end) for start in starts for end in ends if end - start >= BRIEF}
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):
        yield together[start:end], end < len(together)


def brief_meaning(core: str, name: str) -> str | None:
    """What a brief part means where enough of the name stands beside it.

    >>> brief_meaning("inc", "avginc"), brief_meaning("ht", "lht"), brief_meaning("inc", "inc")
    ('money', None, None)
    """
    beside = len(re.sub(r"[\d ]", "", name)) - len(core)
    return _brief().get(core) if beside >= (1 if len(core) > BRIEF else 2) else None


def thinned(word: str) -> str:
    """A word without vowels, but for the first letter; doubled letters once.

    >>> thinned("black"), thinned("married"), thinned("mrried")
    ('blck', 'mrd', 'mrd')
    """
    return word[0] + re.sub(r"(.)\1+", r"\1", re.sub("[aeiouy]", "", word[1:]))


def cut_short(core: str, words: Iterable[str]) -> bool:
    """Whether a name is one of some words without the vowels inside it; "Feld" is a word of its own.

    >>> cut_short("whte", ["white"]), cut_short("rlgn", ["religion"]), cut_short("feld", ["field"])
    (True, True, False)
    """
    thin = re.search("[aeiouy]", core[1:-1]) is None
    return thin and any(core[-1] == word[-1] and _is_within(core, word) for word in words)


def can_be_cut(word: str) -> bool:
    """Whether a word can be told without its vowels."""
    return re.fullmatch("[a-z]{5,}", word) is not None and len(thinned(word)) >= THIN


def _is_within(core: str, word: str) -> bool:
    """Whether the letters of a name stand in a word in this order."""
    letters = iter(word)
    return all(letter in letters for letter in core)


@cache
def _affixes() -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(_table()["before"].split()), frozenset(_table()["after"].split())


@cache
def _brief() -> dict[str, str]:
    return {part: meaning for meaning, parts in _table()["short"].items() for part in parts.split()}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("parts.toml").read_text(encoding="utf-8"))
