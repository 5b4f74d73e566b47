"""Where the table of a sheet lies: below titles, under one or several rows of names, above footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schleier.core.format import Asked
from schleier.core.header import lacks_first
from schleier.formats._cells import Cell, as_text
from schleier.formats._merged import Range
from schleier.formats._titles import TYPED

Rows = Sequence[Sequence[Cell]]
CELLS = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})?")
MOST_HEADERS, MOST_NOTES = 5, 60
"""Rows of names, and rows below a table with the blank ones among them, that are looked for."""
LONG = 40
"""Characters from which on a lonely text below a table is a note."""
NOTE = re.compile(
    r"\s*(?:[*†‡¹²³©°]|\(?\d{1,2}\)|[a-z]\)|(?:source|quelle|note|anm|hinweis|stand|legend|remark|footnote|fußnote"
    r"|erläuterung|zeichenerklärung|copyright|data as of|last update)\w*\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Area:
    """The rows and columns of a table in a sheet, counted from 0; ``last`` and ``right`` are the first beyond it."""

    top: int
    header: int
    last: int
    left: int
    right: int
    below: int = 0
    """Where the notes below the table end; ``last`` or less when there are none."""
    range: str = ""
    """What was asked for."""
    sparse: int = 0
    """Rows at the end that hold hardly anything, while all others do: records, or notes that nothing marks as such."""

    @property
    def names(self) -> int:
        """The row with the names, the last of several."""
        return self.top + self.header - 1


def area_of(rows: Rows, merged: Sequence[Range], asked: Asked) -> Area:
    """The table of a sheet, by what somebody says of its place; the rest is found out."""
    header, cells = asked.header, CELLS.fullmatch(asked.range)
    filled = [[place for place, cell in enumerate(row) if cell != ""] for row in rows]
    end = max((number for number, places in enumerate(filled, 1) if places), default=0)
    if cells is not None:
        top, left, right = int(cells[2]) - 1, _column(cells[1]), _column(cells[3]) + 1
        inside = [[place for place in places if left <= place < right] for places in filled]
        last = min(end, int(cells[4])) if cells[4] else _end(rows, inside, merged, top, end)
        return Area(top, header or 1, max(last, top + (header or 1)), left, right, 0 if cells[4] else end, asked.range)
    least = min(2, max(map(len, filled), default=0))
    first = next((number for number, places in enumerate(filled) if len(places) >= least), 0)
    last = _end(rows, filled, merged, first, end)
    body = [places for places in filled[first:last] if places]
    left, right = min((p[0] for p in body), default=0), max((p[-1] for p in body), default=0) + 1
    if asked.skip is not None:
        header = header or 1
        top = max(0, asked.skip - header + 1)
    elif header is not None:
        top = first
    else:
        top, header = _header([row[left:right] for row in rows[:last]], _moved(merged, left), first)
    return Area(top, header, max(last, top + header), left, right, end, sparse=_sparse(filled[top + header : last]))


def _end(rows: Rows, filled: Sequence[Sequence[int]], merged: Sequence[Range], first: int, end: int) -> int:
    """The first row beyond the table: lonely cells at the end are notes where a gap, a merge or a mark says so."""
    width, few = _width(filled[first:])
    begin = end
    while begin - 1 > first + 1 and len(filled[begin - 1]) <= few and end - begin < MOST_NOTES:
        begin -= 1
    if width < 2 or end - begin >= MOST_NOTES:
        return end
    spread = {low[0] for low, high in merged if low[0] == high[0] and high[1] > low[1]}
    for start in range(begin, end):
        marks = [_is_note(rows[n], filled[n], n in spread) for n in range(start, end) if filled[n]]
        if all(marks) or (not filled[start] and (any(marks) or len(marks) == 1)):
            return next(n for n in range(start, first, -1) if filled[n - 1])
    return end


def _width(filled: Sequence[Sequence[int]]) -> tuple[int, int]:
    """How many cells rows have, and how many of them are few."""
    width = max((len(places) for places in filled[:MOST_NOTES]), default=0)
    return width, 2 if width >= 5 else 1


def _sparse(filled: Sequence[Sequence[int]]) -> int:
    """How many records at the end have few cells; none where others do, or where these are not a few themselves."""
    width, few = _width(filled)
    sparse = [len(places) <= few for places in filled]
    count = next((number for number, one in enumerate(reversed(sparse)) if not one), len(sparse))
    return count if width > 2 and count < min(MOST_NOTES, len(sparse) / 2) and sum(sparse) == count else 0


def _is_note(row: Sequence[Cell], places: Sequence[int], spread: bool) -> bool:
    cell = row[places[0]]
    return isinstance(cell, str) and (spread or NOTE.match(cell) is not None or len(cell) > LONG)


def _header(rows: Rows, merged: Sequence[Range], first: int) -> tuple[int, int]:
    """The first row of names and how many there are: several where cells are merged, or names repeat without them."""
    if (depth := _merged_header(rows, merged, first)) > 1:
        return first, depth
    if first >= len(rows) or _is_named(rows[first]):
        return first, 1
    for number in range(first + 1, min(first + MOST_HEADERS, len(rows) - 1)):
        if _is_named(rows[number]) and _stands_over_values(rows, number):
            names = [str(cell) for cell in rows[number]]
            if len(set(names)) == len(names):
                return number, 1
            joined = joined_names(rows[number - 1 : number + 1], [])
            return (number - 1, 2) if len(set(joined)) == len(joined) else (first, 1)
    return first, 1


def _merged_header(rows: Rows, merged: Sequence[Range], first: int) -> int:
    """Rows of names as merged cells show them: one more than those that span columns, as many as one spans rows."""
    bottom = first
    for low, high in sorted(merged):
        if first <= low[0] <= bottom:
            bottom = max(bottom, high[0] + (high[1] > low[1]))
    depth = bottom - first + 1
    words = depth <= MOST_HEADERS and bottom < len(rows) - 1
    return depth if words and all(isinstance(cell, str) for row in rows[first : bottom + 1] for cell in row) else 1


def _is_named(row: Sequence[Cell]) -> bool:
    """Whether every cell, but for the first, is a word."""
    names = [cell if isinstance(cell, str) else "0" for cell in row]
    rest = names[1:] if lacks_first(names) else names
    return bool(rest) and all(name.strip() and not TYPED.fullmatch(name.strip()) for name in rest)


def _stands_over_values(rows: Rows, number: int) -> bool:
    """Whether numbers or dates stand below a word: a record of words is no header."""
    below = rows[number + 1 : number + 1 + MOST_NOTES]
    for column in zip(*below, strict=True):
        cells = [cell for cell in column if cell != ""]
        if len(cells) > 1 and all(not isinstance(cell, str) for cell in cells):
            return True
    return False


def joined_names(rows: Rows, merged: Sequence[Range]) -> list[str]:
    """One name for each column from several rows; a merged cell names all its columns, as does one with gaps after it.

    >>> joined_names([["", "income", ""], ["age", "2019", "2020"]], [])
    ['age', 'income 2019', 'income 2020']
    """
    grid = [[as_text(cell, "").strip() for cell in row] for row in rows]
    for low, high in merged:
        for row in range(low[0], high[0] + 1):
            for column in range(low[1], min(high[1] + 1, len(grid[0]))):
                grid[row][column] = grid[low[0]][low[1]] if row == low[0] else ""
    if not merged:
        for cells in grid[:-1]:
            for place in range(1, len(cells)):
                cells[place] = cells[place] or cells[place - 1]
    return [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*grid, strict=True)]


def inside(merged: Sequence[Range], area: Area) -> Iterator[Range]:
    """Merged cells of the header, counted from its first cell."""
    for low, high in _moved(merged, area.left):
        if area.top <= low[0] and high[0] <= area.names and low[1] >= 0:
            yield (low[0] - area.top, low[1]), (high[0] - area.top, high[1])


def _moved(merged: Sequence[Range], left: int) -> list[Range]:
    return [((low[0], low[1] - left), (high[0], high[1] - left)) for low, high in merged]


def _column(letters: str) -> int:
    """The number of a column, counted from 0.

    >>> _column("A"), _column("AA")
    (0, 26)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
