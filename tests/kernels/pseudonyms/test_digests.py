"""MD5, SHA-1 and SHA-256 of columns equal hashlib, for every length around the ends of blocks."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.pseudonyms import digests
from schleier.kernels.pseudonyms.digests import KINDS
from schleier.kernels.pseudonyms.shapes import Algorithm


def packed(values: list[bytes]) -> tuple[digests.Whole, digests.Bytes]:
    starts = np.concatenate([[0], np.cumsum([len(value) for value in values])]).astype(np.int64)
    return starts, np.frombuffer(b"".join(values), np.uint8)


def rows(found: digests.Bytes) -> list[bytes]:
    return [row.tobytes() for row in found]


@pytest.mark.parametrize("name", KINDS)
def test_every_length_up_to_some_blocks(name: Algorithm) -> None:
    values = [bytes(range(256))[:length] for length in range(200)]
    assert rows(digests.digests(name, *packed(values))) == [hashlib.new(name, value).digest() for value in values]
    for key in (b"", b"k", bytes(64), bytes(range(100))):
        assert rows(digests.tags(name, key, *packed(values))) == [hmac.new(key, v, name).digest() for v in values]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(list(KINDS)), st.lists(st.binary(max_size=150), max_size=40), st.binary(max_size=80))
def test_values_of_any_lengths_beside_each_other(name: Algorithm, values: list[bytes], key: bytes) -> None:
    assert rows(digests.digests(name, *packed(values))) == [hashlib.new(name, value).digest() for value in values]
    assert rows(digests.tags(name, key, *packed(values))) == [hmac.new(key, v, name).digest() for v in values]
