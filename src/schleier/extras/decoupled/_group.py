"""The group ristretto255 as RFC 9497 uses it: elements and scalars as bytes, hashing into both; libsodium computes.

What depends on a secret (products, sums and inverses of scalars, multiples of elements) runs in constant time in the
library. Python keeps copies of secrets in memory that nobody can wipe: who reads the memory of a party has its keys.
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from typing import Any

from schleier.core.errors import DataError, EngineError, stop

SIZE = 32
"""Bytes of an element, and of a scalar."""
IDENTITY = bytes(SIZE)
ORDER = 2**252 + 27742317777372353535851937790883648493
BLOCK, WIDE = 128, 64
"""Bytes of a block and of a result of SHA-512."""


def library() -> Any:
    """The bindings of libsodium; without them a sentence says what to install."""
    try:
        return import_module("rbcl")
    except ImportError:
        hint = 'pip install "schleier[crypto]"'
        stop(EngineError, "not-installed", "", "blind tokens need rbcl, which is not installed", hint)


def element(text: bytes, what: str) -> bytes:
    """The bytes of an element that may be used: in its one form, and not the identity."""
    if not isinstance(text, bytes) or len(text) != SIZE or text == IDENTITY or not _valid(text):
        stop(DataError, "bad-element", what, "this is no element of the group", "nothing was computed with it")
    return text


def scalar(text: bytes, what: str) -> bytes:
    """The bytes of a scalar in its one form, and not zero."""
    if not isinstance(text, bytes) or len(text) != SIZE or not 0 < int.from_bytes(text, "little") < ORDER:
        stop(DataError, "bad-scalar", what, "this is no scalar of the group", "nothing was computed with it")
    return text


def multiple(factor: bytes, point: bytes) -> bytes:
    """A multiple of an element."""
    product: bytes = library().crypto_scalarmult_ristretto255(factor, point)
    return product


def of_base(factor: bytes) -> bytes:
    """A multiple of the generator: the public half of a key."""
    product: bytes = library().crypto_scalarmult_ristretto255_base(factor)
    return product


def total(first: bytes, second: bytes) -> bytes:
    """The sum of two elements."""
    both: bytes = library().crypto_core_ristretto255_add(first, second)
    return both


def inverse(factor: bytes) -> bytes:
    """The inverse of a scalar."""
    found: bytes = library().crypto_core_ristretto255_scalar_invert(factor)
    return found


def less_product(start: bytes, first: bytes, second: bytes) -> bytes:
    """A scalar less the product of two others."""
    rbcl = library()
    left: bytes = rbcl.crypto_core_ristretto255_scalar_sub(
        start, rbcl.crypto_core_ristretto255_scalar_mul(first, second)
    )
    return left


def random_scalar() -> bytes:
    """A scalar that nobody can guess; never zero."""
    drawn: bytes = library().crypto_core_ristretto255_scalar_random()
    return drawn


def hashed_to_element(text: bytes, tag: bytes) -> bytes:
    """An element whose logarithm nobody knows."""
    found: bytes = library().crypto_core_ristretto255_from_hash(expanded(text, tag))
    return found


def hashed_to_scalar(text: bytes, tag: bytes) -> bytes:
    """A scalar that follows from a text."""
    found: bytes = library().crypto_core_ristretto255_scalar_reduce(expanded(text, tag))
    return found


def expanded(text: bytes, tag: bytes) -> bytes:
    """Sixty-four bytes by ``expand_message_xmd`` of RFC 9380 with SHA-512."""
    ending = tag + bytes([len(tag)])
    start = hashlib.sha512(bytes(BLOCK) + text + WIDE.to_bytes(2, "big") + b"\0" + ending).digest()
    return hashlib.sha512(start + b"\1" + ending).digest()


def _valid(text: bytes) -> bool:
    return bool(library().crypto_core_ristretto255_is_valid_point(text))
