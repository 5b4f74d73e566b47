"""Cells of a sheet as spreadsheets write them."""

from __future__ import annotations

CELLS = r"^(\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}:\$?[A-Za-z]{1,3}(\$?[1-9][0-9]{0,6})?)?$"
"""A range such as B4:H200; the last row may be left open, and nothing is no range."""


def plain_cells(text: str) -> str:
    """A range without the marks that formulas need.

    >>> plain_cells("$b$4:h200")
    'B4:H200'
    """
    return text.replace("$", "").upper()
