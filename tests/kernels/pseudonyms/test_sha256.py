"""SHA-256 of columns equals hashlib, for every length around the ends of blocks."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.pseudonyms import sha256


def packed(values: list[bytes]) -> tuple[sha256.Whole, sha256.Bytes]:
    starts = np.concatenate([[0], np.cumsum([len(value) for value in values])]).astype(np.int64)
    return starts, np.frombuffer(b"".join(values), np.uint8)


def rows(found: sha256.Bytes) -> list[bytes]:
    return [row.tobytes() for row in found]


def test_every_length_up_to_some_blocks() -> None:
    values = [bytes(range(256))[:length] for length in range(200)]
    assert rows(sha256.digests(*packed(values))) == [hashlib.sha256(value).digest() for value in values]


@pytest.mark.parametrize("key", [b"", b"k", bytes(64), bytes(range(100))])
def test_every_key_and_length(key: bytes) -> None:
    values = [bytes(range(256))[:length] for length in range(130)]
    assert rows(sha256.tags(key, *packed(values))) == [hmac.new(key, value, "sha256").digest() for value in values]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=150), max_size=40), st.binary(max_size=80))
def test_values_of_any_lengths_beside_each_other(values: list[bytes], key: bytes) -> None:
    assert rows(sha256.digests(*packed(values))) == [hashlib.sha256(value).digest() for value in values]
    assert rows(sha256.tags(key, *packed(values))) == [hmac.new(key, value, "sha256").digest() for value in values]


def test_a_part_of_a_column() -> None:
    starts, data = packed([b"abc", b"", b"anna@example.org"])
    assert rows(sha256.digests(starts[1:], data)) == [hashlib.sha256(v).digest() for v in (b"", b"anna@example.org")]
