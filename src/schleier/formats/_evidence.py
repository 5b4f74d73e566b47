"""Evidence in the values of a text file: how it writes numbers and dates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from typing import Literal, NamedTuple, TypeVar

T = TypeVar("T")


class Marks(NamedTuple):
    """A way to write numbers."""

    decimal: Literal[".", ","]
    thousands: Literal["", ".", ",", " ", "'"]


POINT = (Marks(".", ""), Marks(".", ","), Marks(".", " "), Marks(".", "'"))
COMMA = (Marks(",", ""), Marks(",", "."), Marks(",", " "), Marks(",", "'"))
# Typesetters write the blank and the apostrophe with other characters; one digit is as good as another.
SHAPE = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2019": "'", **dict.fromkeys("12345678", "9")})

ISO = "%Y-%m-%d"
SLASHED = ("%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y", "%Y/%m/%d")
DATES = (ISO, "%d.%m.%Y", "%d.%m.%y", *SLASHED, "%d-%m-%Y", "%m-%d-%Y")
DATE = re.compile(r"(\d+[-./]\d+[-./]\d+)(?:([ T])(\d+:\d+(?::\d+(?:\.\d{1,6})?)?)(Z?))?")
TIMES = {"": "", ":": "%H:%M", "::": "%H:%M:%S", "::.": "%H:%M:%S.%f"}
ENOUGH = 1000
"""Different values of a column that are tried as dates."""


def number_marks(columns: Iterable[Sequence[str]]) -> Marks:
    """Decimal and thousands mark, by vote of the columns; a column that can be read in two ways does not vote.

    >>> number_marks([["1.234,5", "7"]]), number_marks([["1.234"]])
    (Marks(decimal=',', thousands='.'), Marks(decimal='.', thousands=''))
    """
    readings = [found for column in columns if (found := _readings(column))]
    decimals = [{marks.decimal for marks in found} for found in readings]
    decimal = _most(decimal for found in decimals if len(found) == 1 for decimal in found)
    # Once the decimal mark is known, "1.234" beside "0,5" has one reading left.
    groups = [{marks.thousands for marks in found if decimal in (None, marks.decimal)} for found in readings]
    thousands = _most(mark for found in groups if len(found) == 1 for mark in found if mark)
    return Marks(decimal or ".", thousands or "")


def date_format(columns: Iterable[Sequence[str]]) -> str | None:
    """The format most columns of dates agree on; none when day and month cannot be told apart.

    >>> date_format([["31.12.1999", "01.02.2003"]]), date_format([["01/02/2003"]])
    ('%d.%m.%Y', None)
    """
    votes = Counter(form for form in date_formats(columns) if form)
    return votes.most_common(1)[0][0] if votes else None


def date_formats(columns: Iterable[Sequence[str]]) -> list[str | None]:
    """The format of the dates of each column; none where most values are no dates, or day and month look alike.

    >>> date_formats([["31.12.1999"], ["1999-12-31 10:30"], ["1999-12-31T10:30Z"], ["01/02/2003"], ["Ada"]])
    ['%d.%m.%Y', '%Y-%m-%d %H:%M', '%Y-%m-%dT%H:%MZ', None, None]
    """
    return [_format(column[:ENOUGH]) for column in columns]


def _format(column: Sequence[str]) -> str | None:
    found = [match for value in column if (match := DATE.fullmatch(value))]
    if not found or len(found) * 2 <= len(column):
        return None
    formats = [form for form in DATES if all(is_date(match[1], form) for match in found)]
    clocks = {_clock(match) for match in found}
    return formats[0] + clocks.pop() if len(formats) == len(clocks) == 1 else None


def _clock(match: re.Match[str]) -> str:
    """How the time of day is written behind a date; Z is the zone of Greenwich, which is not computed with."""
    _, between, time, zone = match.groups(default="")
    return between + TIMES["".join(re.findall("[:.]", time))] + zone


def _readings(column: Sequence[str]) -> set[Marks]:
    """The ways to write numbers that nearly all marked numbers of the column fit; none unless most are numbers."""
    shapes = Counter(_shapes(column))
    fits = {shape: found for shape in shapes if (found := {m for m in POINT + COMMA if _fits(shape, m)})}
    marked = {shape for shape in fits if re.search(r"[., ']", shape)}
    if not marked or sum(shapes[shape] for shape in fits) * 2 <= shapes.total():
        return set()
    nearly_all = 0.95 * sum(shapes[shape] for shape in marked)
    return {m for m in POINT + COMMA if sum(shapes[s] for s in marked if m in fits[s]) >= nearly_all}


def _shapes(column: Sequence[str]) -> Sequence[str]:
    """What is left of the values when one digit is as good as another; all at once, for there may be many."""
    whole = "\n".join(column)
    if whole.count("\n") != len(column) - 1:  # a line break inside a value, so it is no number: any word will do
        whole = "\n".join(value if "\n" not in value else "x" for value in column)
    # A nought at the front tells a decimal from a group ("0.123"); other noughts only multiply the shapes.
    return re.sub(r"(?<=\d)0", "9", whole.translate(SHAPE)).split("\n")


def _fits(text: str, marks: Marks) -> bool:
    return _grammar(marks).fullmatch(text) is not None


@cache
def _grammar(marks: Marks) -> re.Pattern[str]:
    """A number with these marks; groups are proper triples."""
    point, group = re.escape(marks.decimal), re.escape(marks.thousands)
    grouped = rf"[1-9]\d{{0,2}}(?:{group}\d{{3}})+|" if group else ""
    return re.compile(rf"[+-]?(?:(?:{grouped}\d+)(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?")


def is_date(text: str, form: str) -> bool:
    """Whether a text is a date in this form.

    >>> is_date("29.2.2004", "%d.%m.%Y"), is_date("29.2.2003", "%d.%m.%Y"), is_date("29.2.04", "%d.%m.%Y")
    (True, False, False)
    """
    if form in DATES and (found := _written(form).fullmatch(text)):
        parts = {name: int(part) for name, part in found.groupdict().items()}
        with suppress(ValueError):  # a century more or less does not make the years from 1969 to 2068 leap years
            return bool(date(parts.get("Y", 2000 + parts.get("y", 0)), parts["m"], parts["d"]))  # ten times as fast
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True


@cache
def _written(form: str) -> re.Pattern[str]:
    """A day as this form writes it."""
    digits = {"d": r"\d\d?", "m": r"\d\d?", "y": r"\d\d", "Y": r"\d{4}"}
    parts = re.sub("%(.)", lambda found: f"(?P<{found[1]}>{digits[found[1]]})", form.replace(".", r"\."))
    return re.compile(parts, re.ASCII)


def _most(votes: Iterable[T]) -> T | None:
    """What got most votes; nothing on a tie, for a tie is no evidence."""
    first, *rest = [*Counter(votes).most_common(2), (None, 0)]
    return first[0] if not rest or first[1] > rest[0][1] else None
