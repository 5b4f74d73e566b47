from __future__ import annotations

import pytest

from schleier.draft.gaps import EMPTY, codes_for_missing, labelled_as_missing, words_for_missing


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["1", "2", "NA"], ("NA",)),
        (["1", "n/a", " - ", "."], ("n/a", " - ", ".")),
        (["ja", "nein", "keine Angabe"], ("keine Angabe",)),
        (["AT", "DE", "NA"], ()),
        (["rot", "grün"], ()),
    ],
)
def test_words(values: list[str], found: tuple[str, ...]) -> None:
    assert words_for_missing(values) == found


def test_among_categories_a_reason_is_a_category() -> None:
    assert words_for_missing(["yes", "unknown", "?"], EMPTY) == ("?",)


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([0, 17, 60, -9, -8], (-9, -8)),
        ([17, 44, 99], ()),  # people may be 99
        ([1, 2, 3, 99], (99,)),
        ([1, 2, 3, 98, 99], (98, 99)),
        ([17, 44, 999], (999,)),
        ([1000, 2500, 9999], ()),
        ([1000, 2500, 99999], (99999,)),
        ([-9.5, -9, 3], ()),
        ([-20, -9, 30], ()),  # temperatures
        ([-9], ()),
        ([-9, -8], ()),
        ([], ()),
    ],
)
def test_codes(numbers: list[float], found: tuple[int, ...]) -> None:
    assert codes_for_missing(numbers) == found


def test_labels() -> None:
    labels = {"1": "Mann", "2": "Frau", "97": "verweigert", "98": "don't know", "99": "K.A.", "3": "Anna"}
    assert labelled_as_missing(labels) == ("97", "98", "99")


def test_a_place_whose_name_begins_like_a_gap_is_a_place() -> None:
    assert labelled_as_missing({"1": "Na h-Eileanan an Iar", "2": "Ayr", "3": "NA", "4": "n/a (filter)"}) == ("3", "4")
