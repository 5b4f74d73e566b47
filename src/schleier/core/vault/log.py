"""The log of reversals: each line is chained to the one before, and sealed with a key of the vault."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from schleier.core.atomic import cannot_write
from schleier.core.errors import DataError, stop
from schleier.core.system import BINARY, NO_LINK, flush, open_to_others

ENDING = ".reveals.jsonl"
BEGIN = "0" * 64
"""What the first line is chained to."""


class Chain(NamedTuple):
    """How far a log goes: its lines, and the digest of the last one."""

    lines: int = 0
    last: str = BEGIN


class Log:
    """A file that only grows. Whoever changes, drops or inserts a line cannot make the seals of what follows."""

    def __init__(self, path: Path, key: bytes) -> None:
        self.path, self._key = path, key

    def __repr__(self) -> str:
        return f"Log({str(self.path)!r})"

    def read(self, known: Chain | None) -> Chain:
        """How far it goes; raises when it was changed, or ends before what the vault knows of it.

        Where nothing is ``known`` about its end, lines that were cut off there are not missed.

        It may be one line ahead: it is written first, and a process may be killed before the vault hears of it.
        """
        found, passed = Chain(), known in (None, Chain())
        for line in self._lines():
            entry = self._entry(line, found)
            if entry is None:
                self._changed(f"line {found.lines + 1} was changed, or one before it is missing")
            found = Chain(found.lines + 1, hashlib.sha256(line).hexdigest())
            passed = passed or found == known
        if known is not None and (not passed or found.lines > known.lines + 1):
            self._changed(f"it has {found.lines} lines, and the vault knows of {known.lines}")
        return found

    def entries(self) -> list[dict[str, Any]]:
        """All lines; to be read after ``read``."""
        return [json.loads(line) for line in self._lines()]

    def add(self, chain: Chain, facts: Mapping[str, Any]) -> Chain:
        """One more line, on the disk before this returns."""
        entry = {"line": chain.lines + 1, **facts, "before": chain.last}
        line = _text(entry | {"seal": self._seal(entry)})
        whole = sum(len(one) + 1 for one in self._lines())
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | NO_LINK | BINARY, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.truncate(whole)  # part of a line, left by a process that was killed, or by a full disk
                file.seek(whole)
                file.write(line + b"\n")
            flush(self.path)
            flush(self.path.parent)
        except OSError as error:
            raise cannot_write(error, self.path, "file") from None
        return Chain(chain.lines + 1, hashlib.sha256(line).hexdigest())

    def _seal(self, entry: Mapping[str, Any]) -> str:
        return hmac.digest(self._key, _text(entry), "sha256").hex()

    def _entry(self, line: bytes, chain: Chain) -> dict[str, Any] | None:
        try:
            entry = json.loads(line)
            seal = entry.pop("seal")
        except (ValueError, KeyError, AttributeError, TypeError):
            return None
        whole = entry.get("line") == chain.lines + 1 and entry.get("before") == chain.last
        right = isinstance(seal, str) and hmac.compare_digest(seal.encode(), self._seal(entry).encode())
        return entry if whole and right else None

    def _lines(self) -> list[bytes]:
        if self.path.is_symlink():
            self._changed("it is only a link")
        try:
            about = self.path.stat()
        except FileNotFoundError:
            return []
        if open_to_others(about):
            hint = "it is for the owner of the vault alone: chmod 600"
            stop(DataError, "open-log", str(self.path), "other users can read the log of reversals", hint)
        content = self.path.read_bytes()
        return content.split(b"\n")[:-1]  # what follows the last break was never acknowledged

    def _changed(self, how: str) -> None:
        hint = "find out who could write to it, and go on with the log of the last export"
        stop(DataError, "changed-log", str(self.path), f"the log of reversals is not what it was: {how}", hint)


def _text(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
