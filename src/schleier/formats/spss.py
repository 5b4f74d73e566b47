"""SPSS: system files with their dictionary, plain or compressed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problems, WriteError, stop
from schleier.formats._clocks import SPSS
from schleier.formats._frames import Sheet, in_bytes, overwrite, pandas_frame, sheets, write_frame
from schleier.formats._packages import Package
from schleier.formats._spss_natures import nature_of
from schleier.formats._variables import Nature, number_of

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column, Layout

NAME = re.compile(r"[^\W\d_](?:[\w.@#$]*[\w@#$])?")
RESERVED = frozenset("ALL AND BY EQ GE GT LE LT NE NOT OR TO WITH".split())
ENCRYPTED = b"ENCRYPTEDSAV"
MEASURES = {"nominal": "nominal", "ordinal": "ordinal", "place": "nominal", "text": "nominal"}
LONGEST, TITLE, LABEL, CODE = 32_767, 255, 120, 8
"""Bytes of a text, of the label of a variable, of the label of a value, and of a text that says why one is missing."""
DATED = 92
"""Where the header says when the file was made: nine characters for the day, eight for the time."""


class Spss(Package):
    """System files of SPSS, ``.sav`` and ``.zsav``.

    >>> import tempfile, pyarrow as pa
    >>> path = Path(tempfile.mkdtemp()) / "people.sav"
    >>> batch = pa.record_batch({"age": [30, 41]})
    >>> Spss().write([batch], batch.schema, path)
    >>> Spss().header(path), next(Spss().batches(path)).to_pydict()
    ({'age': 'integer'}, {'age': [30, 41]})
    """

    name = "spss"
    suffixes = (".sav", ".zsav")
    writes = True
    exact = False
    title = "SPSS"
    clock = SPSS

    def nature(self, storage: str, form: str) -> Nature:
        """Dates by their format; see ``nature_of``."""
        return nature_of(storage, form)

    def ability(self, path: Path) -> str:
        """Both endings are read alike."""
        return "read_sav"

    def options(self, path: Path, *, tags: bool) -> dict[str, Any]:
        """Codes for missing are always told: whether they are gaps is decided here."""
        return {"user_missing": True}

    def check(self, path: Path) -> None:
        """A file with a password says so at its beginning."""
        super().check(path)
        with path.open("rb") as stream:
            begin = stream.read(32)
        if ENCRYPTED in begin:
            hint = "open it in SPSS and save it without a password"
            stop(DataError, "encrypted", str(path), "this SPSS file is protected by a password", hint)

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write all rows with labels, measures and declared gaps; compressed."""
        found = Problems()
        written = sheets(batches, schema, columns, self.clock, found)
        for sheet in written:
            _check(sheet, found)
        ranges = {sheet.name: _ranges(sheet, found) for sheet in written}
        found.raise_as(WriteError)
        packed = path.suffix.lower() == ".zsav"
        write_frame(
            "write_sav",
            pandas_frame({sheet.name: sheet.values for sheet in written}),
            path,
            column_labels={sheet.name: in_bytes(sheet.title, TITLE) for sheet in written if sheet.title},
            variable_value_labels={sheet.name: labels for sheet in written if (labels := _labels(sheet))},
            missing_ranges={name: gaps for name, gaps in ranges.items() if gaps},
            variable_measure={s.name: MEASURES.get(s.scale, "scale") for s in written},
            variable_format={s.name: _format(s) for s in written if s.kind != "text"},
            compress=packed,
            row_compress=not packed,
        )
        overwrite(path, DATED, b"01 Jan 8000:00:00")


def _check(sheet: Sheet, found: Problems) -> None:
    name = sheet.name
    if not NAME.fullmatch(name) or len(name.encode()) > 64 or name.upper() in RESERVED:
        message = f"'{name}' is no name for a variable of SPSS"
        hint = "begin with a letter, no blanks, at most 64 bytes: rename the column, or release another format"
        found.add("bad-name", name, message, hint)
    if sheet.longest > LONGEST:
        message = f"column '{name}' holds texts of more than {LONGEST} bytes, which SPSS cannot hold"
        found.add("too-long", name, message, "drop it, or release another format")


def _format(sheet: Sheet) -> str:
    """How SPSS shows the numbers; whole numbers as wide as they are."""
    if sheet.kind in ("date", "time"):
        return "DATE11" if sheet.kind == "date" else "DATETIME24.3"
    decimals = 0 if sheet.whole else 2 if sheet.decimals is None else sheet.decimals
    return f"F{max(8, sheet.width + decimals + 1 if decimals else sheet.width)}.{decimals}"


def _labels(sheet: Sheet) -> dict[Any, str]:
    """Labels by values of the type of the column."""
    if sheet.kind == "text":
        return {code: in_bytes(label, LABEL) for code, label in sheet.labels.items()}
    found = {number_of(code): in_bytes(label, LABEL) for code, label in sheet.labels.items()}
    return {code: label for code, label in found.items() if code is not None}


def _ranges(sheet: Sheet, found: Problems) -> list[Any]:
    """Reasons as SPSS declares gaps: up to three values, or a range and one value."""
    import numpy as np

    if sheet.kind == "text":
        words = [str(code) for code in sheet.reasons]
        if len(words) > 3 or any(len(word.encode()) > CODE for word in words):
            message = f"column '{sheet.name}' has more reasons than SPSS takes for text: three of {CODE} bytes each"
            found.add("too-many-reasons", sheet.name, message, 'list the others under "missing"')
            return []
        return words
    codes = sorted({number for code in sheet.reasons if (number := number_of(code)) is not None})
    if len(codes) <= 3:
        return list(codes)
    labelled = [number for code in sheet.labels if (number := number_of(code)) is not None]
    others = np.setdiff1d([*np.unique(sheet.values), *labelled], codes)
    for first, last, single in ((0, -1, None), (1, -1, 0), (0, -2, -1)):
        low, high = codes[first], codes[last]
        if not ((others >= low) & (others <= high)).any():
            return [{"lo": low, "hi": high}, *([] if single is None else [codes[single]])]
    message = f"column '{sheet.name}' has {len(codes)} reasons with other values between them; SPSS takes three"
    found.add("too-many-reasons", sheet.name, message, 'list some of them under "missing"')
    return []
