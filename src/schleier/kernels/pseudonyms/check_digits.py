"""Check digits of whole columns. A word is a row of numerals: 0 to 9 for digits, 10 to 35 for letters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Numerals = NDArray[np.uint8]
Whole = NDArray[np.int64]
ROOM = np.uint64(1 << 56)
"""Below this, a number of 64 bits holds two more digits."""


def numerals_of(word: str) -> Numerals:
    """A word as a row of numerals.

    >>> numerals_of("DE05").tolist()
    [[13, 14, 0, 5]]
    """
    return np.array([[int(letter, 36) for letter in word]], np.uint8)


def spread(words: Numerals) -> Numerals:
    """Letters as two digits each, where all words have them in the same places.

    >>> spread(numerals_of("A1")).tolist()
    [[1, 0, 1]]
    """
    columns = [part for place in words.T for part in ((place // 10, place % 10) if (place > 9).any() else (place,))]
    return np.stack(columns, axis=1).astype(np.uint8)


def sum_of(words: Numerals, weights: tuple[int, ...], *, crossed: bool = False) -> Whole:
    """The sum of numerals, weighed from the right over and over; ``crossed`` takes the sum of the digits of a product.

    >>> sum_of(numerals_of("18"), (2, 1), crossed=True).tolist()  # 2 x 8 = 16, 1 + 6 = 7
    [8]
    """
    length = words.shape[1]
    weight = np.array([weights[(length - 1 - place) % len(weights)] for place in range(length)], np.int64)
    total: Whole = _sums(words, weight, crossed)
    return total


@unheld
def _sums(words: Any, weight: Any, crossed: bool) -> Any:
    found = np.zeros(len(words), np.int64)
    for i in range(len(words)):
        for place in range(words.shape[1]):
            product = words[i, place] * weight[place]
            found[i] += product // 10 + product % 10 if crossed else product
    return found


def complement(total: Whole, modulus: int = 10) -> Whole:
    """What is missing to the next multiple.

    >>> complement(np.array([17, 20])).tolist()
    [3, 0]
    """
    return -total % modulus


def luhn(words: Numerals) -> Whole:
    """The check digit of cards, and of securities after their letters were spread (ISO/IEC 7812, ISO 6166).

    >>> luhn(numerals_of("411111111111111")).tolist(), luhn(spread(numerals_of("DE000BASF11"))).tolist()
    ([1], [1])
    """
    return complement(sum_of(words, (2, 1), crossed=True))


def article(words: Numerals) -> Whole:
    """The check digit of articles (EAN, GTIN).

    >>> article(numerals_of("400638133393")).tolist()
    [1]
    """
    return complement(sum_of(words, (3, 1)))


def identity_card(words: Numerals) -> Whole:
    """The check digit of identity documents (ICAO 9303): 7, 3, 1 from the left.

    >>> identity_card(numerals_of("T22000129")).tolist()
    [3]
    """
    return sum_of(words[:, ::-1], (7, 3, 1)) % 10


def remainder_97(words: Numerals) -> Whole:
    """Words as numbers, letters as two digits, modulo 97 (ISO 7064).

    >>> remainder_97(numerals_of("370400440532013000DE89")).tolist()  # an account number that is right
    [1]
    """
    found: Whole = _remainders(words, 0)
    return found


def two_digits_97(words: Numerals) -> Whole:
    """The two check digits that make the remainder 1: of accounts with the country behind, and of legal entities.

    >>> two_digits_97(numerals_of("370400440532013000DE")).tolist()
    [89]
    >>> two_digits_97(numerals_of("529900T8BM49AURSDO")).tolist()
    [55]
    """
    found: Whole = 98 - _remainders(words, 2)
    return found


@unheld
def _remainders(words: Any, zeros: int) -> Any:
    """Modulo 97, with so many zeros behind."""
    found = np.zeros(len(words), np.int64)
    for i in range(len(words)):
        rest = np.uint64(0)
        for place in range(words.shape[1] + zeros):
            numeral = np.uint64(words[i, place]) if place < words.shape[1] else np.uint64(0)
            rest = rest * np.uint64(100 if numeral > 9 else 10) + numeral
            if rest >= ROOM:
                rest %= np.uint64(97)
        found[i] = rest % np.uint64(97)
    return found


def mod_11_10(words: Numerals) -> Whole:
    """The check digit of tax numbers (ISO 7064, mod 11,10).

    >>> mod_11_10(numerals_of("8609574271")).tolist()
    [9]
    """
    product = np.full(len(words), 10, np.int64)
    for place in words.T.astype(np.int64):
        total = (place + product) % 10
        product = np.where(total == 0, 10, total) * 2 % 11
    return (11 - product) % 10


def pension(words: Numerals) -> Whole:
    """The check digit of German pension numbers: area, date of birth, letter of the name, serial number (SGB VI 147).

    >>> pension(numerals_of("15070649C10")).tolist()
    [3]
    """
    return sum_of(_with_a_letter(words, 8)[:, ::-1], (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), crossed=True) % 10


def health(words: Numerals) -> Whole:
    """The check digit of German health insurance numbers: a letter and eight digits (SGB V 290).

    >>> health(numerals_of("A12345678")).tolist()
    [0]
    """
    return sum_of(_with_a_letter(words, 0)[:, ::-1], (1, 2), crossed=True) % 10


def _with_a_letter(words: Numerals, place: int) -> Numerals:
    """The letter at a place as its number in the alphabet, in two digits: A is 01."""
    number = words[:, place] - 9
    halves = np.stack([number // 10, number % 10], axis=1)
    return np.hstack([words[:, :place], halves, words[:, place + 1 :]]).astype(np.uint8)


VEHICLE = np.array([*range(10), 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 0, 7, 0, 9, 2, 3, 4, 5, 6, 7, 8, 9], np.uint8)
"""What a letter of a vehicle's number counts; I, O and Q do not occur."""


def vehicle(words: Numerals) -> Whole:
    """The check digit of vehicles, which stands at the ninth place and is 10 for an X (49 CFR 565).

    >>> vehicle(numerals_of("1M8GDM9AXKP042788")).tolist()
    [10]
    """
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    return sum_of(VEHICLE[words][:, ::-1], weights) % 11
