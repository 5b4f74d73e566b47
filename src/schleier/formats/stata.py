"""Stata: data files with their labels and extended missing values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import Problems, WriteError
from schleier.formats._clocks import STATA
from schleier.formats._frames import Sheet, overwrite, pandas_frame, sheets, write_frame
from schleier.formats._packages import Package
from schleier.formats._variables import Nature, is_tag, number_of, text_of

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column, Layout

CLOCK = re.compile(r"%-?\d*(?:t(\w)|d)")
FIXED = re.compile(r"%-?\d+[.,]0f")
NAME = re.compile(r"[^\W\d]\w{0,31}")
RESERVED = frozenset(
    "_all _b _coef _cons _n _N _pi _pred _rc _skip _se byte double float if in int long strL using with".split()
)
HEAD, STAMP = 1000, b"<timestamp>"
"""In so many bytes at the beginning stands when the file was made, after this mark and its length."""
BEGIN, END = b"<stata_dta>", b"</stata_dta>"
WHOLE = re.compile(r"0|-?[1-9]\d*")
LOW, HIGH = -2_147_483_647, 2_147_483_620
"""What a whole number of Stata can be."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VERSION, TITLE = 14, 80
"""Stata 14 and later read what is written, with any letter in names; a label of a variable has so many characters."""


class Stata(Package):
    """Data files of Stata, ``.dta``.

    >>> import tempfile, pyarrow as pa
    >>> path = Path(tempfile.mkdtemp()) / "people.dta"
    >>> batch = pa.record_batch({"age": [30, None]})
    >>> Stata().write([batch], batch.schema, path)
    >>> Stata().header(path), next(Stata().batches(path)).to_pydict()
    ({'age': 'integer'}, {'age': [30, None]})
    """

    name = "stata"
    suffixes = (".dta",)
    writes = True
    exact = False
    title = "Stata"
    clock = STATA

    def nature(self, storage: str, form: str) -> Nature:
        """Dates by their format; weeks, months, quarters and half-years stay the whole numbers they are."""
        if storage == "string":
            return Nature("text")
        found = CLOCK.match(form)
        unit = (found[1] or "d") if found else ""
        if unit == "d":
            return Nature("date", STATA.day)
        if unit in ("c", "C"):
            return Nature("time", STATA.second)
        return Nature("integer" if unit or storage.startswith("int") or FIXED.fullmatch(form) else "number")

    def ability(self, path: Path) -> str:
        """There is one ending."""
        return "read_dta"

    def check(self, path: Path) -> None:
        """Files since Stata 13 end with a mark; the library would not miss it, nor what else was cut off."""
        super().check(path)
        with path.open("rb") as stream:
            marked = stream.read(len(BEGIN)) == BEGIN
            stream.seek(max(0, path.stat().st_size - 64))
            if marked and not stream.read().rstrip(b"\0\r\n ").endswith(END):
                raise self.damaged(path)

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write all rows with labels; reasons become extended missing values."""
        found = Problems()
        written = sheets(batches, schema, columns, self.clock, found)
        coded = {}
        for sheet in written:
            _check(sheet, found)
            coded[sheet.name] = _coded(sheet)
        found.raise_as(WriteError)
        write_frame(
            "write_dta",
            pandas_frame({name: code.values for name, code in coded.items()}),
            path,
            version=VERSION,
            column_labels={s.name: _short(s.title) for s in written if s.title},
            variable_value_labels={name: code.labels for name, code in coded.items() if code.labels},
            missing_user_values={name: code.letters for name, code in coded.items() if code.letters},
            variable_format={s.name: form for s in written if (form := _format(s))},
        )
        with path.open("rb") as file:
            place = file.read(HEAD).find(STAMP)
        if place >= 0:
            overwrite(path, place + len(STAMP) + 1, b"01 Jan 1980 00:00")


@dataclass(frozen=True)
class Coded:
    """Values, labels and letters of extended missing values as the library takes them."""

    values: Any
    labels: dict[Any, str] = field(default_factory=dict)
    letters: list[str] = field(default_factory=list)


def _check(sheet: Sheet, found: Problems) -> None:
    name = sheet.name
    if not NAME.fullmatch(name) or name in RESERVED or re.fullmatch(r"str\d+", name):
        message = f"'{name}' is no name for a variable of Stata"
        hint = "letters, digits and underscores, at most 32: rename the column, or release another format"
        found.add("bad-name", name, message, hint)
    if len(sheet.reasons) > len(LETTERS):
        message = f"column '{name}' has {len(sheet.reasons)} reasons, and Stata knows {len(LETTERS)}"
        found.add("too-many-reasons", name, message, 'list some of them under "missing"')


def _coded(sheet: Sheet) -> Coded:
    """Whole numbers as such, reasons as letters; text with labels or reasons becomes numbers where it can."""
    import numpy as np

    tags = _tags(sheet.reasons)
    if sheet.kind in ("date", "time"):
        return Coded(sheet.values)
    if sheet.kind == "text":
        numbers = _codes(sheet, tags)
        return Coded(sheet.values) if numbers is None else Coded(numbers, *_labels(sheet, tags))
    by_number = {number: tag for code, tag in tags.items() if (number := number_of(code)) is not None}
    short = sheet.whole and not ((sheet.values < LOW) | (sheet.values > HIGH)).any()
    if not by_number and (not short or np.isnan(sheet.values).all()):
        return Coded(sheet.values, *_labels(sheet, {}))
    make = int if short and not by_number else float  # Python readers mistake gaps beside letters in whole numbers
    values = [None if isnan(value) else by_number.get(value) or make(value) for value in sheet.values.tolist()]
    return Coded(_objects(values), *_labels(sheet, tags))


def _tags(reasons: Sequence[int | float | str]) -> dict[str, str]:
    """A letter for each reason: its own for ``.a``, the next free one for others."""
    own = {str(code): str(code)[1].lower() for code in reasons if is_tag(code) and str(code)[1] != "_"}
    free = (letter for letter in LETTERS if letter not in own.values())
    others = [text_of(code) for code in reasons if text_of(code) not in own]
    return own | dict(zip(others, free, strict=False))


def _codes(sheet: Sheet, tags: dict[str, str]) -> Any:
    """Text as numbers and letters; none unless it is meant as codes and every value is one."""
    if sheet.scale not in ("nominal", "ordinal") or not (sheet.labels or sheet.reasons):
        return None
    known: dict[str, Any] = {"": None}
    make = float if tags else int
    for word in sheet.values.unique().to_pylist():
        if word in tags:
            known[word] = tags[word]
        elif WHOLE.fullmatch(word) and LOW <= int(word) <= HIGH:
            known[word] = make(word)
        elif word:
            return None
    if all(code is None or isinstance(code, str) for code in known.values()):
        return None
    return _objects([known[word] for word in sheet.values.to_pylist()])


def _labels(sheet: Sheet, tags: dict[str, str]) -> tuple[dict[Any, str], list[str]]:
    """Labels by number or letter, and the letters; a reason without a label is labelled by its code."""
    labels: dict[Any, str] = {}
    for code, label in sheet.labels.items():
        number = number_of(code)
        if code not in tags and number is not None and number == int(number) and LOW <= number <= HIGH:
            labels[int(number)] = label
    labels |= {letter: sheet.labels.get(code, code) for code, letter in tags.items()}
    return labels, [*tags.values()]


def _format(sheet: Sheet) -> str:
    """How Stata shows the values; its own choice where nothing is declared."""
    if sheet.kind in ("date", "time"):
        return "%td" if sheet.kind == "date" else "%tc"
    if sheet.kind == "text":
        return ""
    if sheet.whole:
        return f"%{max(9, sheet.width + 1)}.0f"
    return "" if sheet.decimals is None else f"%{max(9, sheet.width + sheet.decimals + 2)}.{sheet.decimals}f"


def _short(title: str) -> str:
    return title if len(title) <= TITLE else title[: TITLE - 1] + "…"


def _objects(values: list[Any]) -> Any:
    """Numbers beside letters: a frame holds them as they are."""
    import numpy as np

    return np.array(values, dtype=object)
