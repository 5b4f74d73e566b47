"""Lines above a table, such as a title: told from the header only where there is no doubt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from schleier.core.header import lacks_first

Record = tuple[int, list[str]]
"""The fields of a record, and the number of lines of the file up to its end."""

MOST = 40
"""Lines a title may have."""
TYPED = re.compile(r"[+-]?[0-9]+([-.,:/' ][0-9]+)*|[+-]?[.,][0-9]+")
"""Numbers, dates and times of day: what values look like and names do not."""


def title_of(found: Sequence[Record]) -> tuple[int, float]:
    """Lines before the header, and the share of the records after it that are as wide; a share of 0 is no title.

    A header is as wide as most records, names every column, and none of its names looks like a value. Either it
    stands over numbers or dates, or a blank line or one padded with delimiters comes before it: "Name" over
    "Miller,Ann" is no title.

    >>> title_of([(1, ["Persons 2020"]), (2, ["age", "pay"]), (3, ["30", "2500"]), (4, ["41", "3000"])])
    (1, 1.0)
    >>> title_of([(1, ["Name"]), (2, ["Miller", "Ann"]), (3, ["Smith", "Bob"])])
    (0, 0.0)
    """
    width = _width(found)
    place = next((i for i, (_, row) in enumerate(found) if len(row) == width and not _is_padded(row)), None)
    if not place:
        return 0, 0.0
    skip, header = found[place - 1][0], [name.strip() for name in found[place][1]]
    below = [row for _, row in found[place + 1 :] if row]
    fitting = [row for row in below if len(row) == width]
    if skip > MOST or not fitting or not _are_names(header):
        return 0, 0.0
    blank = any(not "".join(row).strip() for _, row in found[:place])
    padded = width > 2 and any(len(row) == width for _, row in found[:place])
    if blank or padded or any(_are_typed(column) for column in zip(*fitting, strict=True)):
        return skip, len(fitting) / len(below)
    return 0, 0.0


def is_header(row: Sequence[str]) -> bool:
    """Whether a first row may name columns: a title that was padded with delimiters, or a blank line, does not.

    >>> is_header(["Persons 2020", "", ""]), is_header(["age", "", "pay"]), is_header(["age"])
    (False, True, True)
    """
    return len(row) == 1 or not _is_padded(row)


def _width(found: Sequence[Record]) -> int:
    """The width most records have that have more than one field; the wider one when in doubt."""
    widths = Counter(len(row) for _, row in found if len(row) > 1)
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _is_padded(row: Sequence[str]) -> bool:
    return sum(bool(field.strip()) for field in row) < 2


def _are_names(header: Sequence[str]) -> bool:
    rest = header[1:] if lacks_first(header) else header
    return len(set(header)) == len(header) and all(name and not TYPED.fullmatch(name) for name in rest)


def _are_typed(column: Sequence[str]) -> bool:
    """Whether nearly all values that are there are numbers or dates."""
    values = [value.strip() for value in column[:1000] if value.strip()]
    return sum(bool(TYPED.fullmatch(value)) for value in values) > 0.9 * len(values)
