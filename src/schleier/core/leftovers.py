"""Temporary places hold raw rows: each is noted before it is made, so that nothing of a killed process stays for ever.

A process keeps one list of its places in the temporary folder and holds a lock on it while it lives. A list nobody
holds belongs to a process that was killed; the next start removes what it names.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from schleier.core.interrupts import uninterrupted
from schleier.core.system import BINARY, NO_LINK, is_mine, let_go, locked, same_file

LIST = re.compile(r"schleier-[0-9a-f]{8}\.places")
OURS = re.compile(r"schleier-[0-9a-f]{8}|.+\.(partial-[0-9a-f]{8}|lock)", re.DOTALL)
"""Names of what may be removed; a folder somebody called otherwise is none of ours, whatever a list says."""


@dataclass
class _Places:
    """The places of this process."""

    path: Path
    handle: int
    """Holds the lock."""
    process: int
    """The process that began it: a forked child has places of its own."""
    there: set[Path] = field(default_factory=set)


class _Now:
    """What is kept while the process lives."""

    places: _Places | None = None


def private_folder(parent: Path | None = None) -> Path:
    """A new folder nobody else can look into, in ``parent`` or where temporary files lie.

    >>> folder = private_folder()
    >>> oct(folder.stat().st_mode)[-3:]
    '700'
    >>> remove(folder)
    >>> folder.exists()
    False
    """
    folder = Path(parent or tempfile.gettempdir()).absolute() / f"schleier-{os.urandom(4).hex()}"
    note(folder)
    folder.mkdir(mode=0o700)
    return folder


def note(place: Path) -> None:
    """Remember a place that is about to be made; where no list can be written it goes without."""
    if _own() is None:
        sweep()
        with uninterrupted(), suppress(OSError):
            _Now.places = _begun()
    if known := _own():
        known.there.add(place.absolute())
        with suppress(OSError):
            os.write(known.handle, os.fsencode(place.absolute()) + b"\0")


def remove(place: Path) -> None:
    """Remove a place and what is in it; the list goes with the last one."""
    shutil.rmtree(place, ignore_errors=True)
    forget(place)


def forget(place: Path) -> None:
    """A place is gone, or has become something that stays."""
    if known := _own():
        known.there.discard(place.absolute())
        if not known.there:
            _end(known)


def held() -> frozenset[Path]:
    """The places this process has now."""
    known = _own()
    return frozenset(known.there) if known else frozenset()


def clear(kept: frozenset[Path] = frozenset()) -> None:
    """Remove every place this process still has but those ``kept``: it ends, or something of it was interrupted."""
    for place in held() - kept:
        if place.is_file():
            place.unlink(missing_ok=True)
        remove(place)
    if (known := _own()) and not known.there:
        _end(known)  # it was begun, and nothing was noted in it


def sweep() -> None:
    """Remove what killed processes of this user left behind; a running one holds its list, and is left alone."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if LIST.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _sweep(Path(entry.path))


def _own() -> _Places | None:
    """The list of this process; that of the parent is none of a forked child's."""
    return _Now.places if _Now.places and _Now.places.process == os.getpid() else None


def _begun() -> _Places:
    """A new list, with its lock."""
    for _ in range(10):
        path = Path(tempfile.gettempdir()).absolute() / f"schleier-{os.urandom(4).hex()}.places"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | BINARY, 0o600)
        if locked(handle) and same_file(handle, path):
            atexit.register(clear)
            return _Places(path, handle, os.getpid())
        let_go(handle, path)  # somebody swept it before it was locked
    raise OSError("no list of temporary places can be locked")


def _end(known: _Places) -> None:
    with uninterrupted():
        _Now.places = None
        atexit.unregister(clear)
        let_go(known.handle, known.path)


def _sweep(path: Path) -> None:
    handle = os.open(path, os.O_RDWR | NO_LINK | BINARY)
    swept = False
    try:
        about = os.fstat(handle)
        if is_mine(about) and locked(handle) and same_file(handle, path):
            places = [Path(os.fsdecode(name)) for name in os.read(handle, about.st_size).split(b"\0")[:-1]]
            gone = [_remove(place) for place in places if OURS.fullmatch(place.name)]
            swept = all(gone)
    finally:
        let_go(handle, path) if swept else os.close(handle)


def _remove(place: Path) -> bool:
    """Whether a place is gone; it must be this user's, and a lock file nobody's."""
    try:
        found = place.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if not is_mine(found):
        return False
    if place.suffix == ".lock":
        handle = os.open(place, os.O_RDWR | NO_LINK)
        let_go(handle, place) if locked(handle) and same_file(handle, place) else os.close(handle)
    else:
        shutil.rmtree(place, ignore_errors=True)
    return not place.exists()
