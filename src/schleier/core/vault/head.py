"""The head of a vault: how it is locked, and the key of its rows, which only its secret opens."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from schleier.core.errors import DataError, stop
from schleier.core.vault.secret import Secret, is_lock, opening_key
from schleier.core.vault.table import DAMAGED, DAMAGED_HINT

NONCE = 12


def closed_key(head: Mapping[str, Any], secret: Secret, key: bytes) -> tuple[str, bytes]:
    """The head as it is written, and the key of the rows that only the secret opens, and only under this head."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    text, nonce = json.dumps(head, sort_keys=True), os.urandom(NONCE)
    return text, nonce + AESGCM(opening_key(secret, head["lock"])).encrypt(nonce, key, text.encode())


def opened_key(text: str, head: Mapping[str, Any], secret: Secret, closed: bytes) -> bytes:
    """The key of the rows; raises ``InvalidTag`` for another secret and for another head alike."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(opening_key(secret, head["lock"])).decrypt(closed[:NONCE], closed[NONCE:], text.encode())


def head_of(text: str) -> dict[str, Any] | None:
    """The head of a file that can be tried with a secret."""
    try:
        head = json.loads(text)
    except ValueError:
        return None
    return head if isinstance(head, dict) and isinstance(head.get("id"), str) and is_lock(head.get("lock")) else None


def damaged(path: Path) -> NoReturn:
    """Stop: nothing is done with part of a vault."""
    stop(DataError, "damaged-vault", str(path), DAMAGED, DAMAGED_HINT)
