"""What the name of a column says about it, in English, German and four neighbouring languages."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from schleier.core.record import Frozen
from schleier.core.schema import Role, Scale
from schleier.draft.parts import WORD, brief_meaning, can_be_cut, cores, cut_short, thinned

Way = Literal["ages", "balanced", "codes", "dates", "few", "frequent", "prefix"]
"""How a column of some meaning is coarsened; see ``hierarchies``."""

LONG = 6
"""From so many blanks on, a title is a question."""
SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
JOINED = re.compile(r"[/,;|&+\t]|\s(?:und|and|et|en|e|y)\s", re.IGNORECASE)
"""What stands between the names of two things in one column: "name/age", "Name und Alter"."""


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
    return next(meanings_of(*names), None)


def meanings_of(*names: str) -> Iterator[Meaning]:
    """All that the name and the title of a column may mean, the likeliest first.

    >>> list(dict.fromkeys(one.name for one in meanings_of("p_gross_household", "Gross household income")))[:2]
    ['household', 'money']
    """
    if names and (named := _named_among(names[0])):
        yield named
    for name in names:
        plain = spelt(name)
        asks = plain.count(" ") >= LONG
        # "name2" is another name; "nuts2" and "icd10" are words of their own.
        for written in dict.fromkeys((plain, re.sub(r"(?<=[a-z]) ?\d+(?= |$)", "", plain))):
            # Whole names first: "land" alone is a place, but "land area" need not be one.
            for told in _told(written):
                yield from (meaning for meaning in told if not (asks and meaning.brief))
    if names and (found := stem_meaning(names[0]) or _bare_meaning(names[0])):
        yield found


@lru_cache(maxsize=1 << 14)
def _told(written: str) -> tuple[tuple[Meaning, ...], tuple[Meaning, ...]]:
    """The meanings whose words a name is, and those whose words are in it; most names of a wide file have none."""
    if not _any_word().search(written):
        return (), ()
    ways = (re.Pattern.fullmatch, re.Pattern.search)
    whole, within = (tuple(one for one, pattern in _patterns() if fits(pattern, written)) for fits in ways)
    return whole, within


def _named_among(name: str) -> Meaning | None:
    """The first of several things in one column that names people: what stands beside it does not matter.

    >>> _named_among("Alter/Name").name, _named_among("Alter/Beruf"), _named_among("Name")
    ('person_name', None, None)
    """
    parts = JOINED.split(name)
    told = (one for part in parts for one in _told(spelt(part))[0])
    return next((one for one in told if one.role == "identifier"), None) if len(parts) > 1 else None


def stem_meaning(name: str) -> Meaning | None:
    """The meaning that a part of a name tells.

    >>> stem_meaning("yrsmarr").name, stem_meaning("PULocationID").name
    ('marital', 'place')
    """
    together = spelt(name).replace(" ", "")
    if not _any_stem().search(together):
        return None
    return next((meaning for meaning, stem in _stems() if stem.search(together)), None)


def kind_meaning(name: str) -> Meaning | None:
    """What a number of kinds is about: "MaritalStatusID" numbers no persons.

    >>> kind_meaning("MaritalStatusID").name, kind_meaning("PatientID"), kind_meaning("StudyPatientID")
    ('marital', None, None)
    """
    *words, last = spelt(name).split(" ")
    found = meaning_of(" ".join(words)) if last == "id" and len(words) > 1 else None
    return found if found is not None and found.role in ("quasi", "sensitive") else None


def _bare_meaning(name: str) -> Meaning | None:
    """What a name tells without what says how it was computed or whose it is: "lenroll80", "mo_educ", "prpblck"."""
    plain = spelt(name)
    for core, more in cores(plain):
        if (brief := brief_meaning(core, plain)) is not None:
            return meaning_called(brief)
        if len(core) >= WORD:
            fitting = _told(core)[0]
            # A "cell type" is a kind, and no telephone.
            found = next((one for one in fitting if not (more and one.role == "identifier")), None) or _cut_short(core)
            if found is not None:
                return found
    return None


def _cut_short(core: str) -> Meaning | None:
    """The meaning of a word that was written without some of its vowels."""
    known = _thin().get(thinned(core), {})
    return next((meaning_called(meaning) for meaning, words in known.items() if cut_short(core, words)), None)


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
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", apart).lower().translate(SPELT))
    return re.sub(r"[^a-z0-9]+", " ", re.sub(r"[\u0300-\u036f]", "", plain)).strip()


@cache
def _thin() -> dict[str, dict[str, list[str]]]:
    """Words without their vowels: what they mean, and the words."""
    found: dict[str, dict[str, list[str]]] = {}
    for meaning, _ in _patterns():
        for word in (word.removesuffix("\\w*") for word in meaning.words if meaning.role in ("quasi", "sensitive")):
            if can_be_cut(word):
                found.setdefault(thinned(word), {}).setdefault(meaning.name, []).append(word)
    return found


@cache
def _stems() -> tuple[tuple[Meaning, re.Pattern[str]], ...]:
    """Each meaning with the parts of names that tell it."""
    return tuple((one, re.compile("|".join(one.stems))) for one, _ in _patterns() if one.stems)


@cache
def _any_word() -> re.Pattern[str]:
    """The whole words of all meanings: one look instead of one for each of them."""
    return re.compile(rf"(?:^| )(?:{'|'.join(word for one, _ in _patterns() for word in one.words)})(?: |$)")


@cache
def _any_stem() -> re.Pattern[str]:
    """The parts of names of all meanings."""
    return re.compile("|".join(stem for one, _ in _stems() for stem in one.stems))


@cache
def _patterns() -> tuple[tuple[Meaning, re.Pattern[str]], ...]:
    """Each meaning with the whole words that tell it."""
    meanings = [Meaning(name=name, **entry) for name, entry in _table("meanings.toml").items()]
    for name, languages in _table("languages.toml").items():
        at = next(i for i, one in enumerate(meanings) if one.name == name)
        words = (*meanings[at].words, *(word for more in languages.values() for word in more))
        meanings[at] = meanings[at].model_copy(update={"words": words})
    return tuple((one, re.compile(rf"(?:^| )(?:{'|'.join(one.words)})(?: |$)")) for one in meanings)


def _table(file: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))
