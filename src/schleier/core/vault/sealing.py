"""Seals and tags of the rows of a vault: AES-GCM under keys of their own, HMAC-SHA-256 to look them up."""

from __future__ import annotations

import base64
import hmac
import os
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from schleier.core.vault.secret import derived

NONCE, TAG, TOKEN = 12, 16, 16
LETTERS, ALPHABET = 26, b"abcdefghijklmnopqrstuvwxyz234567"
PADDED = 32
"""Rows are sealed in multiples of this, so that the length of a row hardly tells that of a name."""
MANY = 5000
"""From so many values on the compiled kernel makes the tags."""
HEAD = struct.Struct(">I16sH")


class Row(NamedTuple):
    """What a row says; never shown."""

    epoch: int
    domain: str
    token: bytes
    content: bytes
    """The value, or the closed box with it where two persons must agree."""

    def __repr__(self) -> str:
        return "Row(...)"


class Sealer:
    """The keys of one vault, each for one purpose; shown nowhere."""

    def __init__(self, key: bytes, identity: str) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.identity = identity.encode()
        self._rows, self._facts = (AESGCM(derived(key, f"schleier vault {purpose}")) for purpose in ("rows", "facts"))
        self._tags, self._tokens = (derived(key, f"schleier vault {purpose}") for purpose in ("tags", "tokens"))

    def __repr__(self) -> str:
        return "Sealer(...)"

    def tags(self, epoch: int, domain: str, values: Sequence[bytes]) -> list[bytes]:
        """What the rows of values of a domain are looked up by."""
        name = domain.encode()
        return _marks(self._tags, HEAD.pack(epoch, b"", len(name)) + name, values)

    def token_tags(self, tokens: Sequence[bytes]) -> list[bytes]:
        """What rows are looked up by when a token is to be resolved."""
        return _marks(self._tokens, b"", tokens)

    def sealed(self, row: Row, tag: bytes, token_tag: bytes) -> bytes:
        """A row that only the keys of this vault open, and only at its own tags."""
        name = row.domain.encode()
        plain = HEAD.pack(row.epoch, row.token, len(name)) + name + row.content + b"\x80"
        plain += bytes(-len(plain) % PADDED)
        nonce = os.urandom(NONCE)
        return nonce + self._rows.encrypt(nonce, plain, self.identity + tag + token_tag)

    def opened(self, sealed: bytes, tag: bytes, token_tag: bytes) -> Row:
        """A row as it was; raises ``InvalidTag`` when it, or what it was found by, was changed."""
        plain = self._rows.decrypt(sealed[:NONCE], sealed[NONCE:], self.identity + tag + token_tag)
        epoch, token, long = HEAD.unpack_from(plain)
        end = plain.rindex(b"\x80")
        begin = HEAD.size + long
        return Row(epoch, plain[HEAD.size : begin].decode(), token, plain[begin:end])

    def sealed_facts(self, facts: bytes) -> bytes:
        """What the vault knows of itself, closed."""
        nonce = os.urandom(NONCE)
        return nonce + self._facts.encrypt(nonce, facts, self.identity)

    def opened_facts(self, sealed: bytes) -> bytes:
        """What the vault knows of itself."""
        plain: bytes = self._facts.decrypt(sealed[:NONCE], sealed[NONCE:], self.identity)
        return plain


def _marks(key: bytes, before: bytes, values: Sequence[bytes]) -> list[bytes]:
    """The first half of HMAC-SHA-256 of each value, many at a time."""
    if len(values) < MANY:
        return [hmac.digest(key, before + value, "sha256")[:TAG] for value in values]
    import numpy as np

    from schleier.kernels.pseudonyms.sha256 import tags

    lengths = np.fromiter(map(len, values), np.int64, len(values)) + len(before)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    data = np.frombuffer(b"".join(part for value in values for part in (before, value)), np.uint8)
    every = tags(key, starts, data)[:, :TAG].tobytes()
    return [every[place : place + TAG] for place in range(0, len(every), TAG)]


def new_tokens(many: int) -> list[bytes]:
    """Random tokens of 128 bits: that two of a thousand million are equal has a chance below 10 to the -20."""
    drawn = os.urandom(TOKEN * many)
    return [drawn[place : place + TOKEN] for place in range(0, len(drawn), TOKEN)]


def spelled(token: bytes) -> str:
    """A token as it stands in a release: 26 letters and digits.

    >>> spelled(bytes(16)), told(spelled(bytes(16))) == bytes(16), told("no token")
    ('aaaaaaaaaaaaaaaaaaaaaaaaaa', True, None)
    """
    return base64.b32encode(token).decode().rstrip("=").lower()


def spelled_all(tokens: Sequence[bytes]) -> list[str]:
    """Many tokens as they stand in a release.

    >>> spelled_all([bytes(range(16))]) == [spelled(bytes(range(16)))]
    True
    """
    import numpy as np

    bits = np.zeros((len(tokens), LETTERS * 5), np.uint8)
    bits[:, : 8 * TOKEN] = np.unpackbits(np.frombuffer(b"".join(tokens), np.uint8).reshape(-1, TOKEN), axis=1)
    places = bits.reshape(-1, LETTERS, 5) @ np.array([16, 8, 4, 2, 1], np.uint8)
    text = np.frombuffer(ALPHABET, np.uint8)[places].tobytes().decode()
    return [text[place : place + LETTERS] for place in range(0, len(text), LETTERS)]


def told(text: str) -> bytes | None:
    """The token that is spelled so; nothing where none is."""
    try:
        token = base64.b32decode(text.strip().upper().ljust(32, "="))
    except ValueError:
        return None
    return token if len(token) == TOKEN and spelled(token) == text.strip().lower() else None


class Boxes:
    """Closes values for a second person: whoever issues tokens cannot open them, nor can the key of the vault alone."""

    def __init__(self, public: bytes, identity: str, number: int) -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        once = X25519PrivateKey.generate()
        self.number, self.public = number, once.public_key().public_bytes_raw()
        self._closed = _box(once, public, self.public, identity)

    def closed(self, value: bytes) -> bytes:
        """A value in a box."""
        nonce = os.urandom(NONCE)
        box: bytes = struct.pack(">I", self.number) + nonce + self._closed.encrypt(nonce, value, None)
        return box


def second_private(key: bytes) -> Any:
    """The second person's private key, which follows from a key file."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(derived(key, "schleier vault second person"))


def box_opener(private: Any, publics: dict[int, bytes], identity: str) -> Callable[[bytes], bytes]:
    """What takes values out of boxes; raises ``InvalidTag`` for boxes of others, ``KeyError`` for lost ones."""
    own, known = private.public_key().public_bytes_raw(), dict[int, Any]()

    def opened(box: bytes) -> bytes:
        (number,) = struct.unpack_from(">I", box)
        if number not in known:
            from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

            once = X25519PublicKey.from_public_bytes(publics[number])
            known[number] = _cipher(private.exchange(once), publics[number] + own, identity)
        nonce = box[4 : 4 + NONCE]
        plain: bytes = known[number].decrypt(nonce, box[4 + NONCE :], None)
        return plain

    return opened


def _box(once: Any, public: bytes, own: bytes, identity: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    return _cipher(once.exchange(X25519PublicKey.from_public_bytes(public)), own + public, identity)


def _cipher(shared: bytes, between: bytes, identity: str) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(derived(shared, f"schleier vault box {identity}", between))
