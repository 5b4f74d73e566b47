"""One person leaves the vault: the rows go from the file and its journal, and a signed record says what was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from schleier.core.atomic import whole_file
from schleier.core.errors import DataError, InternalError, Problem, RecipeError, WriteError, stop
from schleier.core.vault.place import demand_place
from schleier.core.vault.proof import found_in, signed
from schleier.core.vault.sealing import Row
from schleier.core.vault.table import Stored
from schleier.core.vault.vault import Vault, now

PIECE = 24
"""Bytes of a sealed row that are looked for together: a row may lie in several pages."""


def erase(vault: Vault, reason: str, *, value: str = "", domain: str = "", token: str = "") -> dict[str, Any]:
    """Take a value, or what is behind a token, out of its domain, in all epochs; the signed record of it.

    Where two persons must agree a token alone takes out its own row: which others are the same person, the key of the
    vault does not tell.
    """
    rows = _of_token(vault, token) if token else _of_value(vault, domain, value)
    if not rows:
        hint = "check how the value is written, and its domain; perhaps it was erased before"
        stop(DataError, "not-in-vault", str(vault.path), "the vault holds no such value or token", hint)
    with vault.change():
        vault.table.remove([row.tag for row in rows])
        erased = vault.facts.erased + len(rows)
        vault.know(rows=vault.facts.rows - len(rows), erased=erased, last_erasure=now())
    searched = _demand_gone(vault, rows)
    facts = {
        "kind": "erasure",
        "vault": vault.identity,
        "at": vault.facts.last_erasure,
        "rows": len(rows),
        "reason": reason,
        "digests": sorted(_digest(row) for row in rows),
        "searched": searched,
    }
    return signed(bytes.fromhex(vault.facts.signing), facts)


def erase_into(vault: Vault, record: Path, reason: str, **who: str) -> dict[str, Any]:
    """Erase, and write the signed record to a file that only its owner can read."""
    demand_place(record, RecipeError)
    if record.exists() or record.is_symlink():
        stop(WriteError, "record-exists", str(record), "there is a file of this name already", "choose another name")
    with whole_file(record, private=True) as place:  # begun before anything is erased: a place to write to is sure
        written = erase(vault, reason, **who)
        place.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8", newline="\n")
    return written


def _of_value(vault: Vault, domain: str, value: str) -> list[Stored]:
    if domain not in vault.facts.domains:
        stop(DataError, "no-domain", str(vault.path), "the vault has no such domain", "schleier vault info names them")
    import pyarrow as pa

    from schleier.core.pseudonym import normalized

    value = normalized(pa.array([value], pa.string()), tuple(vault.facts.domains[domain]))[0].as_py()
    epochs = range(1, vault.facts.epoch + 1)
    found = [vault.stored_of(Row(epoch, domain, b"", b""), value.encode()) for epoch in epochs]
    return [row for row in found if row is not None]


def _of_token(vault: Vault, token: str) -> list[Stored]:
    row = vault.row_of(token)
    if row is None:
        return []
    if not vault.facts.second:
        return _of_value(vault, row.domain, row.content.decode())
    with vault.table.reading():
        own = vault.table.with_token(vault.token_tags([row])[0])
    return [own] if own else []


def _digest(row: Stored) -> str:
    """Tells the row in a backup from others, and nothing else."""
    from hashlib import sha256

    return sha256(row.sealed).hexdigest()


def _demand_gone(vault: Vault, rows: list[Stored]) -> list[dict[str, Any]]:
    """Search the file and what lies beside it for every piece of the rows."""
    pieces = [piece for row in rows for piece in (row.tag, row.token, *_pieces(row.sealed))]
    found, searched = found_in(vault.table.files(), pieces)
    if found:
        vault.table.tidy()
        found, searched = found_in(vault.table.files(), pieces)
    if found:
        problem = Problem("not-erased", str(vault.path), "parts of the erased rows are still in the file")
        raise InternalError(problem)
    return searched


def _pieces(sealed: bytes) -> list[bytes]:
    return [sealed[place : place + PIECE] for place in range(0, len(sealed) - PIECE + 1, PIECE)]
