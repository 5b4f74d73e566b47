"""Tokens that follow from a value and a key: HMAC-SHA-256, or AES-SIV where they are to be undone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from schleier.core.errors import Problem
from schleier.core.promises import Keeps
from schleier.core.pseudonym import Pseudonym
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.keys import Key

ALPHABETS = {
    "base32": "abcdefghijklmnopqrstuvwxyz234567",
    "hex": "0123456789abcdef",
    "digits": "0123456789",
    "letters": "abcdefghijklmnopqrstuvwxyz",
}
BLOCK = 16
"""What is enciphered is filled up to a multiple of this many bytes: a token tells no more of the length."""
AT_ONCE = 1 << 16
"""Values that are worked on at once: their digests stay small beside the column."""
LEAST_BITS = 40
"""Of shorter tokens a million persons would share some."""


class GiveToken(Pseudonym):
    """Replace names and numbers by tokens without meaning; equal values get the same token, in all releases.

    >>> GiveToken(column="patient", key="clinic", domain="patients").length
    26
    """

    reference: ClassVar[str] = "RFC 2104 (HMAC), RFC 5297 (AES-SIV), RFC 4648 (base32)"
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    example: ClassVar[dict[str, object]] = {"column": "household", "key": "env:SCHLEIER_EXAMPLE_KEY", "domain": "homes"}

    undo: bool = False
    """Whether the holder of the key can undo tokens (AES-SIV). Such tokens are as long as the values need."""
    length: int = Field(default=26, ge=8, le=64)
    """Letters of a token; not of those that can be undone."""
    alphabet: str = "base32"
    """Letters that tokens are made of: base32, hex, digits or letters; not of those that can be undone."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        from schleier.kernels.pseudonyms.spelling import most_letters

        if self.alphabet not in ALPHABETS:
            raise ValueError(f"there is no such alphabet; there are: {', '.join(ALPHABETS)}")
        radix = len(ALPHABETS[self.alphabet])
        if self.length > most_letters(radix):
            raise ValueError(f"a digest gives at most {most_letters(radix)} letters of this alphabet")
        if radix**self.length < 1 << LEAST_BITS:
            raise ValueError(f"too short: of less than {LEAST_BITS} bits many persons would share one")
        return self

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Length and alphabet are of tokens that are cut from a digest."""
        yield from super().problems(schema)
        if self.undo and {"length", "alphabet"} & self.model_fields_set:
            message = "tokens that can be undone have the length and the letters they need"
            yield Problem("bad-parameter", "undo", message, "leave out length and alphabet")

    @property
    def reversible(self) -> bool:
        """Whether they were made by AES-SIV."""
        return self.undo

    def spell(self, values: pa.Array, key: Key) -> pa.Array:
        """A token for each value."""
        import numpy as np

        from schleier.core.letters import words_of

        if self.undo:
            return self._enciphered(values, key)
        secret = key.derive(self.domain, "token")
        found = np.empty((len(values), self.length), np.uint8)
        for first in range(0, len(values), AT_ONCE):
            found[first : first + AT_ONCE] = self._cut(values.slice(first, AT_ONCE), secret)
        return words_of(found)

    def _cut(self, values: pa.Array, secret: bytes) -> NDArray[np.uint8]:
        import numpy as np

        from schleier.core.letters import runs_of
        from schleier.kernels.pseudonyms.reading import looked_up
        from schleier.kernels.pseudonyms.sha256 import tags
        from schleier.kernels.pseudonyms.spelling import letters

        alphabet = ALPHABETS[self.alphabet]
        found = letters(tags(secret, *runs_of(values)), len(alphabet), self.length)
        return looked_up(found, np.frombuffer(alphabet.encode().ljust(256), np.uint8))

    def _enciphered(self, values: pa.Array, key: Key) -> pa.Array:
        import base64

        import pyarrow as pa
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        cipher = AESSIV(key.derive(self.domain, "token that can be undone", 64))

        def token(value: str) -> str:
            plain = value.encode() + b"\x80"
            sealed = cipher.encrypt(plain.ljust(-(-len(plain) // BLOCK) * BLOCK, b"\0"), None)
            return base64.b32encode(sealed).decode().rstrip("=").lower()

        return pa.array([token(value) for value in values.to_pylist()], pa.string())

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        """The values behind tokens; missing where something else is given."""
        import base64
        import binascii

        import pyarrow as pa
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        if not self.undo:
            return super().reveal(pseudonyms, key)
        cipher = AESSIV(key.derive(self.domain, "token that can be undone", 64))

        def value(token: str | None) -> str | None:
            try:
                sealed = base64.b32decode((token or "").upper() + "=" * (-len(token or "") % 8))
                return cipher.decrypt(sealed, None).rstrip(b"\0")[:-1].decode()
            except (InvalidTag, ValueError, binascii.Error):
                return None

        return pa.array([value(token) for token in pseudonyms.to_pylist()], pa.string())
