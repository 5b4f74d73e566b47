"""Whether files stay what they are while they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from schleier.core.address import Address
from schleier.core.errors import DataError, EngineError, Problems

State = tuple[int, ...]


def states_of(addresses: Iterable[str]) -> dict[Address, State]:
    """What changes when a file is written to or replaced, of each of the files; a database tells nothing."""
    return {place: _state(place) for place in map(Address.of, addresses) if not place.variable}


@contextmanager
def unchanged(before: dict[Address, State]) -> Iterator[None]:
    """Stop when a file is another one at the end than it was before: its rows would not belong together."""
    try:
        yield
    except EngineError:  # which may be the consequence
        _refuse_changed(before)
        raise
    _refuse_changed(before)


def _refuse_changed(before: dict[Address, State]) -> None:
    problems = Problems()
    for place, state in before.items():
        if _state(place) != state:
            message = "the file was changed while it was read; nothing was written"
            problems.add("changed-while-reading", str(place), message, "wait until it is complete, or read a copy")
    problems.raise_as(DataError)


def _state(place: Address) -> State:
    try:
        found = place.path.stat()
    except (OSError, ValueError):  # a name that no file can have
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev
