"""Who somebody is, in one way of writing: what people write differently is equal here."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from schleier.core.errors import DataError, Problem

GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "ł": "l", "đ": "d"})
TITLES = frozenset({"dr", "prof", "med", "dipl", "ing"})
LONGEST = 200
FORMS = (r"(?P<y>\d{4})-?(?P<m>\d{2})-?(?P<d>\d{2})", r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})")
LEAST = 3


class Identity(NamedTuple):
    """A person's fields, each normal or empty."""

    given_name: str = ""
    surname: str = ""
    birth_name: str = ""
    birth_date: str = ""
    postcode: str = ""
    town: str = ""

    def __repr__(self) -> str:
        return "Identity(...)"


FIELDS = Identity._fields


def word(text: str) -> str:
    """A name as the letters a to z.

    >>> word("Müller-Lüdenscheidt"), word("Dr. René  d'Été"), word("MUELLER ")
    ('muellerluedenscheidt', 'renedete', 'mueller')
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(GERMAN)
    plain = "".join(one for one in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(one))
    parts = [part for part in re.split(r"[^\w]+|_", plain) if part and part not in TITLES]
    return "".join(parts)


def date(text: str) -> str:
    """A day as eight digits, year first; empty where it is none.

    >>> date("3.10.1990"), date("1990-10-03"), date("31.2.1990")
    ('19901003', '19901003', '')
    """
    for form in FORMS:
        if found := re.fullmatch(form, text.strip(), re.ASCII):
            try:
                return dt.date(int(found["y"]), int(found["m"]), int(found["d"])).strftime("%Y%m%d").zfill(8)
            except ValueError:
                return ""
    return ""


def identity_of(fields: Mapping[str, str | None]) -> Identity:
    """An identity from what was written; everything that is wrong with it is said, and no value.

    >>> identity_of({"given_name": "Anna", "surname": "Groß", "birth_date": "3.10.1990"}).surname
    'gross'
    """
    wrong: list[Problem] = []
    for name, value in fields.items():
        if name not in FIELDS:
            hint = f"there are: {', '.join(FIELDS)}"
            wrong.append(Problem("unknown-identity-field", "identity", "a field is none of an identity", hint))
        elif value is not None and (len(value) > LONGEST or any(unicodedata.category(one)[0] == "C" for one in value)):
            wrong.append(Problem("bad-identity-field", name, "the text is too long or has control characters"))
    if wrong:
        raise DataError(wrong)
    born = (fields.get("birth_date") or "").strip()
    made = {name: word(fields.get(name) or "") for name in FIELDS if name != "birth_date"} | {"birth_date": date(born)}
    if born and not made["birth_date"]:
        hint = "write it like 1990-10-03 or 3.10.1990"
        wrong.append(Problem("bad-birth-date", "birth_date", "this is no day of the calendar", hint))
    if not made["surname"] and not made["given_name"]:
        wrong.append(Problem("too-little-identity", "identity", "there is no name", "give a name"))
    elif not wrong and sum(map(bool, made.values())) < LEAST:
        message = f"fewer than {LEAST} fields are filled, too few to tell persons apart"
        wrong.append(Problem("too-little-identity", "identity", message, "give the birth date or the place, too"))
    if wrong:
        raise DataError(wrong)
    return Identity(**made)
