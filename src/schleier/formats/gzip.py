"""Gzip: one compressed file; its name tells what is inside."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from schleier.core.errors import DataError, Problem, stop
from schleier.core.format import NOTHING, Asked, Format
from schleier.formats._checks import check_file
from schleier.formats._inside import copied, place_for


class Gzip(Format):
    """A compressed file, such as ``people.csv.gz``.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv.gz").write_bytes(gzip.compress(b"age\\n30\\n"))
    >>> Gzip().unwrap(folder / "people.csv.gz", folder).name
    'people.csv'
    """

    name = "gzip"
    suffixes = (".gz",)
    reading = "unwrap"

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write what is inside into ``folder``; its name is that of the file without ``.gz``."""
        check_file(path)
        if not Path(path.stem).suffix:
            hint = "put its ending before .gz, for example people.csv.gz"
            stop(DataError, "unknown-inside", str(path), "the name does not tell what is inside", hint)
        place = place_for(folder, path.stem)
        try:
            with gzip.open(path) as stream:
                return copied(stream, place, path)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            problem = Problem("broken-file", str(path), "this is not a gzip file, or it is damaged or cut off")
        raise DataError(problem)
