"""What opens a vault: a key, or a passphrase made slow to guess."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from schleier.core.errors import RecipeError, stop

KEY_BYTES = 32
SALT_BYTES = 16
SHORTEST = 12
"""Characters of a passphrase: one of fewer is guessed, however slow a guess is."""
ITERATIONS, LANES, MEMORY = 3, 4, 64 * 1024
"""Argon2id as RFC 9106 recommends it where memory is limited: three passes over 64 MiB in four lanes."""
MOST = {"iterations": 64, "lanes": 16, "memory": 4 * 1024 * 1024}
"""What a file may demand: one of others could ask for all memory of the machine."""


@dataclass(frozen=True)
class Secret:
    """A key of 32 bytes or a passphrase; shown nowhere.

    >>> Secret.of_key(bytes(32))
    Secret(kind='key')
    """

    kind: Literal["key", "passphrase"]
    content: bytes = field(repr=False)

    @staticmethod
    def of_key(key: bytes) -> Secret:
        """The secret of a key file."""
        if len(key) != KEY_BYTES:
            stop(RecipeError, "vault-key", "vault", f"the key of a vault has {KEY_BYTES} bytes")
        return Secret("key", bytes(key))

    @staticmethod
    def of_passphrase(text: str) -> Secret:
        """The secret of a passphrase: blanks around it and the way accents are written make no difference."""
        import unicodedata

        return Secret("passphrase", unicodedata.normalize("NFKC", text.strip()).encode())

    def demand_long(self) -> Secret:
        """The same secret, for a new vault: a short passphrase is refused."""
        if self.kind == "passphrase" and len(self.content.decode()) < SHORTEST:
            hint = "take several words, or a key file"
            stop(RecipeError, "short-passphrase", "vault", f"a passphrase has at least {SHORTEST} characters", hint)
        return self


def new_lock(kind: Literal["key", "passphrase"]) -> dict[str, Any]:
    """How a new vault is locked: nothing of it is secret.

    >>> sorted(new_lock("key"))
    ['kind', 'salt']
    """
    lock: dict[str, Any] = {"kind": kind, "salt": os.urandom(SALT_BYTES).hex()}
    return lock if kind == "key" else lock | {"iterations": ITERATIONS, "lanes": LANES, "memory": MEMORY}


def is_lock(lock: Any) -> bool:
    """Whether the head of a file describes a lock that can be tried without harm."""
    if not isinstance(lock, Mapping) or lock.get("kind") not in ("key", "passphrase"):
        return False
    salt = lock.get("salt")
    if not isinstance(salt, str) or len(salt) != 2 * SALT_BYTES or set(salt) - set("0123456789abcdef"):
        return False
    if lock["kind"] == "key":
        return True
    costs: dict[str, Any] = {name: lock.get(name) for name in MOST}
    whole = all(isinstance(cost, int) and 1 <= cost <= MOST[name] for name, cost in costs.items())
    return whole and bool(costs["memory"] >= 8 * costs["lanes"])


def opening_key(secret: Secret, lock: Mapping[str, Any]) -> bytes:
    """The key that a secret makes for a lock; a secret of the other kind makes one that opens nothing."""
    salt = bytes.fromhex(lock["salt"])
    if lock["kind"] == "passphrase":
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        costs = {"iterations": lock["iterations"], "lanes": lock["lanes"], "memory_cost": lock["memory"]}
        return Argon2id(salt=salt, length=KEY_BYTES, **costs).derive(secret.content)
    return derived(secret.content, "schleier vault opening", salt)


def derived(key: bytes, purpose: str, salt: bytes | None = None) -> bytes:
    """A key of its own for one purpose (HKDF-SHA-256).

    >>> derived(bytes(32), "rows") == derived(bytes(32), "tags")
    False
    """
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), KEY_BYTES, salt, purpose.encode()).derive(key)
