"""What the name of a column says about it, in English and German."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from schleier.core.record import Frozen
from schleier.core.schema import Role, Scale

Way = Literal["ages", "balanced", "codes", "dates", "few", "frequent", "prefix"]
"""How a column of some meaning is coarsened; see ``hierarchies``."""

LONG = 6
"""From so many blanks on, a title is a question."""
SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


class Meaning(Frozen):
    """What a column holds, and what follows for its role and scale."""

    name: str
    words: tuple[str, ...]
    stems: tuple[str, ...] = ()
    brief: bool = False
    role: Role
    scale: Scale | None = None
    hierarchy: Way | None = None


def meaning_of(*names: str) -> Meaning | None:
    """The meaning of a column, by its name first and its title second.

    >>> [m.name if (m := meaning_of(name)) else None for name in ("GebDatum", "Household_Size", "plz2", "q17")]
    ['birth_date', 'household_size', 'postcode', None]
    """
    for name in names:
        plain = spelt(name)
        known = [one for one in _patterns() if not one[0].brief or plain.count(" ") < LONG]
        # "name2" is another name; "nuts2" and "icd10" are words of their own.
        for written in dict.fromkeys((plain, re.sub(r"(?<=[a-z]) ?\d+(?= |$)", "", plain))):
            # Whole names first: "land" alone is a place, but "land area" need not be one.
            for fits in (re.Pattern.fullmatch, re.Pattern.search):
                for meaning, pattern in known:
                    if fits(pattern, written):
                        return meaning
    return stem_meaning(names[0]) if names else None


def stem_meaning(name: str) -> Meaning | None:
    """The meaning that a part of a name tells.

    >>> stem_meaning("yrsmarr").name, stem_meaning("PULocationID").name
    ('marital', 'place')
    """
    together = spelt(name).replace(" ", "")
    return next((meaning for meaning, stem in _stems() if stem.search(together)), None)


def meaning_called(name: str) -> Meaning:
    """The meaning of this name in ``meanings.toml``.

    >>> meaning_called("sex").role
    'quasi'
    """
    return next(meaning for meaning, _ in _patterns() if meaning.name == name)


def spelt(name: str) -> str:
    """A name as words in small letters: camel case taken apart, umlauts written out.

    >>> spelt("PLZ_Wohnort"), spelt("dateOfBirth"), spelt("Straße")
    ('plz wohnort', 'date of birth', 'strasse')
    """
    apart = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])", " ", name)
    return re.sub(r"[^a-z0-9]+", " ", apart.lower().translate(SPELT)).strip()


@cache
def _stems() -> tuple[tuple[Meaning, re.Pattern[str]], ...]:
    """Each meaning with the parts of names that tell it."""
    return tuple((one, re.compile("|".join(one.stems))) for one, _ in _patterns() if one.stems)


@cache
def _patterns() -> tuple[tuple[Meaning, re.Pattern[str]], ...]:
    """Each meaning with the whole words that tell it."""
    table = tomllib.loads(Path(__file__).with_name("meanings.toml").read_text(encoding="utf-8"))
    meanings = [Meaning(name=name, **entry) for name, entry in table.items()]
    return tuple((one, re.compile(rf"(?:^| )(?:{'|'.join(one.words)})(?: |$)")) for one in meanings)
