"""Columns of words read letter by letter: marks left out, small letters as capitals, and which words have a form."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
DROPPED = 0
"""What stands for a letter that is left out: no text that is compared holds it."""
_PIECE = re.compile(r"(?P<class>\[[^\]]+\])(?:\{(?P<least>\d+)(?:,(?P<most>\d+))?\}|(?P<sign>[?+]))?")


class Pattern(NamedTuple):
    """Runs of letters, one after another; each takes as many as it can."""

    allowed: NDArray[np.bool_]
    """For each run and byte whether it may stand there."""
    least: Whole
    most: Whole


@lru_cache
def pattern_of(text: str) -> Pattern:
    """A pattern of classes and how often they occur, of ASCII.

    >>> one = pattern_of("[A-Z]{2}[0-9]{2,4}[+]?")
    >>> one.least.tolist(), one.most[:2].tolist(), one.allowed[1, [47, 48, 57]].tolist()
    ([2, 2, 0], [2, 4], [False, True, True])
    """
    pieces = list(_PIECE.finditer(text))
    assert "".join(piece[0] for piece in pieces) == text  # written in the tables of kinds alone
    allowed, least, most = [], [], []
    for piece in pieces:
        allowed.append([byte < 128 and bool(re.match(piece["class"], chr(byte))) for byte in range(256)])
        few = 0 if piece["sign"] == "?" else int(piece["least"] or 1)
        least.append(few)
        most.append({"?": 1, "+": 1 << 31}.get(piece["sign"] or "", int(piece["most"] or few)))
    return Pattern(np.array(allowed), np.array(least, np.int64), np.array(most, np.int64))


def without_form(starts: Whole, data: Bytes, pattern: Pattern) -> int:
    """How many words are not of a pattern.

    >>> starts, data = np.array([0, 3, 6]), np.frombuffer(b"A12AB1", np.uint8)
    >>> without_form(starts, data, pattern_of("[A-Z][0-9]{2}"))
    1
    """
    return int(_without_form(starts, data, *pattern))


def capitals(marks: str) -> Bytes:
    """What becomes of each byte: marks are left out, small letters of ASCII are written large."""
    table = np.arange(256, dtype=np.uint8)
    table[97:123] -= 32
    table[[ord(mark) for mark in marks]] = DROPPED
    return table


def looked_up(rows: Bytes, table: Bytes) -> Bytes:
    """What a table says of each byte.

    >>> looked_up(np.array([[48, 57]], np.uint8), np.arange(256, dtype=np.uint8) // 2).tolist()
    [[24, 28]]
    """
    found = np.empty(rows.shape, np.uint8)
    _look_up(np.ascontiguousarray(rows).reshape(-1), table, found.reshape(-1))
    return found


def rewritten(starts: Whole, data: Bytes, table: Bytes) -> tuple[Whole, Bytes] | None:
    """Words with each byte as the table says, or nothing where all of them stay as they are.

    >>> starts, data = np.array([0, 3, 4]), np.frombuffer(b"a-bC", np.uint8)
    >>> [part.tolist() for part in rewritten(starts, data, capitals("-"))]
    [[0, 2, 3], [65, 66, 67]]
    >>> rewritten(starts, np.frombuffer(b"ABCD", np.uint8), capitals("-"))
    """
    held = data[starts[0] : starts[-1]]
    if _stays(held, table):
        return None
    found_starts, found = np.zeros(len(starts), np.int64), np.empty(len(held), np.uint8)
    _rewrite(starts, data, table, found_starts, found)
    return found_starts, found[: found_starts[-1]]


@unheld
def _without_form(starts: Any, data: Any, allowed: Any, least: Any, most: Any) -> int:
    many = 0
    for i in range(len(starts) - 1):
        at, end, fits = starts[i], starts[i + 1], True
        for run in range(len(least)):
            first = at
            while at < end and at - first < most[run] and allowed[run, data[at]]:
                at += 1
            fits = fits and at - first >= least[run]
        many += not (fits and at == end)
    return many


@unheld
def _look_up(rows: Any, table: Any, found: Any) -> None:
    for i in range(len(rows)):
        found[i] = table[rows[i]]


@unheld
def _stays(data: Any, table: Any) -> bool:
    for letter in data:  # noqa: SIM110  # compiled, this is a plain loop
        if table[letter] != letter:
            return False
    return True


@unheld
def _rewrite(starts: Any, data: Any, table: Any, found_starts: Any, found: Any) -> None:
    at = 0
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            letter = table[data[j]]
            if letter != DROPPED:
                found[at] = letter
                at += 1
        found_starts[i + 1] = at
