"""Where what was inside another file is put: private, and never in the way of something else."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from schleier.core.atomic import cannot_write
from schleier.core.errors import DataError
from schleier.core.limits import UNPACKED, most_unpacked, refuse_size
from schleier.core.system import disk_full

PIECE = 1 << 20
LONGEST = 100
"""Characters of a file name that are kept; the last ones, for the ending tells the format."""


def place_for(folder: Path, name: str) -> Path:
    """A new, empty, private file of this name inside ``folder``; a path in the name leads nowhere else.

    >>> place_for(Path(tempfile.mkdtemp()), "../../etc/people.csv").name
    'people.csv'
    """
    name = name.replace("\\", "/").rpartition("/")[2].replace("\0", "")[-LONGEST:].lstrip(".") or "inside"
    place = folder / name
    if place.exists():
        place = Path(tempfile.mkdtemp(dir=folder)) / name
    os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return place


def copied(stream: IO[bytes] | BufferedIOBase, place: Path, packed: Path) -> Path:
    """Write all of a stream into a file, piece by piece; stops when more comes out of ``packed`` than may."""
    most, size = most_unpacked(packed.stat().st_size), 0
    with writing(place), place.open("wb") as out:
        while piece := stream.read(PIECE):
            size += len(piece)
            refuse_size(DataError, str(packed), "the bytes that come out of it are at least", size, most, UNPACKED)
            out.write(piece)
    return place


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """A file that is gone when it could not be written; that the disk is full is said where temporary files lie."""
    try:
        yield
    except BaseException as error:
        place.unlink(missing_ok=True)
        if isinstance(error, OSError) and disk_full(error):
            raise cannot_write(error, place.parent, "folder") from None
        raise
