"""Names of people: by the way they are written, by how people are addressed, and by how common they are."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from schleier.draft.names import SPELT

UPPER, LOWER = "A-ZÀ-ÖØ-ÞĀ-Ž", "a-zß-öø-ÿā-ž"
ADDRESSED = re.compile(
    rf"(?<!\w)(?:(?:Herrn?|Frau|Fräulein|Mr|Mrs|Ms|Miss)\.?|(?:Dr|Prof)\.|[Nn]ame (?:ist|is)|(?:heiße|heisse)) "
    rf"(?!(?:Dr|Prof|Doktor|Professor|Med|Phil|Jur|Rer|Ing|Dipl)(?!\w))[{UPPER}][{LOWER}]+"
)
WORD = re.compile(r"[^\W\d_]+")
MOST_WORDS = 4


def is_person_name(text: str) -> bool:
    """First name and surname: two to four words of letters with capitals, perhaps a comma, a title or an initial.

    >>> [is_person_name(text) for text in ("Käthe Kühn", "Dr. Anna-Maria von Berg", "KÜHN, K.", "Bonn", "full time")]
    [True, True, True, False, False]
    """
    name = rf"(?:[{UPPER}][{LOWER}'’]+(?:-[{UPPER}]?[{LOWER}]+)*|[{UPPER}]{{2,}}|[{UPPER}]\.)"
    between = r"(?:,? (?:(?:von|van|de|der|zu|al|el|bin) )*)"
    return re.fullmatch(rf"(?:(?:Dr|Prof|Mr|Mrs|Ms|Herr|Frau)\.? )*{name}(?:{between}{name}){{1,3}}", text) is not None


def is_addressed(text: str) -> bool:
    """A text in which somebody is called by name.

    >>> [is_addressed(text) for text in ("ask Mrs Miller again", "Frau Öz kam", "Frau", "Prof. Dr.", "Dr. med.")]
    [True, True, False, False, False]
    """
    return ADDRESSED.search(text) is not None


def is_common_name(text: str) -> bool:
    """A few words among which there is a common given name or surname.

    >>> [is_common_name(text) for text in ("Müller", "OLGA", "Petra K.", "petra.k", "Köln", "she asked Petra to come")]
    [True, True, True, True, False, False]
    """
    words = WORD.findall(text.lower().translate(SPELT))
    return len(words) <= MOST_WORDS and not _common().isdisjoint(words)


@cache
def _common() -> frozenset[str]:
    table = tomllib.loads(Path(__file__).with_name("persons.toml").read_text(encoding="utf-8"))
    return frozenset(name for names in table.values() for name in names.split())
