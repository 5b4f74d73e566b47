"""Pseudonyms with two check symbols: as many errors are noticed, and put right, as Faldum and Pommerening state."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from schleier.extras.pseudonyms._pid import COLUMNS, DIGITS, LENGTH, LETTERS, drawn, nearest, pid_of, times, valid

NUMBERS = st.integers(0, 2**30 - 1)
PLACES = st.integers(0, LENGTH - 1)
LETTER = st.sampled_from(LETTERS)


def replaced(word: str, place: int, letter: str) -> str:
    return word[:place] + letter + word[place + 1 :]


def test_parity_columns_and_sums_of_neighbours_have_fifteen_directions() -> None:
    """So every two errors are noticed, and one error or one exchange of neighbours has a syndrome of its own."""
    sums = [(one[0] ^ other[0], one[1] ^ other[1]) for one, other in pairwise(COLUMNS)]
    lines = {frozenset((times(x, a), times(x, b)) for x in range(1, 32)) for a, b in (*COLUMNS, *sums)}
    assert len(lines) == len(COLUMNS) + len(sums) == 15


@given(NUMBERS, PLACES, PLACES, LETTER, LETTER)
def test_two_wrong_characters_are_noticed(number: int, one: int, other: int, first: str, second: str) -> None:
    word = pid_of(number)
    wrong = replaced(replaced(word, one, first), other, second)
    assert valid(word)
    assert valid(wrong) == (wrong == word)


@given(NUMBERS, PLACES, LETTER)
def test_one_wrong_character_is_put_right(number: int, place: int, letter: str) -> None:
    assert nearest(replaced(pid_of(number), place, letter)) == pid_of(number)


@given(NUMBERS, st.integers(0, LENGTH - 2))
def test_neighbours_that_changed_places_are_put_back(number: int, place: int) -> None:
    word = pid_of(number)
    wrong = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    assert nearest(wrong) == word


def test_characters_that_look_alike_are_left_out() -> None:
    assert len(DIGITS) == 32 and not set("01IO") & set(LETTERS)
    assert valid(drawn()) and not valid("2222222I") and not valid("") and nearest("short") is None
