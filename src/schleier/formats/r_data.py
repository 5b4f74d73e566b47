"""R: data frames that were saved with ``save`` or ``saveRDS``, read only; one becomes a Parquet file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from schleier.core.dictionary import Entry
from schleier.core.errors import DataError, Problem, Problems, SchleierError, stop
from schleier.core.format import NOTHING, Asked, Format
from schleier.core.limits import UNPACKED, most_unpacked, refuse_size
from schleier.formats._checks import check_file, check_names
from schleier.formats._inside import PIECE, place_for, writing
from schleier.formats._r_frames import columns_of, entries_of, has_row_names, objects_of, table_of
from schleier.formats._r_stream import Stream, Thing, Unreadable

MARKS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
SAVED, ONE = (b"RDX2\n", b"RDX3\n"), b"X\n"
"""How a file of several objects begins, and one of a single object; both are packed as a rule."""
SHOWN = 20


class RData(Format):
    """Data frames of R, ``.rda``, ``.RData`` and ``.rds``; ``data.rda::people`` names one where there are several.

    Labels of columns and values, ordered factors and dates are understood. Nothing of R is run.
    """

    name = "r_data"
    suffixes = (".rda", ".rdata", ".rds")
    reading = "unwrap"
    parts = True
    explains = True

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write a data frame as Parquet into ``folder``."""
        import pyarrow.parquet as pq

        columns, found = _columns(path, part), Problems()
        try:
            table = table_of(columns, found)
        except (ValueError, TypeError, AttributeError, IndexError):  # of a stream that only looks like a data frame
            table = None
        if table is None:
            raise _damaged(path)
        found.raise_as(DataError)
        place = place_for(folder, f"{path.stem}.parquet")
        with writing(place):
            pq.write_table(table, place)
        return place

    def dictionary(self, path: Path, part: str = "") -> dict[str, Entry]:
        """Labels, and which categories have an order."""
        return dict(entries_of(_columns(path, part)))

    def extras(self, path: Path, part: str = "") -> tuple[str, ...]:
        """Other objects, and names of rows."""
        objects = _objects(path)
        name, found = _meant(objects, path, part)
        others = tuple(other for other in objects if other != name)
        return (*others, "row names") if has_row_names(found) else others


def _columns(path: Path, part: str) -> dict[str, Thing]:
    """The columns of the data frame that is meant."""
    columns = columns_of(_meant(_objects(path), path, part)[1])
    check_names([name for name, _ in columns], str(path))
    return dict(columns)


def _meant(objects: dict[str, Thing], path: Path, part: str) -> tuple[str, Thing]:
    """The data frame that is named, or the only one."""
    frames = {name: thing for name, thing in objects.items() if columns_of(thing)}
    if not frames:
        message = "the file holds no data frame of R, and no matrix whose columns have names"
        stop(DataError, "no-frame", str(path), message, "save a data frame in R: saveRDS(as.data.frame(x), FILE)")
    if part in frames or (len(frames) == 1 and not part):
        name = part or next(iter(frames))
        return name, frames[name]
    names = ", ".join([*frames][:SHOWN]) + (" ..." if len(frames) > SHOWN else "")
    if part:
        message, hint = f"there is no data frame '{part}' in the file", f"there are: {names}"
        raise DataError(Problem("unknown-part", str(path), message, hint))
    hint = f"name one, {path.name}::{next(iter(frames))} for example; there are: {names}"
    raise DataError(Problem("several-parts", str(path), "the file holds several data frames", hint))


def _objects(path: Path) -> dict[str, Thing]:
    """All objects of a file by name; a single one has none."""
    check_file(path)
    try:
        data = _unpacked(path)
        if data.startswith(SAVED):
            return objects_of(Stream(data[len(SAVED[0]) :], _most(data)).read())
        if data.startswith(ONE):
            return {"": Stream(data, _most(data)).read()}
        why = "text" if data.startswith((b"A\n", b"A\r", b"RDA")) else ""
    except (SchleierError, MemoryError):
        raise
    except Unreadable as error:
        why = str(error)
    except Exception:  # a broken stream fails in many ways; what is in the error may quote it
        why = ""
    if why == "function":
        message = "the file holds functions of R beside data, which are not read"
        problem = Problem("no-frame", str(path), message, "save the data frame alone: saveRDS(x, FILE)")
    elif why:
        message = "the file was saved in a form of R that is not read (as text, or by a very old or new version)"
        problem = Problem("broken-file", str(path), message, "save it again in R: saveRDS(x, FILE)")
    else:
        raise _damaged(path)
    raise DataError(problem)


def _most(data: bytes) -> int:
    """Values that a short form may stand for."""
    return most_unpacked(len(data)) // 8


def _unpacked(path: Path) -> bytes:
    """The bytes of a file, whatever it is packed with; stops when more comes out than may."""
    most = most_unpacked(path.stat().st_size)
    with path.open("rb") as stream:
        opened = MARKS.get(stream.read(2))
    content = io.BytesIO()
    with opened(path, "rb") if opened else path.open("rb") as source:
        _copy(source, content, most, path)
    return content.getvalue()


def _copy(source: IO[bytes], content: io.BytesIO, most: int, path: Path) -> None:
    while piece := source.read(PIECE):
        content.write(piece)
        refuse_size(DataError, str(path), "the bytes that come out of it are at least", content.tell(), most, UNPACKED)


def _damaged(path: Path) -> DataError:
    message = "this file of R cannot be read: it is damaged, cut short, or something else under this name"
    return DataError(Problem("broken-file", str(path), message, "get a fresh copy, or save it again in R"))
