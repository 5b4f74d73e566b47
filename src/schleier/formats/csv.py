"""CSV: text with a layout, read by the engine and written from Arrow batches."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.encoding import codec_name
from schleier.core.errors import DataError, Problem, WriteError, stop
from schleier.core.format import Format, Kind, Remark
from schleier.core.guard import MARK, unguarded
from schleier.core.header import lacks_first, named
from schleier.core.schema import Layout
from schleier.formats._checks import check_file, check_names
from schleier.formats._detect import layout_of, records, sample_of
from schleier.formats._render import check_types, header_line, text_lines

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column

LONGEST = 1 << 24
"""Characters of the longest header that is read: a file without a line break is no CSV."""
CELLS = 1 << 22
"""Fields rendered at once, which bounds the memory for wide tables."""


class Csv(Format):
    """Delimited text files.

    >>> import tempfile, pyarrow as pa
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> batch = pa.record_batch({"name": ["Ada", None], "pay": [1234.5, 0.25]})
    >>> Csv().write([batch], batch.schema, path, Layout(delimiter=";", decimal=","))
    >>> print(path.read_text(), end="")
    name;pay
    Ada;1234,5
    ;0,25
    >>> Csv().detect(path).decimal, Csv().header(path)
    (',', {'name': 'text', 'pay': 'text'})
    """

    name = "csv"
    suffixes = (".csv", ".txt", ".tsv")
    reading = "parse"
    writes = True
    guard = MARK

    def detect(self, path: Path) -> Layout:
        """How the file is written, from its beginning; what the sample does not show keeps the default."""
        check_file(path)
        try:
            return layout_of(*sample_of(path))
        except UnicodeDecodeError as error:
            problem = _broken(path, error.encoding)
        raise DataError(problem)  # outside the handler: the decoder's error carries the bytes

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> dict[str, Kind]:
        """Names of the columns; no row is read, and all text is text until a schema says more."""
        check_file(path)
        layout = layout or self.detect(path)
        names = named(_names(path, layout))
        if not any(name.strip() for name in names):
            stop(DataError, "unnamed-columns", str(path), f"line {layout.skip + 1} holds no column names")
        check_names(names, str(path), layout.skip + 1)
        return dict.fromkeys(names, "text")

    def remarks(self, path: Path, layout: Layout | None = None, part: str = "") -> tuple[Remark, ...]:
        """That there is a title, or that the first column has no name."""
        layout = layout or self.detect(path)
        names, told = _names(path, layout), list[Remark]()
        if any(line.strip(f"{layout.delimiter} \r\n") for line in _title(path, layout)):
            told.append(Remark("title", {"n": layout.skip}))
        if lacks_first(names):
            told.append(Remark("row_number", {"column": named(names)[0]}))
        return tuple(told)

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write batches to a new file; missing is an empty field, an empty text is ``""``, no thousands marks."""
        layout = layout or Layout()
        check_types(schema)
        encoding = codec_name(layout.encoding)
        encoder = codecs.getincrementalencoder(encoding)()
        rows = max(1, CELLS // len(schema))
        try:
            with path.open("wb") as stream:
                stream.write(encoder.encode(header_line(schema, layout)))
                for batch in batches:
                    for start in range(0, batch.num_rows, rows):
                        text = text_lines(batch.slice(start, rows), layout)
                        # Plain UTF-8 is what Arrow holds: no detour through Python strings.
                        stream.write(text if encoding == "utf-8" else encoder.encode(str(text, "utf-8")))
                        stream.write(encoder.encode("\n"))
        except UnicodeEncodeError:
            message = f"some characters cannot be written in {layout.encoding}"
            problem = Problem("not-encodable", str(path), message, "write utf-8")
            raise WriteError(problem) from None  # the error itself carries the text


def _names(path: Path, layout: Layout) -> list[str]:
    """The fields of the header."""
    encoding = codec_name(layout.encoding)
    # The mark of UTF-8 is skipped even where plain UTF-8 was declared.
    with path.open(encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="") as stream:
        try:
            bounded = islice(iter(lambda: stream.readline(LONGEST), ""), layout.skip, None)
            names = next(records(bounded, layout.delimiter, layout.quote), [])
        except UnicodeError:
            problem = _broken(path, encoding)
        except csv.Error:
            problem = Problem("malformed-rows", str(path), f"line {layout.skip + 1} is no header", "declare the layout")
        else:
            if not any("\0" in name for name in names):
                return [unguarded(name, layout.guard) for name in names]
            problem = _broken(path, encoding)
    raise DataError(problem)  # outside the handler: the decoder's error carries the bytes


def _title(path: Path, layout: Layout) -> list[str]:
    """The lines above the header."""
    with path.open(encoding=codec_name(layout.encoding), newline="") as stream:
        return list(islice(iter(lambda: stream.readline(LONGEST), ""), layout.skip))


def _broken(path: Path, encoding: str) -> Problem:
    message = f"the beginning of the file is not {encoding} text"
    return Problem("broken-encoding", str(path), message, "declare the encoding in the layout of the schema")
