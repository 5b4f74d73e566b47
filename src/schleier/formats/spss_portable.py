"""SPSS: portable files, the exchange format of older versions, read only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schleier.formats._clocks import SPSS
from schleier.formats._packages import Package
from schleier.formats._spss_natures import nature_of
from schleier.formats._variables import Nature


class SpssPortable(Package):
    """Portable files of SPSS, ``.por``. They do not count their rows, and declared codes for missing are gaps.

    >>> SpssPortable().nature("double", "DATE11").kind, SpssPortable().suffixes
    ('date', ('.por',))
    """

    name = "spss_portable"
    suffixes = (".por",)
    title = "portable SPSS"
    clock = SPSS
    instead = "spss"

    def nature(self, storage: str, form: str) -> Nature:
        """As in the system files of SPSS."""
        return nature_of(storage, form)

    def ability(self, path: Path) -> str:
        """There is one ending."""
        return "read_por"

    def options(self, path: Path, *, tags: bool) -> dict[str, Any]:
        """The library takes none: codes for missing come as gaps."""
        return {}
