"""The secret of a wallet under a passphrase (Argon2id): what lies in its folder, and what its owner keeps elsewhere."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any, NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from schleier.core.atomic import whole_file
from schleier.core.errors import DataError, stop
from schleier.extras.decoupled._keys import KEY_BYTES, sealed, unsealed

SALT_BYTES = 16
ROUNDS, LANES, MEMORY = 3, 4, 64 * 1024
"""The second choice of RFC 9106: 64 MiB."""
ABOUT = b"schleier/decoupled/wallet/1"
FILE = "secret.sealed"


def packed(secret: bytes, entries: list[dict[str, Any]], passphrase: str) -> bytes:
    """A secret, and what was done with it, sealed under a passphrase."""
    salt = secrets.token_bytes(SALT_BYTES)
    text = json.dumps({"secret": secret.hex(), "entries": entries}).encode()
    return salt + sealed(_key(passphrase, salt), text, ABOUT)


def unpacked(backup: bytes, passphrase: str) -> tuple[bytes, list[dict[str, Any]]]:
    """Both again."""
    salt, rest = backup[:SALT_BYTES], backup[SALT_BYTES:]
    if len(salt) < SALT_BYTES:
        _wrong()
    try:
        found = json.loads(unsealed(_key(passphrase, salt), rest, ABOUT))
    except InvalidTag:
        _wrong()
    return bytes.fromhex(found["secret"]), found["entries"]


def secret_under(folder: Path, passphrase: str) -> bytes:
    """The secret of a folder; a new one is made when there is none."""
    file = folder / FILE
    if not file.exists():
        keep_under(folder, secrets.token_bytes(KEY_BYTES), passphrase)
    return unpacked(file.read_bytes(), passphrase)[0]


def keep_under(folder: Path, secret: bytes, passphrase: str) -> None:
    """Put a secret into a folder, sealed."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with whole_file(folder / FILE, private=True) as place:
        place.write_bytes(packed(secret, [], passphrase))


def _key(passphrase: str, salt: bytes) -> bytes:
    kdf = Argon2id(salt=salt, length=KEY_BYTES, iterations=ROUNDS, lanes=LANES, memory_cost=MEMORY)
    return kdf.derive(passphrase.encode())


def _wrong() -> NoReturn:
    stop(DataError, "wrong-passphrase", "", "the passphrase does not open this", "nobody can open it without")
