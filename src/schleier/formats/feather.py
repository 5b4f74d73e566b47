"""Arrow IPC, also called Feather: what other programs hand over from memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problem, stop
from schleier.core.format import Format, Kind, Remark
from schleier.formats._checks import check_file
from schleier.formats._extras import entries
from schleier.formats._kinds import kinds_of, remarks_on

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column, Layout, Schema

FILE, FIRST_VERSION = b"ARROW1", b"FEA1"


class Feather(Format):
    """Arrow IPC in its file and its stream form, compressed or not.

    >>> import tempfile, pyarrow as pa
    >>> path = Path(tempfile.mkdtemp()) / "people.feather"
    >>> batch = pa.record_batch({"age": [30, 41]})
    >>> Feather().write([batch], batch.schema, path)
    >>> [part.num_rows for part in Feather().batches(path)]
    [2]
    """

    name = "feather"
    suffixes = (".feather", ".arrow", ".ipc")
    reading = "batches"
    writes = True

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> dict[str, Kind]:
        """Names of the columns and their kinds; no batch is read."""
        with _opened(path) as reader:
            return kinds_of(reader.schema, path)

    def batches(self, path: Path, described: Schema | None = None, part: str = "") -> Iterator[pa.RecordBatch]:
        """The batches in file order, each checked: a false offset would read foreign memory."""
        with _opened(path) as reader:
            kinds_of(reader.schema, path)
            for batch in _parts(reader):
                batch.validate(full=True)
                yield batch

    def remarks(self, path: Path, layout: Layout | None = None, part: str = "") -> tuple[Remark, ...]:
        """That labels of rows are left out."""
        with _opened(path) as reader:
            return remarks_on(reader.schema)

    def extras(self, path: Path, part: str = "") -> tuple[str, ...]:
        """Entries beside the types of the columns."""
        with _opened(path) as reader:
            return entries(reader.schema)

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write batches to a new file, in the order they come."""
        import pyarrow as pa

        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema, options=options) as writer:
            for batch in batches:
                writer.write_batch(batch)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A reader of either form; whatever the library says of a damaged file becomes one plain problem."""
    import pyarrow as pa

    check_file(path)
    with path.open("rb") as stream:
        magic = stream.read(len(FILE))
    if magic.startswith(FIRST_VERSION):
        hint = "write it again with a current version of Arrow"
        stop(DataError, "broken-file", str(path), "this is a Feather file of the withdrawn version 1", hint)
    try:
        with pa.memory_map(str(path)) as source, _reader(source, magic == FILE) as reader:
            yield reader
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError):
        problem = Problem("broken-file", str(path), "this is not an Arrow IPC file, or it is damaged")
        # From None: the library's own message may quote bytes of the file.
        raise DataError(problem) from None


def _reader(source: pa.NativeFile, is_file: bool) -> Any:
    import pyarrow as pa

    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def _parts(reader: Any) -> Iterator[pa.RecordBatch]:
    """A file counts its batches, a stream just ends."""
    count = getattr(reader, "num_record_batches", None)
    return iter(reader) if count is None else (reader.get_batch(number) for number in range(count))
