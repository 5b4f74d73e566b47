"""SAS: data sets and transport files, read only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from schleier.formats._clocks import DAY, SAS
from schleier.formats._packages import Package
from schleier.formats._variables import Nature

FORMAT = re.compile(r"([A-Z0-9]*[A-Z])\d*(?:\.(\d*))?|(\d+)(?:\.(\d*))?")
DATE = re.compile(
    r"(?:DATE|DAY|WEEKDAT[EX]|WORDDAT[EX]|EURDFD[DE]|NLDATE|JULIAN|JULDAY|MONYY|MMYY|YYMM|YYQ|YYMON|YYQR"
    r"|(?:DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|[BE]8601DA|IS8601DA|MINGUO|YEAR)"
)
TIME = re.compile(r"(?:DATETIME|DATEAMPM|MDYAMPM|EURDFDT|NLDATM|[BE]8601D[TXZ]|IS8601DT)")
DAY_OF_TIME = frozenset("DTDATE DTMONYY DTYEAR DTYYQC DTWKDATX B8601DN E8601DN".split())
"""These show the day of a point in time, which is counted in seconds."""
WHOLE = frozenset("F Z N".split())


class Sas(Package):
    """Data sets of SAS, ``.sas7bdat``, and its transport files, ``.xpt``. SAS alone can write the former.

    >>> Sas().nature("double", "DATE9"), Sas().nature("double", "BEST12")
    (Nature(kind='date', ticks=1), Nature(kind='number', ticks=1))
    """

    name = "sas"
    suffixes = (".sas7bdat", ".xpt")
    title = "SAS"
    clock = SAS

    def nature(self, storage: str, form: str) -> Nature:
        """Dates by their format; everything else is a floating number, meant to be whole if a format says so."""
        if storage == "string":
            return Nature("text")
        found = FORMAT.fullmatch(form.upper())
        word, decimals = ((found[1] or "F"), found[2] or found[4] or "0") if found else ("", "0")
        if word in DAY_OF_TIME:
            return Nature("date", DAY)
        if DATE.fullmatch(word):
            return Nature("date", SAS.day)
        if TIME.fullmatch(word):
            return Nature("time", SAS.second)
        return Nature("integer" if word in WHOLE and int(decimals) == 0 else "number")

    def ability(self, path: Path) -> str:
        """Two formats under one name."""
        return "read_xport" if path.suffix.lower() == ".xpt" else "read_sas7bdat"

    def options(self, path: Path, *, tags: bool) -> dict[str, Any]:
        """Transport files do not tell kinds of missing apart."""
        return {} if path.suffix.lower() == ".xpt" else super().options(path, tags=tags)
