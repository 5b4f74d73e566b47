"""Shares and intervals of what the trustee counts."""

from __future__ import annotations

from schleier.core.trust.answer import Answer, Inferred
from schleier.kernels.statistics.trials import Paired, Trials


def test_found_right_and_guessed() -> None:
    """Of 10 targets, 8 of them among 40 records: 5 claims, 3 of them right."""
    answer = Answer(targets=10, contained=8, claims=5, correct=3, records=40)
    assert (answer.found, answer.right) == (Trials(3, 10), Trials(3, 5))
    assert answer.guess == 8 / 10 / 40
    assert Answer(0, 0, 0, 0, 40).guess == Answer(10, 8, 5, 3, 0).guess == 0.0


def test_claims_against_guesses_about_the_same_persons() -> None:
    """Of 20 claims 12 are right, 7 of them only by the claim; the guess is right of 9: 4 of them only by the guess."""
    counts = {"targets": 25, "without": 1, "contained": 22, "rare": 0, "rare_correct": 0, "rare_guessed": 0}
    told = Inferred(claims=20, correct=12, guessed=9, gained=7, differing=11, **counts)
    assert told.right == Trials(12, 20)
    assert told.against_guess == Paired(7, 4, 20)
    assert told.against_guess.difference == (12 - 9) / 20
