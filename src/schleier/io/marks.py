"""Evidence in the values of a text file: how it writes numbers and dates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple

Decimal = Literal[".", ","]
Thousands = Literal["", ".", ",", " ", "'"]


class Marks(NamedTuple):
    """A way to write numbers."""

    decimal: Decimal
    thousands: Thousands


PLAIN = Marks(".", "")
EVERY = (PLAIN, Marks(",", ""), *(Marks(d, t) for d in (".", ",") for t in (".", ",", " ", "'") if d != t))  # type: ignore[arg-type]
# Typesetters write the same two marks with other characters.
SAME = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2019": "'", **dict.fromkeys("12345678", "9")})

DATES = ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d")
TIMES = {"": "", ":": "%H:%M", "::": "%H:%M:%S", "::.": "%H:%M:%S.%f"}
DATE = re.compile(r"(\d+[-./]\d+[-./]\d+)(?:([ T])(\d+:\d+(?::\d+(?:\.\d{1,6})?)?))?")
ENOUGH = 1000
"""Different values of a column that are tried as dates."""


def number_marks(columns: Sequence[AbstractSet[str]]) -> Marks:
    """Decimal and thousands mark, by vote of the columns; a column that can be read in two ways does not vote.

    >>> number_marks([{"1.234,5", "7"}]), number_marks([{"1.234"}])
    (Marks(decimal=',', thousands='.'), Marks(decimal='.', thousands=''))
    """
    fitting = [fits for column in columns if (fits := _fitting(column))]
    decimals = [{marks.decimal for marks in fits} for fits in fitting]
    decimal: Decimal | None = _winner([*found][0] for found in decimals if len(found) == 1)
    groups = []
    for fits in fitting:
        # Once the decimal mark is known, "1.234" beside "0,5" has one reading left.
        left = {marks.thousands for marks in fits if decimal in (None, marks.decimal)}
        if len(left) == 1:
            groups.extend(left)
    thousands: Thousands = _winner(mark for mark in groups if mark) or ""
    chosen = decimal or PLAIN.decimal
    return Marks(chosen, thousands if thousands != chosen else "")


def date_format(columns: Sequence[AbstractSet[str]]) -> str | None:
    """The format most columns of dates agree on; none when day and month cannot be told apart.

    >>> date_format([{"31.12.1999", "01.02.2003"}]), date_format([{"01/02/2003"}])
    ('%d.%m.%Y', None)
    """
    votes = []
    for column in columns:
        found = [m for value in islice(column, ENOUGH) if (m := DATE.fullmatch(value))]
        if len(found) * 2 <= min(len(column), ENOUGH):
            continue
        times = {"".join(re.findall("[:.]", m[3] or "")) for m in found}
        gaps = {m[2] or "" for m in found}
        formats = [date for date in DATES if all(_is_date(m[1], date) for m in found)]
        if len(formats) == len(times) == len(gaps) == 1:
            votes.append(formats[0] + gaps.pop() + TIMES[times.pop()])
    return _winner(votes)
