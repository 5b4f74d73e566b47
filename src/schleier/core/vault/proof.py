"""Records that a vault signs: of an erasure, of its own end."""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schleier.core.errors import DataError, stop

SIGNED = "signature"


def signed(seed: bytes, facts: Mapping[str, Any]) -> dict[str, Any]:
    """A record with an Ed25519 signature over all that it says.

    >>> record = signed(bytes(32), {"kind": "erasure", "rows": 1})
    >>> is_signed(record, verifying(bytes(32))), is_signed(record | {"rows": 2}, verifying(bytes(32)))
    (True, False)
    """
    return {**facts, SIGNED: _private(seed).sign(_text(facts)).hex()}


def verifying(seed: bytes) -> str:
    """The public key that belongs to what signs."""
    public: bytes = _private(seed).public_key().public_bytes_raw()
    return public.hex()


def is_signed(record: Mapping[str, Any], public: str) -> bool:
    """Whether a record says what was signed, by the vault with this public key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    facts = {name: value for name, value in record.items() if name != SIGNED}
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(str(record.get(SIGNED))), _text(facts))
    except (InvalidSignature, ValueError):
        return False
    return True


def read_record(path: Path) -> dict[str, Any]:
    """A record from its file."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        record = None
    if not isinstance(record, dict) or SIGNED not in record:
        stop(DataError, "not-a-record", str(path), "the file holds no signed record", "name the file that erase wrote")
    return record


def found_in(files: Sequence[Path], parts: Sequence[bytes]) -> tuple[bool, list[dict[str, Any]]]:
    """Whether any of these bytes is in the files, and what was searched."""
    searched, found = [], False
    for path in files:
        size = path.stat().st_size
        searched.append({"file": path.name, "bytes": size})
        if size:
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                found = found or any(content.find(part) >= 0 for part in parts)
    return found, searched


def _private(seed: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed)


def _text(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
