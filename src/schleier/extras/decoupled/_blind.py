"""The oblivious function of RFC 9497 on ristretto255 with SHA-512: OPRF (mode 0) and VOPRF (mode 1), batches included.

The wallet blinds an input, the registrar multiplies the blinded element by its key and proves that it was the key that
everybody knows, and the wallet takes the blinding off. The registrar learns nothing about the input or the output.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha512
from typing import Literal

from schleier.core.errors import DataError, stop
from schleier.extras.decoupled import _group as group

Mode = Literal[0, 1]
ATTEMPTS = 256
LONGEST = 2**16 - 1
"""Bytes of an input, and elements of a batch, at most: their number is written in two bytes."""


@dataclass(frozen=True)
class KeyPair:
    """The key of a registrar and the half that everybody may know."""

    secret: bytes
    public: bytes

    def __repr__(self) -> str:
        return f"KeyPair(public={self.public.hex()})"


@dataclass(frozen=True)
class Blinded:
    """An input that was hidden, and the factor that takes the blinding off: only the wallet has it."""

    factor: bytes
    element: bytes

    def __repr__(self) -> str:
        return f"Blinded(element={self.element.hex()})"


def derive_key_pair(seed: bytes, info: bytes, mode: Mode = 1) -> KeyPair:
    """The key pair that follows from a seed of 32 bytes and a public text."""
    if len(seed) != group.SIZE:
        stop(DataError, "bad-seed", "", f"a seed has {group.SIZE} bytes", "draw one with secrets.token_bytes")
    start = seed + _sized(info)
    secret = group.IDENTITY
    for counter in range(ATTEMPTS):
        secret = group.hashed_to_scalar(start + bytes([counter]), b"DeriveKeyPair" + _context(mode))
        if any(secret):
            break
    return KeyPair(
        secret, group.of_base(secret)
    )  # of zero in all attempts, which nobody sees, libsodium makes an error


def blind(text: bytes, mode: Mode = 1, *, factor: bytes | None = None) -> Blinded:
    """Hide an input by a random factor; one may be given to do the same again."""
    drawn = group.random_scalar() if factor is None else group.scalar(factor, "factor")
    return Blinded(drawn, group.multiple(drawn, _point(text, mode)))


def evaluate_blind(key: KeyPair, blinded: bytes) -> bytes:
    """What the registrar makes of a blinded element."""
    return group.multiple(key.secret, group.element(blinded, "blinded"))


def prove(key: KeyPair, blinded: Sequence[bytes], evaluated: Sequence[bytes], *, nonce: bytes | None = None) -> bytes:
    """One proof for a whole batch that every element was multiplied by the key with this public half."""
    drawn = group.random_scalar() if nonce is None else group.scalar(nonce, "nonce")
    mixed, _ = _mixed(key.public, blinded, evaluated, without=True)
    multiplied = group.multiple(key.secret, mixed)
    challenge = _challenge(key.public, mixed, multiplied, group.of_base(drawn), group.multiple(drawn, mixed))
    return challenge + group.less_product(drawn, challenge, key.secret)


def proven(public: bytes, blinded: Sequence[bytes], evaluated: Sequence[bytes], proof: bytes) -> bool:
    """Whether a proof holds for a batch; never an error for what a stranger sent."""
    if len(proof) != 2 * group.SIZE or not 0 < len(blinded) == len(evaluated) <= LONGEST:
        return False
    challenge, answer = proof[: group.SIZE], proof[group.SIZE :]
    try:
        for factor in (challenge, answer):
            group.scalar(factor, "proof")
        for one in (public, *blinded, *evaluated):
            group.element(one, "element")
        mixed, multiplied = _mixed(public, blinded, evaluated)
        first = group.total(group.of_base(answer), group.multiple(challenge, public))
        second = group.total(group.multiple(answer, mixed), group.multiple(challenge, multiplied))
    except (DataError, ValueError, RuntimeError):
        return False
    return hmac.compare_digest(_challenge(public, mixed, multiplied, first, second), challenge)


def unblinded(text: bytes, factor: bytes, evaluated: bytes) -> bytes:
    """The output of the function: the blinding taken off and hashed with the input (``Finalize``)."""
    bare = group.multiple(group.inverse(group.scalar(factor, "factor")), group.element(evaluated, "evaluated"))
    return _output(text, bare)


def evaluate(key: KeyPair, text: bytes, mode: Mode = 1) -> bytes:
    """The same output, computed by whoever has the key and knows the input."""
    return _output(text, group.multiple(key.secret, _point(text, mode)))


def _point(text: bytes, mode: Mode) -> bytes:
    point = group.hashed_to_element(text, b"HashToGroup-" + _context(mode))
    return group.element(point, "input")


def _output(text: bytes, bare: bytes) -> bytes:
    return sha512(_sized(text) + _sized(bare) + b"Finalize").digest()


def _mixed(
    public: bytes, blinded: Sequence[bytes], evaluated: Sequence[bytes], *, without: bool = False
) -> tuple[bytes, bytes]:
    """Both sides of a batch, each as one sum with factors that nobody can choose; the second side only where needed."""
    mixed = multiplied = group.IDENTITY
    for one, other, factor in zip(blinded, evaluated, _factors(public, blinded, evaluated), strict=True):
        mixed = group.total(mixed, group.multiple(factor, group.element(one, "blinded")))
        if not without:
            multiplied = group.total(multiplied, group.multiple(factor, group.element(other, "evaluated")))
    return mixed, multiplied


def _factors(public: bytes, blinded: Sequence[bytes], evaluated: Sequence[bytes]) -> Iterator[bytes]:
    seed = sha512(_sized(public) + _sized(b"Seed-" + _context(1))).digest()
    for place, (one, other) in enumerate(zip(blinded, evaluated, strict=True)):
        text = _sized(seed) + place.to_bytes(2, "big") + _sized(one) + _sized(other) + b"Composite"
        yield _to_scalar(text)


def _challenge(*points: bytes) -> bytes:
    return _to_scalar(b"".join(_sized(point) for point in points) + b"Challenge")


def _to_scalar(text: bytes) -> bytes:
    return group.hashed_to_scalar(text, b"HashToScalar-" + _context(1))


def _sized(text: bytes) -> bytes:
    if len(text) > LONGEST:
        stop(DataError, "long-input", "", f"an input has at most {LONGEST} bytes", "hash it first")
    return len(text).to_bytes(2, "big") + text


def _context(mode: Mode) -> bytes:
    return b"OPRFV1-" + bytes([mode]) + b"-ristretto255-SHA512"
