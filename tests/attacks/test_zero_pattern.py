"""Zeros that stay tell who has them."""

from __future__ import annotations

from attacks.worlds import codes, counts, table, tried
from schleier.attacks.exact_match import ExactMatch
from schleier.attacks.zero_pattern import ZeroPattern

ORIGINAL = table(branch=["a", "a", "a", "b", "b"], exports=[0.0, 5.0, 7.0, -3.0, 4.0])
NOISY = table(branch=["a", "a", "a", "b", "b"], exports=[0.0, 6.0, 6.5, -2.0, 5.0])


def test_the_only_one_that_exports_nothing_is_found_and_signs_tell_too() -> None:
    found = tried(ZeroPattern(zeros=["exports"], targets="all"), ORIGINAL, NOISY)
    assert counts(found) == (3, 3)
    assert counts(tried(ExactMatch(targets="all"), ORIGINAL, NOISY)) == (0, 0)


def test_noise_that_moves_zeros_hides_them() -> None:
    moved = table(branch=["a", "a", "a", "b", "b"], exports=[0.5, 6.0, 6.5, -2.0, 5.0])
    assert counts(tried(ZeroPattern(zeros=["exports"], targets="all"), ORIGINAL, moved)) == (2, 2)


def test_missing_is_a_pattern_of_its_own() -> None:
    original = table(branch=["a", "a"], exports=[None, 2.0])
    assert counts(tried(ZeroPattern(zeros=["exports"], targets="all"), original, original)) == (2, 2)


def test_wrong_parameters_are_named() -> None:
    assert codes(ZeroPattern(zeros=["branch"]), ORIGINAL.schema) == ["not-numeric"]
    assert codes(ZeroPattern(zeros=[]), ORIGINAL.schema) == ["missing-parameter"]
    assert codes(ZeroPattern(zeros=["export"]), ORIGINAL.schema) == ["unknown-column"]
