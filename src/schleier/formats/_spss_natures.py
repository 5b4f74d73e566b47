"""What the formats of SPSS say about a variable, in system files and portable ones."""

from __future__ import annotations

import re

from schleier.formats._clocks import DAY
from schleier.formats._variables import Nature

FORMAT = re.compile(r"([A-Z]+)\d*(?:\.(\d+))?")
DATES = frozenset("DATE ADATE EDATE JDATE SDATE MOYR QYR WKYR".split())
TIMES = frozenset("DATETIME YMDHMS".split())
SPANS = frozenset("TIME DTIME MTIME E".split())


def nature_of(storage: str, form: str) -> Nature:
    """Dates by their format; everything else is a floating number, meant to be whole if shown without decimals.

    >>> nature_of("double", "F8.0"), nature_of("double", "F8.2")
    (Nature(kind='integer', ticks=1), Nature(kind='number', ticks=1))
    """
    found = FORMAT.fullmatch(form)
    word, decimals = (found[1], int(found[2] or 0)) if found else ("", 0)
    if storage == "string":
        return Nature("text")
    if word in DATES:
        return Nature("date", DAY)
    if word in TIMES:
        return Nature("time", 1)
    return Nature("number" if decimals or not word or word in SPANS else "integer")
