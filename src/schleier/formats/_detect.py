"""Finds out how a text file is written, from a bounded sample; where the sample is silent the default stands."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from schleier.core.schema import Layout
from schleier.formats._evidence import date_format, number_marks
from schleier.formats._titles import Record, is_header, title_of

if TYPE_CHECKING:
    from _csv import Reader

SAMPLE = 1 << 19
"""Bytes read from the beginning of the file: more cost a tenth of the time of reading a million rows."""
GLANCE = 1 << 16
"""Characters that show which separators are worth trying on the whole sample."""
DELIMITERS = ("\t", ";", "|", ",")
"""In order of trust: a comma is also a decimal mark and a common character of names, so it comes last."""
# The longer mark first: the first two bytes of UTF-32 are the mark of UTF-16.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

Rows = list[list[str]]


def layout_of(sample: bytes, whole: bool = True) -> Layout:
    """The layout a sample supports; ``whole`` when it is the entire file, otherwise its last row is ignored.

    >>> found = layout_of(b"name;pay\\nAda;1.234,50\\n")
    >>> found.delimiter, found.decimal, found.thousands
    (';', ',', '.')
    """
    encoding = encoding_of(sample)
    delimiter, quote, rows, skip = separators(decode_sample(sample, encoding), whole)
    width = len(rows[0]) if rows else 0
    columns = [_values(column) for column in zip(*(row for row in rows[1:] if len(row) == width), strict=True)]
    decimal, thousands = number_marks(columns)
    return Layout(
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        date=date_format(columns) or Layout().date,
        skip=skip,
    )


def sample_of(path: Path) -> tuple[bytes, bool]:
    """The beginning of a file, and whether that is all of it."""
    with path.open("rb") as stream:
        sample = stream.read(SAMPLE)
        return sample, not stream.read(1)


def encoding_of(sample: bytes) -> str:
    """The encoding: what the byte order mark says, else UTF-8 if the bytes allow it, else what Windows writes.

    >>> encoding_of("Köln".encode()), encoding_of("Köln".encode("cp1252")), encoding_of(b"\\x81")
    ('utf-8', 'cp1252', 'latin-1')
    """
    for mark, name in BYTE_ORDER_MARKS:
        if sample.startswith(mark):
            return name
    for name in ("utf-8", "cp1252"):
        try:
            decode_sample(sample, name)
        except UnicodeDecodeError:
            continue
        return name
    return "latin-1"


def decode_sample(sample: bytes, encoding: str) -> str:
    """The sample as text; a character cut in two at the end is left out."""
    return codecs.getincrementaldecoder(encoding)().decode(sample)


def separators(text: str, whole: bool) -> tuple[str, str, Rows, int]:
    """Delimiter, quote character, the rows they give, and lines above the header: what makes rows as wide as it.

    >>> separators("a;b\\n1,5;2,5\\n", whole=True)[:2]
    (';', '"')
    """
    best = _quickly(text, whole) or _best(text, whole)
    if best is not None and best.share > 0.5 and is_header(best.rows[0]):
        blank = len(text) - len(text.lstrip("\r\n"))
        return best.delimiter, best.quote, best.rows, len(text[:blank].splitlines())
    titled = max(_titled(text, whole), key=lambda found: found[0], default=None)
    if titled is not None and titled[0] > 0.5:
        return titled[1:]
    if best is not None and best.share > 0.5:
        return best.delimiter, best.quote, best.rows, 0
    # One column. Its values may hold commas, then a comma is no delimiter.
    plain = Layout()
    rows = _rows(text, plain.delimiter, plain.quote, whole)
    delimiter = plain.delimiter if all(len(row) == 1 for row in rows) else ";"
    return delimiter, plain.quote, _rows(text, delimiter, plain.quote, whole), 0


class _Reading(NamedTuple):
    """A way to read a text as a table, and how many rows are as wide as the first."""

    share: float
    delimiter: str
    quote: str
    rows: Rows


def _reading(text: str, delimiter: str, quote: str, whole: bool) -> _Reading:
    rows = _rows(text, delimiter, quote, whole)
    width = len(rows[0]) if rows else 0
    share = sum(len(row) == width for row in rows) / len(rows) if width > 1 else 0.0
    return _Reading(share, delimiter, quote, rows)


def _best(text: str, whole: bool) -> _Reading | None:
    """The first of the best readings."""
    best: _Reading | None = None
    for quote in _quotes(text):
        for delimiter in _delimiters(text):
            found = _reading(text, delimiter, quote, whole)
            if best is None or found.share > best.share:
                best = found
        if best is not None and best.share == 1:
            break
    return best


def _quickly(text: str, whole: bool) -> _Reading | None:
    """The same answer at a fifth of the cost: what fits a whole text fits its beginning, so try that first."""
    if len(text) < 4 * GLANCE:
        return None
    glance = _best(text[:GLANCE], whole=False)
    if glance is None or glance.share < 1 or len(glance.rows) < 2:
        return None
    found = _reading(text, glance.delimiter, glance.quote, whole)
    return found if found.share == 1 else None


def _titled(text: str, whole: bool) -> Iterator[tuple[float, str, str, Rows, int]]:
    """Every reading with lines above the header, with the share of rows that are as wide as the header."""
    for quote in _quotes(text):
        for delimiter in _delimiters(text):
            found = _records(text, delimiter, quote, whole)
            skip, share = title_of(found)
            if share:
                yield share, delimiter, quote, [row for line, row in found if line > skip and row], skip


def records(lines: Iterable[str], delimiter: str, quote: str) -> Reader:
    """The records of a text, whose lines must keep their ends.

    >>> list(records(['a;"b\\n', 'c"\\n'], ";", '"'))
    [['a', 'b\\nc']]
    """
    if quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=quote)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)


def _quotes(text: str) -> Iterator[str]:
    """Quote characters worth trying, the likely one first."""
    header = text.lstrip().split("\n", 1)[0].strip()
    single = len(header) > 1 and header[0] == header[-1] == "'"
    # A character that does not occur quotes nothing, just as none does: the first of those is enough.
    different = dict[str, str]()
    for quote in ("'", '"', "") if single else ('"', "", "'"):
        different.setdefault(quote if quote in text else "", quote)
    yield from different.values()


def _delimiters(text: str) -> Iterator[str]:
    """Delimiters worth trying: without one in the text there is one column, which takes no reading to know."""
    return (delimiter for delimiter in DELIMITERS if delimiter in text)


def _rows(text: str, delimiter: str, quote: str, whole: bool) -> Rows:
    """The rows of the text that are not blank."""
    return [row for _, row in _records(text, delimiter, quote, whole) if row]


def _records(text: str, delimiter: str, quote: str, whole: bool) -> list[Record]:
    """The records of the text, blank ones too, each with the number of its last line."""
    found: list[Record] = []
    reader = records(io.StringIO(text, newline=""), delimiter, quote)
    try:
        found.extend((reader.line_num, row) for row in reader)
    except csv.Error:
        # A field beyond the reader's limit: the rows before it must do.
        return found
    return found if whole or len(found) < 2 else found[:-1]


def _values(column: Iterable[str]) -> list[str]:
    """The different values of a column, in file order, so that the answer never depends on hashing."""
    return [value for value in dict.fromkeys(map(str.strip, column)) if value]
