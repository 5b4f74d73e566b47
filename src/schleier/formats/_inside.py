"""Where what was inside another file is put: private, and never in the way of something else."""

from __future__ import annotations

import os
import tempfile
from io import BufferedIOBase
from pathlib import Path
from typing import IO

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


def copied(stream: IO[bytes] | BufferedIOBase, place: Path) -> Path:
    """Write all of a stream into a file, piece by piece."""
    with place.open("wb") as out:
        while piece := stream.read(PIECE):
            out.write(piece)
    return place
