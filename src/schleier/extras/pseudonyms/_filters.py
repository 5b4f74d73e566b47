"""Identities as keyed Bloom filters, for partners who may not see clear text (Schnell, Bachteler and Reiher 2009).

A filter holds the pairs of letters of its fields under a key that only the partners have. Equal pairs set equal bits,
so filters of similar names are similar; whoever has no key cannot try names.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from schleier.extras.pseudonyms._identity import Identity

if TYPE_CHECKING:
    import numpy as np

COMPARED = ("given_name", "surname", "birth_date", "postcode", "town")
FIELD_BITS, FIELD_HASHES = 256, 12
RECORD_BITS = 1024
RECORD_HASHES = {"given_name": 14, "surname": 14, "birth_date": 20, "postcode": 8, "town": 6}
"""Bits per pair of letters: fields that tell persons apart have more."""
SHARED = {"given_name": "name", "surname": "name"}
"""Names that were exchanged set the same bits of a record."""
ROWS = 256


def pairs(text: str, *, placed: bool) -> Iterable[str]:
    """Pairs of neighbouring letters; digits of dates and codes are told apart by their place."""
    if not text:
        return ()
    if placed:
        return [f"{place}{one}" for place, one in enumerate(text)] + [f"+{one}" for one in _grams(text)]
    return _grams(f"_{text}_")


def _grams(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(len(text) - 1)]


def _places(key: bytes, field: str, gram: str, hashes: int, bits: int) -> list[int]:
    digest = hmac.digest(key, f"{field}|{gram}".encode(), hashlib.sha512)
    return [int.from_bytes(digest[2 * i : 2 * i + 2], "big") % bits for i in range(hashes)]


def field_filters(one: Identity, key: bytes) -> list[bytes]:
    """A filter for each field, of zeros where nothing stands."""
    found = []
    for field in COMPARED:
        bits = bytearray(FIELD_BITS // 8)
        for gram in pairs(getattr(one, field), placed=field in ("birth_date", "postcode")):
            for place in _places(key, field, gram, FIELD_HASHES, FIELD_BITS):
                bits[place // 8] |= 1 << place % 8
        found.append(bytes(bits))
    return found


def record_filter(one: Identity, key: bytes) -> bytes:
    """One filter for all fields together: nobody sees which bit is of which field."""
    bits = bytearray(RECORD_BITS // 8)
    for field in COMPARED:
        for gram in pairs(getattr(one, field), placed=field in ("birth_date", "postcode")):
            for place in _places(key, SHARED.get(field, field), gram, RECORD_HASHES[field], RECORD_BITS):
                bits[place // 8] |= 1 << place % 8
    return bytes(bits)


def packed(filters: Sequence[bytes]) -> np.ndarray:
    """Filters as rows of words of 64 bits."""
    import numpy as np

    return np.frombuffer(b"".join(filters), np.uint64).reshape(len(filters), -1)


def likeness(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Dice's coefficient of every filter with every other; nothing (nan) where one of both is empty."""
    import numpy as np

    sizes = np.bitwise_count(ones).sum(axis=1, dtype=np.int32), np.bitwise_count(others).sum(axis=1, dtype=np.int32)
    found = np.empty((len(ones), len(others)), np.float32)
    for start in range(0, len(ones), ROWS):
        part = slice(start, start + ROWS)
        common = np.zeros((len(ones[part]), len(others)), np.int32)
        for word in range(ones.shape[1]):
            common += np.bitwise_count(ones[part, word, None] & others[None, :, word])
        found[part] = 2 * common / np.maximum(sizes[0][part, None] + sizes[1][None, :], 1)
    found[sizes[0] == 0] = np.nan
    found[:, sizes[1] == 0] = np.nan
    return found


def frequency_attack(filters: Sequence[bytes], truth: Sequence[str], known: Mapping[str, float]) -> tuple[int, int]:
    """How many values somebody without the key names rightly, by frequency alone.

    He gives the most frequent filter the most frequent value, and so on. Beside it, how many
    are right when he always says the most frequent value.
    """
    ranked = [one for one, _ in Counter(one for one in filters if any(one)).most_common()]
    values = sorted(known, key=lambda value: -known[value])
    claims = dict(zip(ranked, values, strict=False))
    right = sum(claims.get(one) == value for one, value in zip(filters, truth, strict=True) if value)
    return right, sum(value == values[0] for value in truth) if values else 0
