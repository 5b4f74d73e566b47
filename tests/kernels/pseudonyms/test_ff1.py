"""FF1: the samples of NIST, round trips, and fast and slow ways that agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.pseudonyms import ff1

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
KEYS = (
    "2B7E151628AED2A6ABF7158809CF4F3C",
    "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F",
    "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94",
)
DIGITS, WORD = "0123456789", "0123456789abcdefghi"
TWEAKS = ("", "39383736353433323130", "3737373770717273373737")
SAMPLES = [
    (0, 10, 0, DIGITS, "2433477484"),
    (0, 10, 1, DIGITS, "6124200773"),
    (0, 36, 2, WORD, "a9tv40mll9kdu509eum"),
    (1, 10, 0, DIGITS, "2830668132"),
    (1, 10, 1, DIGITS, "2496655549"),
    (1, 36, 2, WORD, "xbj3kv35jrawxv32ysr"),
    (2, 10, 0, DIGITS, "6657667009"),
    (2, 10, 1, DIGITS, "1001623463"),
    (2, 36, 2, WORD, "xs8a0azh2avyalyzuwd"),
]
"""Key, radix, tweak, plain and enciphered word: NIST, FF1 samples to SP 800-38G (2016), 1 to 9."""


def aes(key: bytes) -> ff1.Cipher:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update


def letters(*words: str) -> ff1.Letters:
    return np.array([[ALPHABET.index(letter) for letter in word] for word in words], np.uint8)


def text(words: ff1.Letters) -> list[str]:
    return ["".join(ALPHABET[letter] for letter in word) for word in words]


@pytest.mark.parametrize(("key", "radix", "tweak", "plain", "enciphered"), SAMPLES)
def test_the_samples_of_nist(key: int, radix: int, tweak: int, plain: str, enciphered: str) -> None:
    how: Any = (radix, [bytes.fromhex(TWEAKS[tweak])], np.zeros(1, np.int64), aes(bytes.fromhex(KEYS[key])))
    assert text(ff1.permute(letters(plain), *how)) == [enciphered]
    assert text(ff1.permute(letters(enciphered), *how, back=True)) == [plain]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_way_back_and_the_slow_way(data: st.DataObject) -> None:
    """Any radix, length and tweaks; where numbers of the machine do, word by word it is the same."""
    radix = data.draw(st.integers(2, 36))
    length = data.draw(st.integers(2, 40))
    words = data.draw(st.lists(st.lists(st.integers(0, radix - 1), min_size=length, max_size=length), min_size=1))
    tweaks = data.draw(st.lists(st.binary(max_size=40), min_size=1, max_size=3))
    plain = np.array(words, np.uint8)
    which = np.arange(len(plain)) % len(tweaks)
    cipher = aes(bytes(range(16)))
    there = ff1.permute(plain, radix, tweaks, which, cipher)
    assert (there < radix).all()
    assert (ff1.permute(there, radix, tweaks, which, cipher, back=True) == plain).all()
    assert (ff1._permute_long(plain, ff1.Halves(radix, length), tweaks, which, cipher, False) == there).all()


def test_it_is_a_permutation() -> None:
    every = letters(*(f"{number:04d}" for number in range(10_000)))
    found = ff1.permute(every, 10, [b"bank"], np.zeros(10_000, np.int64), aes(bytes(32)))
    assert sorted(text(found)) == text(every) and text(found) != text(every)


def test_parts_are_enciphered_as_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    words, one = letters(*(f"{number:06d}" for number in range(50))), np.zeros(50, np.int64)
    whole = ff1.permute(words, 10, [b""], one, aes(bytes(16)))
    monkeypatch.setattr(ff1, "AT_ONCE", 7)
    assert (ff1.permute(words, 10, [b""], one, aes(bytes(16))) == whole).all()
