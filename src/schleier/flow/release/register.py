"""A register of releases: which were made of the same source, kept by the holder.

It holds keyed digests of sources, folders of releases and digests of what they hold; no value, no name of a column. The
key lies in a file of its own, so that the register alone tells nobody which source a release came from.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.address import Address
from schleier.core.atomic import cannot_write, whole_file
from schleier.core.errors import DataError, SchleierError, WriteError, stop
from schleier.core.limits import small_text
from schleier.core.record import Frozen
from schleier.core.run import Run, new_key
from schleier.core.system import let_go, locked, same_file
from schleier.flow.release.fingerprint import fingerprint
from schleier.flow.release.past import Past

if TYPE_CHECKING:
    from schleier.core.data import Dataset

FORMAT = "schleier-register-1"
PATIENCE = 200
"""So many times it is tried to get the lock, a twentieth of a second apart: an entry takes no longer to write."""
NO_KEY = "put the file back, or begin a new register"
HINT = "name another register, or put the file back as it was"


class Entry(Frozen):
    """One release of one source."""

    sources: tuple[str, ...]
    """Keyed digests of the source: of the bytes of its file, and of its rows. One of them in common is enough."""
    folder: str
    """Where the release was written."""
    digest: str = ""
    """The digest of its rows; empty while it is being made."""


@dataclass(frozen=True)
class Register:
    """The register in a file; every change is written as a whole, under a lock."""

    path: Path

    def sources(self, original: Dataset, file: str | None) -> tuple[str, ...]:
        """The keyed digests of a source: of its file where there is one, and of its rows."""
        key = self._key()
        found = [fingerprint(original, Run(key), exact=True)]
        if file is not None and not (place := Address.of(file)).variable and place.path.is_file():
            whole = hmac.new(key, f"file\x1f{place.part}\x1f".encode(), hashlib.sha256)
            with place.path.open("rb") as content:
                while part := content.read(1 << 20):
                    whole.update(part)
            found.append(whole.hexdigest())
        return tuple(found)

    def enter(self, sources: Sequence[str], out: Path | None) -> tuple[Entry, ...]:
        """The earlier entries of a source; the release that is going to be in ``out`` is entered before it is made."""
        with self._lock():
            entries = self._read()
            folder = str(out.resolve()) if out is not None else None
            entries = [one for one in entries if one.digest or not _came_to_nothing(one, folder)]
            earlier = tuple(one for one in entries if {*one.sources} & {*sources})
            if folder is not None:
                self._write([*entries, Entry(sources=tuple(sources), folder=folder)])
        return earlier

    def finish(self, out: Path, digest: str) -> None:
        """The release in ``out`` stands, or with no ``digest`` came to nothing."""
        folder = str(out.resolve())
        with self._lock():
            entries = self._read()
            at = max((i for i, one in enumerate(entries) if one.folder == folder and not one.digest), default=None)
            if at is not None:
                made = [entries[at].model_copy(update={"digest": digest})] if digest else []
                self._write([*entries[:at], *made, *entries[at + 1 :]])

    def _key(self) -> bytes:
        place = self.path.with_name(f"{self.path.name}.key")
        with self._lock():
            if not place.exists():
                if self.path.exists():
                    message = "the register has lost its key: which releases are of one source cannot be told"
                    stop(
                        DataError, "register-no-key", str(place), message, "put the file back, or begin a new register"
                    )
                with whole_file(place, private=True) as new:
                    new.write_text(new_key().hex() + "\n", encoding="ascii", newline="\n")
        key = b""
        with suppress(OSError, ValueError):
            key = bytes.fromhex(small_text(place, DataError, str(place)).strip())
        if len(key) != 32:
            stop(DataError, "bad-register", str(place), "this is no key of a register", HINT)
        return key

    def _read(self) -> list[Entry]:
        if not self.path.exists():
            return []
        entries: list[Entry] | None = None
        with suppress(OSError, ValueError, KeyError, TypeError, SchleierError):
            found = json.loads(small_text(self.path, DataError, str(self.path)))
            entries = [Entry.model_validate(one) for one in found["releases"]] if found["format"] == FORMAT else None
        if entries is None:
            stop(DataError, "bad-register", str(self.path), "this is no register of releases", HINT)
        return entries

    def _write(self, entries: Sequence[Entry]) -> None:
        content = {"format": FORMAT, "releases": [one.model_dump(mode="json") for one in entries]}
        with whole_file(self.path, private=True) as place:
            place.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")

    @contextmanager
    def _lock(self) -> Iterator[None]:
        path = self.path.with_name(f"{self.path.name}.lock")
        for _ in range(PATIENCE):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                raise cannot_write(error, self.path, "file") from error
            if locked(handle) and same_file(handle, path):
                try:
                    yield
                finally:
                    let_go(handle, path)
                return
            os.close(handle)
            time.sleep(0.05)
        stop(WriteError, "busy", str(self.path), "another run is writing the register", "wait for it to end")


def _came_to_nothing(entry: Entry, mine: str | None) -> bool:
    """Whether an unfinished entry is that of a killed run: its folder is not there, and nobody else is writing it."""
    folder = Path(entry.folder)
    return not folder.exists() and (entry.folder == mine or not folder.with_name(f"{folder.name}.lock").exists())


def found_again(entry: Entry) -> Past | None:
    """The release of an entry; nothing when it is not there any more, or is another one."""
    try:
        past = Past.of(entry.folder)
    except SchleierError:
        return None
    return past if entry.digest in ("", past.audit.digest) else None  # killed after it stood: it is the one
