"""Fixed widths: a dictionary says which characters of a line are which field."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.dictionary import Entry
from schleier.core.errors import DataError, Problem
from schleier.core.format import NOTHING, Asked, Format
from schleier.formats._checks import check_file
from schleier.formats._detect import encoding_of, sample_of
from schleier.formats._inside import place_for
from schleier.formats._places import Place, field_places

if TYPE_CHECKING:
    import pyarrow as pa

PIECE = 1 << 22
"""Bytes read at once, which bounds the memory."""
SHOWN = 5
"""Lines named in a message."""


class FixedWidth(Format):
    """Lines without delimiters, with a dictionary beside them: ``people.dictionary.csv`` or ``people.dct``.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.dat").write_text("m 30002550\\nf 41003000\\n")
    >>> dictionary = "name,start,width,decimals\\nsex,1,1,\\nage,3,2,\\npay,5,6,2\\n"
    >>> _ = (folder / "people.dictionary.csv").write_text(dictionary)
    >>> print(FixedWidth().unwrap(folder / "people.dat", folder).read_text(), end="")
    "sex","age","pay"
    "m","30","25.50"
    "f","41","30.00"
    """

    name = "fixed_width"
    suffixes = (".dat", ".fwf", ".asc")
    reading = "unwrap"
    explains = True
    parts = True

    def dictionary(self, path: Path, part: str = "") -> dict[str, Entry]:
        """Titles and labels of the dictionary."""
        return {place.name: place.entry for place in field_places(path, part)}

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write the fields as CSV into ``folder``; blanks around a value are dropped, blank fields are empty."""
        import pyarrow as pa
        from pyarrow.csv import CSVWriter

        check_file(path)
        places = field_places(path, part)
        out = place_for(folder, f"{path.stem}.csv")
        schema = pa.schema([(place.name, pa.string()) for place in places])
        short = _Short(max(place.end for place in places))
        with CSVWriter(str(out), schema) as writer:  # its quotes are many, but it is ten times as fast as ours
            for lines in short.among(_lines(path)):
                writer.write_batch(_fields(lines, places))
        short.refuse(path)
        return out


@dataclass
class _Short:
    """Counts the lines that end before their last field does."""

    end: int
    count: int = 0
    lines: list[int] = field(default_factory=list)
    seen: int = 0

    def among(self, pieces: Iterator[pa.StringArray]) -> Iterator[pa.StringArray]:
        """The pieces, looked through on their way; after the first short line they are only looked through."""
        import numpy as np
        import pyarrow.compute as pc

        for lines in pieces:
            bad = np.flatnonzero(pc.utf8_length(lines).to_numpy() - 1 < self.end)  # the line break is no character
            self.lines.extend(int(line) + self.seen + 1 for line in bad[: SHOWN - len(self.lines)])
            self.count += len(bad)
            self.seen += len(lines)
            if not self.count:
                yield lines

    def refuse(self, path: Path) -> None:
        """Stop when there were any."""
        if self.count:
            shown = ", ".join(map(str, self.lines)) + (" ..." if self.count > len(self.lines) else "")
            message = f"{self.count} lines have fewer than {self.end} characters, where the last field ends: {shown}"
            hint = "correct the dictionary, or fill up the lines with blanks"
            raise DataError(Problem("short-lines", str(path), message, hint))


def _fields(lines: pa.StringArray, places: Sequence[Place]) -> pa.RecordBatch:
    """The fields of some lines, whole columns at once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # Where every character is a byte, a field is found without counting characters.
    ascii_only = pc.all(pc.string_is_ascii(lines)).as_py()
    columns = []
    for place in places:
        if ascii_only:
            cut = pc.binary_slice(lines.cast(pa.binary()), place.start - 1, place.end).cast(pa.string())
        else:
            cut = pc.utf8_slice_codeunits(lines, place.start - 1, place.end)
        value = pc.utf8_trim_whitespace(cut)
        columns.append(_pointed(pc.if_else(pc.equal(value, ""), None, value), place.decimals))
    return pa.RecordBatch.from_arrays(columns, names=[place.name for place in places])


def _pointed(value: Any, decimals: int) -> Any:
    """Numbers with the decimal mark that was not written; one that was written stands."""
    import pyarrow.compute as pc

    if not decimals:
        return value
    if pc.all(pc.ascii_is_decimal(value)).as_py():
        digits = pc.ascii_lpad(pc.ascii_ltrim(value, "0"), decimals + 1, "0")
    else:  # signs, marks, words
        padded = pc.replace_substring_regex(value, "^([+-]?)([0-9]+)$", r"\1" + "0" * decimals + r"\2")
        shorter = pc.replace_substring_regex(padded, f"^([+-]?)0*([0-9]{{{decimals + 1},}})$", r"\1\2")
        return pc.replace_substring_regex(shorter, f"^([+-]?[0-9]+)([0-9]{{{decimals}}})$", r"\1.\2")
    return pc.binary_join_element_wise(
        pc.utf8_slice_codeunits(digits, 0, -decimals), pc.utf8_slice_codeunits(digits, -decimals, None), "."
    )


def _lines(path: Path) -> Iterator[pa.StringArray]:
    """The lines of the file in pieces, each line with its break; blank lines at the end are none."""
    import numpy as np
    import pyarrow as pa

    left = b""
    for text, last in _texts(path, _encoding(path)):
        whole = left + text
        written = whole.rstrip(b"\n")
        cut = len(written) if last else written.rfind(b"\n") + 1  # blank lines wait for what follows them, if anything
        piece, left = whole[:cut] + (b"\n" if last and cut else b""), whole[cut:]
        ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == ord("\n")) + 1
        offsets = np.concatenate([[0], ends]).astype(np.int32)
        if len(ends):
            yield pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(piece))


def _texts(path: Path, encoding: str) -> Iterator[tuple[bytes, bool]]:
    """The file as UTF-8 with plain line breaks, piece by piece, and whether it was the last."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            yield decoder.decode(piece).encode(), False
        yield decoder.decode(b"", final=True).encode(), True


def _encoding(path: Path) -> str:
    """The encoding all of the file is in; nobody can declare one, so it is looked through."""
    first = encoding_of(sample_of(path)[0])
    for encoding in (first, "cp1252"):
        try:
            for _ in _texts(path, encoding):
                pass
        except UnicodeError:
            continue
        return encoding
    return "latin-1"  # takes every byte
