"""Merged cells of an OpenDocument sheet, of which the reader of workbooks tells nothing."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Tree

Range = tuple[tuple[int, int], tuple[int, int]]
"""Row and column of the first and the last cell, counted from 0."""
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"


def merged_in(path: Path, sheet: str) -> list[Range]:
    """The merged ranges of a sheet."""
    with zipfile.ZipFile(path) as archive, archive.open("content.xml") as stream:
        row = 0
        inside = False
        found: list[Range] = []
        for event, element in Tree.iterparse(stream, ("start", "end")):
            if element.tag == f"{TABLE}table":
                inside = event == "start" and element.get(f"{TABLE}name") == sheet
            elif element.tag == f"{TABLE}table-row" and event == "end":
                if inside:
                    found.extend(_merged(element, row))
                    row += _number(element, "number-rows-repeated")
                element.clear()
        return found


def _merged(element: Tree.Element, row: int) -> Iterator[Range]:
    column = 0
    for cell in element:
        rows, columns = _number(cell, "number-rows-spanned"), _number(cell, "number-columns-spanned")
        if rows > 1 or columns > 1:
            yield (row, column), (row + rows - 1, column + columns - 1)
        column += _number(cell, "number-columns-repeated")


def _number(element: Tree.Element, name: str) -> int:
    return int(element.get(f"{TABLE}{name}", "1"))
