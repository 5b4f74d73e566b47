"""Identifiers of which there are so few that all can be tried: how each is written, and all that are possible."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from typing import Literal, get_args

from schleier.kernels.pseudonyms.candidates import Space
from schleier.kernels.pseudonyms.check_digits import health, numerals_of, pension

FormName = Literal[
    "birth_date", "postcode", "taxi", "phone", "health_number", "ipv4", "plate", "pension_number"
]  # fmt: skip
"""The forms, those with fewest candidates first."""
YEARS = range(1900, 2100)
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
AREAS = (
    "02",
    "03",
    "04",
    *(f"{i:02d}" for i in (*range(8, 22), 23, 24, 25, 26, 28, 29, *range(38, 40), *range(40, 90))),
)
"""Offices that give out pension numbers (first two digits, SGB VI § 147); more than there are does no harm."""
MOBILE = (
    "0151", "0152", "0155", "0157", "0159", "0160", "0162", "0163", "0170", "0171", "0172", "0173", "0174", "0175",
    "0176", "0177", "0178", "0179",
)  # fmt: skip
TYPICAL = 0.9
"""The share of values that a way of writing must fit to be taken for theirs."""


@dataclass(frozen=True)
class Writing:
    """One way to write an identifier: what it looks like, and all candidates."""

    form: FormName
    looks: re.Pattern[str] = field(repr=False)
    make: Callable[[], Space] = field(repr=False)

    @property
    def space(self) -> Space:
        """The candidates, made once."""
        return _made(self.make)


@cache
def _made(make: Callable[[], Space]) -> Space:
    return make()


def writings(forms: Sequence[FormName] = get_args(FormName)) -> list[Writing]:
    """Every way in which identifiers of these forms are written.

    >>> [one.space.count for one in writings(["ipv4", "postcode"])]
    [4294967296, 100000]
    """
    return [one for form in forms for one in _WRITINGS[form]]


def guess_writings(values: Iterable[str]) -> list[Writing]:
    """The ways of writing that fit nearly all of some values, those with fewest candidates first.

    >>> [one.form for one in guess_writings(["192.0.2.7", "10.0.0.1"])]
    ['ipv4']
    """
    some = list(values)
    fit = [one for one in writings() if some and _share(one.looks, some) >= TYPICAL]
    return sorted(fit, key=lambda one: one.space.count)


def _share(looks: re.Pattern[str], values: Sequence[str]) -> float:
    return sum(looks.fullmatch(value) is not None for value in values) / len(values)


def _digits(many: int) -> tuple[tuple[bytes, ...], ...]:
    """So many digits, the last three together."""
    single = tuple(b"%d" % i for i in range(10))
    rest = min(many, 3)
    return (*((single,) * (many - rest)), tuple(b"%0*d" % (rest, i) for i in range(10**rest)))


def _codes(many: int) -> Space:
    return Space(_digits(many))


def _dates(written: str) -> Space:
    first = datetime.date(YEARS[0], 1, 1)
    days = (datetime.date(YEARS[-1], 12, 31) - first).days + 1
    every = (first + datetime.timedelta(days=i) for i in range(days))
    return Space((tuple(dict.fromkeys(one.strftime(written).encode() for one in every)),))


def _addresses() -> Space:
    dotted = tuple(b"%d." % i for i in range(256))
    return Space((dotted, dotted, dotted, tuple(b"%d" % i for i in range(256))))


def _phones(country: str, mark: str, many: int) -> Space:
    starts = tuple(f"{country}{code[1:]}{mark}".encode() for code in MOBILE)
    return Space((starts, *_digits(many)))


def _plates(first: str, second: str) -> Space:
    text = files("schleier.kernels.pseudonyms").joinpath("plates.toml").read_text(encoding="utf-8")
    districts = tomllib.loads(text)["districts"].split()
    letters = (*LETTERS, *(a + b for a in LETTERS for b in LETTERS))
    return Space(
        (
            tuple(f"{one}{first}".encode() for one in districts),
            tuple(f"{one}{second}".encode() for one in letters),
            tuple(b"%d" % i for i in range(1, 10_000)),
        )
    )


def _letters() -> tuple[bytes, ...]:
    return tuple(one.encode() for one in LETTERS)


def _taxis(places: str) -> Space:
    kinds = {"9": tuple(b"%d" % i for i in range(10)), "X": _letters()}
    return Space(tuple(kinds[place] for place in places))


def _health_numbers() -> Space:
    """A letter, eight digits and a check digit: what each place adds to it is what it adds alone."""
    digits = tuple(b"%d" % i for i in range(10))
    zero = "A00000000"
    base = int(health(numerals_of(zero))[0])
    letters = tuple(int(health(numerals_of(f"{one}00000000"))[0]) for one in LETTERS)
    adds = [letters]
    for place in range(1, 9):
        adds.append(
            tuple((int(health(numerals_of(f"{zero[:place]}{d}{zero[place + 1 :]}"))[0]) - base) % 10 for d in range(10))
        )
    return Space((_letters(), *((digits,) * 8)), tuple(adds))


def _pension_numbers() -> Space:
    """Area, day of birth, letter of the name, serial number and a check digit."""
    days = tuple(f"{day:02d}" for day in range(1, 32))
    months = tuple(f"{month:02d}" for month in range(1, 13))
    hundred = tuple(f"{i:02d}" for i in range(100))
    parts = (AREAS, days, months, hundred, LETTERS, hundred)
    zero = ("00", "00", "00", "00", "A", "00")
    base = int(pension(numerals_of("".join(zero)))[0])

    def adds(place: int, word: str) -> int:
        text = "".join((*zero[:place], word, *zero[place + 1 :]))
        return (int(pension(numerals_of(text))[0]) - (base if place != 4 else 0)) % 10

    sums = tuple(tuple(adds(place, word) for word in part) for place, part in enumerate(parts))
    return Space(tuple(tuple(word.encode() for word in part) for part in parts), sums)


def _writing(form: FormName, looks: str, make: Callable[[], Space]) -> Writing:
    return Writing(form, re.compile(looks), make)


_DAY, _MONTH, _YEAR = "(0[1-9]|[12][0-9]|3[01])", "(0[1-9]|1[0-2])", "(19|20)[0-9]{2}"
_WRITTEN = {
    "%Y-%m-%d": f"{_YEAR}-{_MONTH}-{_DAY}",
    "%d.%m.%Y": rf"{_DAY}\.{_MONTH}\.{_YEAR}",
    "%Y%m%d": f"{_YEAR}{_MONTH}{_DAY}",
    "%d%m%Y": f"{_DAY}{_MONTH}{_YEAR}",
    "%d/%m/%Y": f"{_DAY}/{_MONTH}/{_YEAR}",
    "%m/%d/%Y": f"{_MONTH}/{_DAY}/{_YEAR}",
    "%d-%m-%Y": f"{_DAY}-{_MONTH}-{_YEAR}",
    "%d.%m.%y": rf"{_DAY}\.{_MONTH}\.[0-9]{{2}}",
    "%Y-%m-%d 00:00:00": f"{_YEAR}-{_MONTH}-{_DAY} 00:00:00",
}
_OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_COUNTRIES = {"0": ("", "/", " ", "-"), "+49": ("", " "), "+49 ": (" ",), "0049": ("",), "49": ("",)}
_WRITINGS: dict[FormName, list[Writing]] = {
    "birth_date": [_writing("birth_date", looks, partial(_dates, w)) for w, looks in _WRITTEN.items()],
    "postcode": [_writing("postcode", "[0-9]{5}", partial(_codes, 5))],
    "taxi": [
        _writing("taxi", "[0-9][A-Z][0-9]{2}", partial(_taxis, "9X99")),
        _writing("taxi", "[A-Z]{2}[0-9]{3}", partial(_taxis, "XX999")),
        _writing("taxi", "[A-Z]{3}[0-9]{3}", partial(_taxis, "XXX999")),
    ],
    "phone": [
        _writing(
            "phone",
            f"{re.escape(country)}1[567][0-9]{re.escape(mark)}[0-9]{{{many}}}",
            partial(_phones, country, mark, many),
        )
        for many in (7, 8)
        for country, marks in _COUNTRIES.items()
        for mark in marks
    ],
    "health_number": [_writing("health_number", "[A-Z][0-9]{9}", _health_numbers)],
    "ipv4": [_writing("ipv4", rf"{_OCTET}(\.{_OCTET}){{3}}", _addresses)],
    "plate": [
        _writing(
            "plate",
            f"[A-ZÄÖÜ]{{1,3}}{re.escape(first)}[A-Z]{{1,2}}{re.escape(second)}[1-9][0-9]{{0,3}}",
            partial(_plates, first, second),
        )
        for first, second in (("-", " "), ("-", ""), (" ", " "), ("-", "-"), ("", ""), (" ", ""))
    ],
    "pension_number": [
        _writing("pension_number", f"[0-9]{{2}}{_DAY}{_MONTH}[0-9]{{2}}[A-Z][0-9]{{3}}", _pension_numbers)
    ],
}  # fmt: skip
