"""Who did what, in a chain: an entry that is changed or missing breaks all that follow. No entry tells an identity."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schleier.extras.pseudonyms._database import Store

START = bytes(32)
COLUMNS = "id, at, who, did, many, subject, chain"


class Audit:
    """The entries of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def write(self, who: str, did: str, many: int, subject: bytes = b"") -> None:
        """Write one entry, in the transaction of what was done."""
        last = self.store.ask(f"SELECT {COLUMNS} FROM entry ORDER BY id DESC LIMIT 1")
        number, before = (int(last[0][0]) + 1, bytes(last[0][6])) if last else (1, START)
        at = int(time.time())
        row = (number, at, who, did, many, subject)
        self.store.do("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", [(*row, _chained(before, row))])

    def entries(self, after: int, most: int) -> list[dict[str, Any]]:
        """Entries in their order."""
        rows = self.store.ask(f"SELECT {COLUMNS} FROM entry WHERE id > ? ORDER BY id LIMIT ?", after, most)
        return [
            {"id": row[0], "at": row[1], "who": row[2], "did": row[3], "many": row[4], "subject": bytes(row[5]).hex()}
            for row in rows
        ]

    def whole(self) -> bool:
        """Whether no entry was changed, and none is missing between others."""
        before = START
        for number, row in enumerate(self.store.ask(f"SELECT {COLUMNS} FROM entry ORDER BY id"), 1):
            if row[0] != number or bytes(row[6]) != _chained(before, (*row[:5], bytes(row[5]))):
                return False
            before = bytes(row[6])
        return True


def _chained(before: bytes, row: tuple[Any, ...]) -> bytes:
    parts = [one if isinstance(one, bytes) else str(one).encode() for one in row]
    return hashlib.sha256(before + b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()
