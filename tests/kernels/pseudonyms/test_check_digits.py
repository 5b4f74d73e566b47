"""Check digits: published examples, and every single mistake in a digit is seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.pseudonyms import check_digits as digits
from schleier.kernels.pseudonyms.check_digits import Numerals, Whole, numerals_of

ACCOUNTS = ("DE89370400440532013000", "AT611904300234573201", "CH9300762011623852957", "GB82WEST12345698765432")
"""Examples of the register of ISO 13616."""
PUBLISHED: list[tuple[Callable[[Numerals], Whole], str, int]] = [
    (digits.luhn, "411111111111111", 1),  # test number of card schemes
    (digits.article, "400638133393", 1),  # EAN-13
    (digits.identity_card, "T22000129", 3),  # specimen of the German identity card
    (digits.two_digits_97, "529900T8BM49AURSDO", 55),  # LEI, ISO 17442
    (digits.mod_11_10, "8609574271", 9),  # test number of the German tax administration
    (digits.pension, "15070649C10", 3),  # example of the German pension insurance
    (digits.health, "A12345678", 0),  # example of the German health insurance
    (digits.vehicle, "1M8GDM9AXKP042788", 10),  # 49 CFR 565
]


@pytest.mark.parametrize(("rule", "word", "expected"), PUBLISHED)
def test_published_examples(rule: Callable[[Numerals], Whole], word: str, expected: int) -> None:
    assert rule(numerals_of(word)).tolist() == [expected]


@pytest.mark.parametrize("account", ACCOUNTS)
def test_accounts(account: str) -> None:
    assert digits.remainder_97(numerals_of(account[4:] + account[:4])).tolist() == [1]
    assert digits.two_digits_97(numerals_of(account[4:] + account[:2])).tolist() == [int(account[2:4])]


@pytest.mark.parametrize("security", ["DE000BASF111", "US0378331005"])
def test_securities(security: str) -> None:
    assert digits.luhn(digits.spread(numerals_of(security[:-1]))).tolist() == [int(security[-1])]


@given(st.text("0123456789", min_size=10, max_size=10), st.integers(0, 9), st.integers(1, 9))
def test_one_wrong_digit_is_always_seen(word: str, place: int, by: int) -> None:
    right = numerals_of(word)
    wrong = right.copy()
    wrong[0, place] = (wrong[0, place] + by) % 10
    for rule in (digits.luhn, digits.article, digits.mod_11_10, digits.two_digits_97):
        assert rule(right) != rule(wrong)


def test_a_column_is_its_words_one_by_one() -> None:
    words = np.random.default_rng(1).integers(0, 10, (50, 12)).astype(np.uint8)
    for rule in (digits.luhn, digits.article, digits.mod_11_10, digits.two_digits_97):
        assert rule(words).tolist() == [int(rule(word[None])[0]) for word in words]
