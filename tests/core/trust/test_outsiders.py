"""Verdicts about a file that is not public: every broken number in steps, however it is written."""

from __future__ import annotations

import pytest

from schleier.core.criterion import Verdict
from schleier.core.trust.outsiders import verdict_for_outsiders


def told(level: float, records: int, threshold: float) -> Verdict:
    text = f"{level:.4g} of the records; at most {threshold:.10g} is allowed."
    exact = Verdict(criterion="c", parameters={}, holds=True, level=level, records=records, text=text)
    return verdict_for_outsiders(exact, {"threshold": threshold})


@pytest.mark.parametrize("alone", [1, 3, 4])
def test_a_small_share_is_coarse_in_the_sentence_too(alone: int) -> None:
    found = told(alone / 100_000, 100_000, 0.00002)
    assert (found.level, found.text) == (0.0, "0 of the records; at most 2e-05 is allowed.")


def test_level_and_sentence_end_on_the_same_step() -> None:
    found = told(
        round(55 / 108, 9), 108, 0.9
    )  # just below the middle of two steps; just above it when rounded to four digits
    assert found.text.startswith(f"{found.level} ")
