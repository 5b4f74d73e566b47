"""What pseudonyms look like: whether they may be digests, how these are written, and which ones they may be."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Algorithm = Literal["md5", "sha1", "sha256"]
LENGTHS: dict[Algorithm, int] = {"md5": 16, "sha1": 20, "sha256": 32}
"""The bytes of each digest."""
LEAST_BYTES = 4
"""Digests cut shorter than this fit too many candidates to tell anything."""
_HEX = re.compile(r"(0x)?([0-9a-f]{2}){4,64}|(0x)?([0-9A-F]{2}){4,64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,88}={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{8,104}={0,6}|[a-z2-7]{8,104}={0,6}")
MOSTLY = 0.95
"""The share of values that must have one form."""


@dataclass(frozen=True)
class Shape:
    """How digests are written, and of how many bytes they are."""

    writing: str
    length: int

    @property
    def bits(self) -> int:
        """Their length in bits."""
        return 8 * self.length

    @property
    def algorithms(self) -> tuple[Algorithm, ...]:
        """What they may be: the digest of that length first, then longer ones that were cut."""
        fit: list[Algorithm] = [name for name, length in LENGTHS.items() if length >= self.length]
        return tuple(sorted(fit, key=lambda name: (LENGTHS[name] != self.length, name != "sha256")))

    @property
    def is_whole(self) -> bool:
        """Whether a digest has this length, so that nothing was cut."""
        return self.length in LENGTHS.values()

    def read(self, value: str) -> bytes | None:
        """The bytes of a value; nothing where it is not written so."""
        found = _read(self.writing, value)
        return found if found is not None and len(found) == self.length else None


def shape_of(values: Iterable[str]) -> Shape | None:
    """The form of digests that nearly all values have; none where they look like something else.

    >>> shape_of(["ba7816bf8f01cfea", "cb00753f45a35e8b"]), shape_of(["Berlin", "12345678"])
    (Shape(writing='hex', length=8), None)
    """
    some = list(dict.fromkeys(values))
    if not some:
        return None
    for writing in ("hex", "base32", "base64"):
        lengths = [None if (made := _read(writing, one)) is None else len(made) for one in some]
        usual = max(set(lengths), key=lambda one: (lengths.count(one), one or 0))
        if usual is None or lengths.count(usual) < MOSTLY * len(some):
            continue
        shape = Shape(writing, usual)
        if LEAST_BYTES <= usual <= max(LENGTHS.values()) and _looks_drawn(shape, some):
            return shape
    return None


def _looks_drawn(shape: Shape, values: Sequence[str]) -> bool:
    """Whether bytes take all values, as those of a digest do: not numbers, nor words.

    Of digits alone there is one hexadecimal number of eight places in forty; of texts in base 64 nearly all are words.
    """
    plain = "".join(values[:1000])
    if shape.writing == "hex":
        letters = sum(one in "abcdefABCDEF" for one in plain)
        return 0.25 < letters / max(len(plain), 1) < 0.5
    digits = sum(one.isdigit() for one in plain)
    share = digits / max(len(plain), 1)
    if shape.writing == "base32":
        return shape.length >= 10 and 0.1 < share < 0.3
    both = any(one.isupper() for one in plain) and any(one.islower() for one in plain)
    return both and 0.08 < share < 0.3 and shape.length >= 8


def _read(writing: str, value: str) -> bytes | None:
    if writing == "hex":
        return bytes.fromhex(value.removeprefix("0x")) if _HEX.fullmatch(value) else None
    bare = value.rstrip("=")
    try:
        if writing == "base32":
            return base64.b32decode(bare.upper() + "=" * (-len(bare) % 8)) if _BASE32.fullmatch(value) else None
        if not _BASE64.fullmatch(value):
            return None
        usual = bare.replace("-", "+").replace("_", "/")
        return base64.b64decode(usual + "=" * (-len(bare) % 4), validate=True)
    except (ValueError, binascii.Error):
        return None
