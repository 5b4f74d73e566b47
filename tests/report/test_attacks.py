"""What experiments are told as: what was done, by which numbers, about how many persons; and why some were not."""

from __future__ import annotations

from typing import Any

import pytest

from schleier.core.measure import Finding
from schleier.report.attacks import tell_attack, tell_left_out
from schleier.report.language import Words, plain

EN, DE = Words.of("en"), Words.of("de")


def public(named: str, low: float, high: float, **detail: Any) -> Finding:
    usual = {"known": ["age"], "knowledge": "exact", "targets": 1000, "outcome": "alarm", "baseline": 0.01}
    value = (low + high) / 2
    return Finding(name=named, value=value, low=low, high=high, better="lower", text="-", detail=usual | detail)


def told(finding: Finding, words: Words = EN) -> str:
    return " ".join(plain(one) for one in tell_attack(finding, 1, words).short)


@pytest.mark.parametrize("outcome", ["better", "alarm"])
def test_membership_says_the_chance_it_rests_on(outcome: str) -> None:
    said = told(public("membership", 0.0, 0.1, outcome=outcome, area=0.65))
    assert "clearly more than guessing: one who took part" in said and "about 65 %" in said and "found" not in said
    assert "clearly more" in told(public("membership", 0.1, 0.2, outcome=outcome, area=0.5))  # not by the chance
    assert "etwa 65 %" in told(public("membership", 0.0, 0.1, outcome=outcome, area=0.65), DE)


def test_linked_entries_are_not_called_found() -> None:
    said = told(public("linkability", 0.8, 0.9, baseline=0.0006))
    assert "joined the entries of between 80 % and 90 %" in said and "found" not in said
    assert "of nobody" in told(public("linkability", 0.0, 0.05, claims=0))


def test_those_without_a_value_are_among_the_persons() -> None:
    ends = {"difference": 0.2, "difference_low": 0.1, "difference_high": 0.3}
    said = told(public("attribute_inference", 0.5, 0.6, sensitive="rent", without_value=390, claims_share=1.0, **ends))
    assert "with 1,000 persons" in said and "About 610 of them have a value" in said and "further" not in said


def test_a_small_share_of_guesses_is_told_by_its_step() -> None:
    assert "would find less than 5 %" in told(public("singling_out", 0.5, 0.6, baseline=0.0))
    few = public("singling_out", 0.4, 0.6, baseline=0.0, targets=60)
    assert "would find less than 20 %" in told(few)


def test_why_attacks_were_not_tried_depends_on_what_they_need() -> None:
    aimed, named, lacking, other = tell_left_out(["rescale", "learned_match", "exclusion", "sparse_match", "?"], EN)
    assert "not done here" in aimed
    assert "must be named" in named and "exclusion" in named
    assert "lack" in lacking and other.startswith("Not tried: ")
    assert len(tell_left_out(["learned_match", "rescale"], DE)) == 2 and not tell_left_out([], DE)
