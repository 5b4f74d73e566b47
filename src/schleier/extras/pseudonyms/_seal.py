"""What the service keeps of a person on the disk: sealed rows, and keyed tags by which they are found again."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schleier.core.errors import DataError, stop
from schleier.extras.pseudonyms._identity import Identity

KEY, TAG, NONCE, BLOCK = 32, 16, 12, 128


class Seal:
    """The keys of one service, all from one secret; nothing of them is shown.

    >>> seal = Seal(bytes(32))
    >>> seal.opened(seal.sealed(Identity("anna"), {"given_name": "Anna"}, 7), 7)
    (Identity(...), {'given_name': 'Anna'})
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < KEY:
            message = f"the key of a service has at least {KEY} bytes"
            stop(DataError, "bad-service-key", "key", message, "make one with: schleier key new")
        self._rows = AESGCM(_derived(secret, b"rows"))
        self._tags = _derived(secret, b"tags")

    def __repr__(self) -> str:
        return "Seal(...)"

    def tag(self, kind: str, *parts: str) -> bytes:
        """What stands for something in an index: equal for equal things, and without the key nobody can try."""
        return hmac.digest(self._tags, "\x1f".join((kind, *parts)).encode(), hashlib.sha256)[:TAG]

    def tags(self, keys: Iterable[tuple[str, ...]]) -> list[bytes]:
        """A tag for each."""
        return list({self.tag(*one): None for one in keys})

    def sealed(self, one: Identity, written: Mapping[str, str], row: int) -> bytes:
        """A row that cannot be read, changed or put in the place of another; its length tells little."""
        text = json.dumps([list(one), dict(written)], ensure_ascii=False).encode()
        nonce = os.urandom(NONCE)
        return nonce + self._rows.encrypt(nonce, text.ljust(-(-len(text) // BLOCK) * BLOCK), b"writing|%d" % row)

    def opened(self, sealed: bytes, row: int) -> tuple[Identity, dict[str, str]]:
        """What was sealed."""
        try:
            text = self._rows.decrypt(sealed[:NONCE], sealed[NONCE:], b"writing|%d" % row)
        except InvalidTag:
            hint = "start the service with the key of this store, or restore the store"
            stop(DataError, "wrong-service-key", "store", "a row cannot be opened with this key", hint)
        fields, written = json.loads(text)
        return Identity(*fields), written


def _derived(secret: bytes, what: bytes) -> bytes:
    return HKDF(SHA256(), KEY, b"schleier/pseudonyms/1", what).derive(secret)
