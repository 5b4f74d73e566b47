"""Texts that give themselves away by their form: addresses, account numbers and other numbers with check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from schleier.draft.persons import is_addressed, is_common_name, is_person_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOOKED_AT = 5000
"""Values of a column that are compared with a form, unless a single one that has it is enough."""
STREET = re.compile(
    r"(?:\w{2,}(?:str\.?|straße|strasse|weg|gasse|allee|(?<!arbeits)(?<!stell)(?<!park)(?<!sitz)platz|damm|ufer|chaussee)|"
    r"\w.* (?:str\.|straße|strasse|weg|gasse|allee|platz|damm|ufer|ring)) ?\d{1,4} ?[a-z]?(?!\w)|"
    r"(?<!\w)\d{1,5}[a-z]? (?:\w+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|close|court|square|boulevard)"
    r"(?!\w)|(?<!\w)(?:postfach|p\.? ?o\.? box) \d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Form:
    """A form of text: how to know it, and from which share of the values on a column counts as holding it."""

    name: str
    fits: Callable[[str], bool]
    enough: float
    """One e-mail address in a column is enough (0); chance makes one in ten numbers pass a check digit."""
    least: int
    """Characters it has at least."""
    needs: re.Pattern[str]
    """What is found in every text of this form: most columns have nothing like it, which is quickly seen."""


def form_of(values: Sequence[str], counts: NDArray[Any], but: Collection[str] = ()) -> tuple[Form, float] | None:
    """The form most values have, and the share of the rows that have it; none when no form is common enough.

    Forms listed in ``but`` are not looked for.

    >>> import numpy as np
    >>> form, share = form_of(["ada@example.org", "ben@example.org"], np.array([1, 3]))
    >>> form.name, share
    ('email', 1.0)
    """
    best: tuple[Form, float] | None = None
    values = [value.strip() for value in values]
    longest, together = max(map(len, values), default=0), "\n".join(values)
    for form in (form for form in FORMS if form.name not in but):
        if longest < form.least or not form.needs.search(together):
            continue
        looked = len(values) if not form.enough else LOOKED_AT
        pairs = zip(values[:looked], counts[:looked].tolist(), strict=True)
        share = sum(n for value, n in pairs if form.fits(value)) / float(counts[:looked].sum())
        if share and share >= form.enough and (best is None or share > best[1]):
            best = form, share
    return best


def is_iban(text: str) -> bool:
    """An international bank account number: ISO 13616, remainder 1 modulo 97.

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    code = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", code):
        return False
    return int("".join(str(int(sign, 36)) for sign in code[4:] + code[:4])) % 97 == 1


def has_iban(text: str) -> bool:
    """A text with an account number in it.

    >>> has_iban("paid to DE89 3704 0044 0532 0130 00 on Monday"), has_iban("paid to nobody")
    (True, False)
    """
    inside = re.finditer(
        r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?(?!\w)", text
    )
    return is_iban(text) or any(is_iban(found[0]) for found in inside)


def is_tax_number(text: str) -> bool:
    """A German tax identification number: eleven digits, ISO 7064 modulo 11,10.

    >>> is_tax_number("86095742719"), is_tax_number("86095742718")
    (True, False)
    """
    digits = text.replace(" ", "")
    return bool(re.fullmatch(r"[1-9]\d{10}", digits)) and _mod_11_10(digits[:-1]) == int(digits[-1])


def is_value_added_tax_number(text: str) -> bool:
    """A German VAT number: DE and nine digits, ISO 7064 modulo 11,10.

    >>> is_value_added_tax_number("DE136695976")
    True
    """
    code = text.replace(" ", "").upper()
    return bool(re.fullmatch(r"DE[1-9]\d{8}", code)) and _mod_11_10(code[2:-1]) == int(code[-1])


def is_pension_number(text: str) -> bool:
    """A German pension insurance number: area, birth date, letter, serial number, check digit.

    >>> is_pension_number("15 070649 C 10 3"), is_pension_number("15 070649 C 10 4")
    (True, False)
    """
    code = text.replace(" ", "").upper()
    if not re.fullmatch(r"\d{8}[A-Z]\d{3}", code):
        return False
    letter = ord(code[8]) - ord("A") + 1
    digits = [int(sign) for sign in f"{code[:8]}{letter:02d}{code[9:11]}"]
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    return sum(sum(divmod(d * w, 10)) for d, w in zip(digits, weights, strict=True)) % 10 == int(code[11])


def is_health_number(text: str) -> bool:
    """A German health insurance number: a letter, eight digits, check digit.

    >>> is_health_number("A123456780"), is_health_number("A123456781")
    (True, False)
    """
    code = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]\d{9}", code):
        return False
    digits = [int(sign) for sign in f"{ord(code[0]) - ord('A') + 1:02d}{code[1:9]}"]
    return sum(sum(divmod(d * (1 + i % 2), 10)) for i, d in enumerate(digits)) % 10 == int(code[9])


def is_card_number(text: str) -> bool:
    """A payment card number: thirteen to nineteen digits, Luhn's check digit.

    >>> is_card_number("4111 1111 1111 1111"), is_card_number("4111 1111 1111 1112")
    (True, False)
    """
    digits = re.sub("[ -]", "", text)
    if not re.fullmatch(r"[2-6]\d{12,18}", digits):
        return False
    doubled = [int(sign) * (1 + i % 2) for i, sign in enumerate(reversed(digits))]
    return sum(sum(divmod(d, 10)) for d in doubled) % 10 == 0


def is_ip_address(text: str) -> bool:
    """An address on the internet, of either version.

    >>> is_ip_address("192.0.2.7"), is_ip_address("2001:db8::1"), is_ip_address("7.1")
    (True, True, False)
    """
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def is_phone_number(text: str) -> bool:
    """A telephone number as people write it: it begins with + or 0 and has marks between the digits.

    >>> [is_phone_number(text) for text in ("+49 228 123456", "0228/123456", "01234", "0228123456")]
    [True, True, False, True]
    """
    if not re.fullmatch(r"(\+|0)[\d ()/.-]{6,22}", text):
        return False
    marked, digits = re.search(r"[+ ()/-]", text) is not None, len(re.sub(r"\D", "", text))
    return 7 <= digits <= 15 and (marked or digits >= 9) and not _is_date(text)


def _is_date(text: str) -> bool:
    """01.02.1990 and 01-02-1990 are days, not telephones."""
    for form in ("%d.%m.%Y", "%d-%m-%Y", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y"):
        try:
            datetime.strptime(text, form)
        except ValueError:
            continue
        return True
    return False


def _mod_11_10(digits: str) -> int:
    product = 10
    for sign in digits:
        rest = (int(sign) + product) % 10 or 10
        product = 2 * rest % 11
    return (11 - product) % 10


def _pattern(expression: str) -> Callable[[str], bool]:
    compiled = re.compile(expression)
    return lambda text: compiled.fullmatch(text) is not None


def _anywhere(compiled: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: compiled.search(text) is not None


def _form(name: str, fits: Callable[[str], bool], enough: float, least: int, needs: str) -> Form:
    return Form(name, fits, enough, least, re.compile(needs))


LETTER, DIGIT = r"[^\W\d_]", r"\d"
FORMS = (
    _form("email", _anywhere(re.compile(r"[^@\s<>(\[,;:]+@[^@\s]+\.[A-Za-z]{2,}")), 0.0, 6, "@"),
    _form("iban", has_iban, 0.0, 15, rf"{LETTER} *{LETTER} *{DIGIT}"),
    _form("url", _pattern(r"(?:https?://|www\.)\S+"), 0.02, 5, r"https?://|www\."),
    _form("pension_number", is_pension_number, 0.02, 12, rf"{DIGIT} *{LETTER}"),
    _form("health_number", is_health_number, 0.3, 10, rf"{LETTER} *{DIGIT}"),
    _form("value_added_tax_number", is_value_added_tax_number, 0.1, 11, "[Ee]"),
    _form("tax_number", is_tax_number, 0.5, 11, DIGIT),
    _form("card_number", is_card_number, 0.5, 13, DIGIT),
    _form("ip_address", is_ip_address, 0.1, 2, r":|\d\.\d+\.\d+\.\d"),
    _form("uuid", _pattern(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"), 0.5, 36, "-"),
    _form("social_security_number", _pattern(r"\d{3}-\d{2}-\d{4}"), 0.5, 11, "-"),
    _form("phone", is_phone_number, 0.5, 7, "(?m)^[+0]"),
    _form("street", _anywhere(STREET), 0.2, 5, LETTER * 2),
    _form("person", is_person_name, 0.6, 4, " "),
    _form("common_name", is_common_name, 0.3, 2, LETTER * 2),
    _form("addressed", is_addressed, 0.0, 5, " "),
    _form("plate", _pattern(r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?\d{1,4}[EH]?"), 0.5, 4, "[- ]"),
)
"""All forms; every one of them belongs to one person or household, so a column that holds it names people."""
