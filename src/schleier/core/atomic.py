"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schleier.core.errors import Problem, WriteError
from schleier.core.leftovers import note, remove
from schleier.core.limits import NOT_REGULAR
from schleier.core.system import disk_full, flush


@contextmanager
def whole_file(out: Path, *, private: bool = False) -> Iterator[Path]:
    """A place to write to, which becomes ``out`` when the block ends and vanishes when it fails.

    Nobody else sees the file while it grows; a private one can be read by its owner alone, whatever the user's mask.

    >>> import tempfile
    >>> out = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with whole_file(out) as place:
    ...     _ = place.write_text("all of it")
    >>> out.read_text(), [file.name for file in out.parent.iterdir()]
    ('all of it', ['notes.txt'])
    """
    _refuse_device(out)
    room = partial_of(out)
    note(room)
    try:
        room.mkdir(mode=0o700)
        place = room / out.name
        yield place
        if private:
            place.chmod(0o600)
        flush(place)
        place.replace(out)
        flush(out.parent)
    except OSError as error:
        raise cannot_write(error, out, "file") from error
    finally:
        remove(room)


def _refuse_device(out: Path) -> None:
    """A rename would put a file in the place of a device or pipe: of /dev/null, for a user who may do everything."""
    try:
        mode = out.lstat().st_mode
    except (OSError, ValueError):
        return  # nothing there, or writing tells why not
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
        raise WriteError(Problem("not-regular", str(out), NOT_REGULAR, "give the name of a file"))


def partial_of(out: Path) -> Path:
    """Where something grows that will become ``out``: beside it, so that a rename is enough."""
    return out.with_name(f"{out.name}.partial-{os.urandom(4).hex()}")


def cannot_write(error: OSError, out: Path, what: str) -> WriteError:
    """What a failed write means to the user; ``what`` is a file or a folder.

    >>> import errno
    >>> str(cannot_write(FileNotFoundError(errno.ENOENT, "No such file or directory"), Path("a/b"), "file"))
    'a/b: the file cannot be written (No such file or directory) (check that its folder exists and is yours to write)'
    """
    if disk_full(error):
        hint = "free some, or choose another folder"
        return WriteError(Problem("disk-full", str(out), "there is no space left on the disk", hint))
    message = f"the {what} cannot be written ({error.strerror or type(error).__name__})"
    return WriteError(Problem("cannot-write", str(out), message, "check that its folder exists and is yours to write"))
