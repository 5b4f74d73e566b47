"""What a party did, step by step: flushed before it answers, sealed, and chained, so no line is changed or taken out.

A line that a kill left half written was never answered and is cut off. Who puts back an old copy of the whole folder is
not noticed here.
"""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from cryptography.exceptions import InvalidTag

from schleier.core.atomic import cannot_write, whole_file
from schleier.core.system import BINARY, NO_LINK, flush, locked
from schleier.extras.decoupled._keys import derive, sealed, unsealed
from schleier.extras.decoupled._refusals import refuse

Entry = dict[str, Any]


class Journal(Protocol):
    """Where a party keeps what it did."""

    entries: list[Entry]

    def append(self, entry: Entry) -> None:
        """Keep one step, for good when this returns."""

    def rewrite(self, entries: Iterable[Entry]) -> None:
        """Keep other steps in place of all."""

    def close(self) -> None:
        """Let others use it."""


class Memory:
    """A journal that ends with the process: for simulations."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        """Keep one step."""
        self.entries.append(entry)

    def rewrite(self, entries: Iterable[Entry]) -> None:
        """Keep other steps in place of all."""
        self.entries = list(entries)

    def close(self) -> None:
        """Nothing to let go."""


class File:
    """A journal in a folder that one process has at a time."""

    def __init__(self, folder: Path, secret: bytes) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path, self._key = folder / "journal", derive(secret, "journal")
        self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | NO_LINK | BINARY, 0o600)
        if not locked(self._lock):
            os.close(self._lock)
            refuse("in-use", folder.name)
        try:
            self._load()
        except BaseException:
            os.close(self._lock)
            raise

    def _load(self) -> None:
        self.entries: list[Entry] = []
        self._before = bytes(32)
        text = self.path.read_bytes() if self.path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        for line in whole.splitlines():
            self.entries.append(self._read(line))
        fresh = not self.path.exists()
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | NO_LINK | BINARY, 0o600)
        if len(whole) < len(text):
            os.ftruncate(self._file, len(whole))
        self._size = len(whole)
        if fresh:
            flush(self.path.parent)

    def append(self, entry: Entry) -> None:
        """Keep one step, for good when this returns; after a failure nothing of it is there."""
        line, digest = self._line(entry, self._before)
        try:
            os.lseek(self._file, self._size, os.SEEK_SET)
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            flush(self.path)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise cannot_write(error, self.path, "file") from error
        self._before, self._size = digest, self._size + len(line)
        self.entries.append(entry)

    def rewrite(self, entries: Iterable[Entry]) -> None:
        """Keep other steps in place of all: the old file is there until the new one is whole."""
        kept, before, lines = list(entries), bytes(32), []
        for entry in kept:
            line, before = self._line(entry, before)
            lines.append(line)
        with whole_file(self.path, private=True) as place:
            place.write_bytes(b"".join(lines))
            os.close(self._file)  # where an open file cannot be replaced
        self._load()

    def close(self) -> None:
        """Let others use it."""
        os.close(self._file)
        os.close(self._lock)

    def _line(self, entry: Entry, before: bytes) -> tuple[bytes, bytes]:
        text = json.dumps(entry, separators=(",", ":"), sort_keys=True).encode()
        line = b64encode(sealed(self._key, text, before))
        return line + b"\n", hashlib.sha256(line).digest()

    def _read(self, line: bytes) -> Entry:
        try:
            entry: Entry = json.loads(unsealed(self._key, b64decode(line, validate=True), self._before))
        except (InvalidTag, Error, ValueError):
            refuse("broken-journal", self.path.name)
        self._before = hashlib.sha256(line).digest()
        return entry
