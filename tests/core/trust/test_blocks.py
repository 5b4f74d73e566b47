"""No public reading tells two outcomes apart that differ in fewer than ten right claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.amount import LEAST
from schleier.core.measure import ALARM, Finding
from schleier.core.trust.blocks import Learned, block_of, middle_of
from schleier.core.trust.coarse import FEW, USUAL, tell_coarsely, tell_in_a_sentence, tell_tried
from schleier.kernels.statistics.trials import Paired, Trials


def persons(correct: int, claims: int, targets: int, **more: Any) -> Finding:
    low, high = Trials(correct, targets).interval()
    detail = {
        "known": ["age"],
        "knowledge": "exact",
        "targets": targets,
        "contained": targets,
        "claims": claims,
        "correct": correct,
        "false_share": 1 - correct / claims if claims else 0.0,
        "baseline": 1 / 500,
        "records": 500,
        **more,
    }
    return Finding(name="x", value=correct / targets, low=low, high=high, better="lower", text="", detail=detail)


def values(correct: int, guessed: int, both: int, claims: int, **more: Any) -> Finding:
    right, pairs = Trials(correct, claims), Paired(correct - both, guessed - both, claims)
    (low, high), (less, most) = right.interval(), pairs.interval()
    detail = {
        "known": [],
        "sensitive": "income",
        "knowledge": "record",
        "targets": 1000,
        "without_value": 0,
        "claims": claims,
        "correct": correct,
        "false_share": 1 - correct / claims,
        "baseline": guessed / claims,
        "gained": correct - both,
        "difference": pairs.difference,
        "difference_low": less,
        "difference_high": most,
        **more,
    }
    return Finding(name="x", value=right.share, low=low, high=high, better="lower", text="", detail=detail)


def read(exact: Finding) -> str:
    """All that everybody reads of it."""
    public = tell_coarsely(exact, USUAL)
    return public.model_copy(update={"text": tell_in_a_sentence(public)}).model_dump_json()


def ways(claims: int) -> Iterator[tuple[int, int, int]]:
    """All that can come of so many claims: right ones, right guesses, and those of whom both are right."""
    for correct in range(claims + 1):
        for guessed in range(claims + 1):
            for both in range(max(correct + guessed - claims, 0), min(correct, guessed) + 1):
                yield correct, guessed, both


def refuse_narrow(groups: Iterable[set[int]], possible: int) -> None:
    for group in groups:
        assert len(group) >= min(LEAST, possible), f"a public reading tells {sorted(group)} apart"


@pytest.mark.parametrize("targets", [20, 47, 99, 150, 200, 333, 1000])
def test_a_public_reading_of_persons_fits_ten_counts(targets: int) -> None:
    for claims in (1, 9, 19, 20, 29, 30, 47, 99, 100, 108, 150, 199, 200, 311, 1000, 1500):
        most = min(claims, targets)
        groups = defaultdict[str, set[int]](set)
        for correct in range(most + 1):
            groups[read(persons(correct, claims, targets))].add(correct)
        refuse_narrow(groups.values(), most + 1)


@pytest.mark.parametrize("claims", [15, 20, 29, 41])
def test_a_public_reading_of_values_fits_ten_counts(claims: int) -> None:
    """However many are right by claim, by guess, and by both."""
    groups = defaultdict[Any, list[tuple[int, int, int]]](list)
    for way in ways(claims):
        told = Learned.of(claims, way[0], way[1], way[0] - way[2])
        groups[told].append(way)
    for told, some in groups.items():
        refuse_narrow([{way[0] for way in some}, {way[1] for way in some}], claims + 1)
        if len(some) < 50:
            assert len({read(values(*way, claims)) for way in some}) == 1, told


@given(st.data())
def test_many_claims_of_values_are_told_in_blocks(data: st.DataObject) -> None:
    """Whoever knows all that is told finds ten counts of right claims that fit it, for a large experiment, too."""
    claims = data.draw(st.integers(FEW, 2000))
    correct, guessed = (data.draw(st.integers(0, claims)) for _ in range(2))
    both = data.draw(st.integers(max(correct + guessed - claims, 0), min(correct, guessed)))
    told, fitting = Learned.of(claims, correct, guessed, correct - both), set[int]()
    (least, most), (fewest, largest) = block_of(correct, claims), block_of(guessed, claims)
    for other in range(least, most + 1):
        for guess in (fewest, guessed, largest):
            low, high = max(other + guess - claims, 0), min(other, guess)
            for same in {min(max(number, low), high) for number in (both, both - LEAST, both + LEAST, low, high)}:
                if Learned.of(claims, other, guess, other - same) == told:
                    fitting.add(other)
    assert len(fitting) >= LEAST


@pytest.mark.parametrize("differing", range(LEAST))
def test_where_claims_are_almost_the_guess_both_are_told_as_one(differing: int) -> None:
    """Whoever makes them knows which they are: what they gained may not show."""
    claims = 400
    told = set()
    for gained in range(differing + 1):
        for lost in range(differing - gained + 1):
            told.add(read(values(300 + gained, 300 + lost, 300, claims, differing=differing)))
    assert len(told) == 1
    outcome = tell_coarsely(values(300, 300, 300, claims, differing=differing), USUAL).detail["outcome"]
    assert outcome == ("unclear" if Paired(differing, 0, claims).interval()[0] > 0 else "guess")


def outcome_of(finding: Finding) -> str:
    """By the exact counts."""
    detail = finding.detail
    if "difference" in detail:
        gain, better = detail["difference"], detail["difference_low"] > 0
    else:
        gain, better = finding.value, (finding.low or 0.0) > detail["baseline"]
    return "guess" if not better else "alarm" if gain >= ALARM else "better"


RANKS = {"guess": 0, "unclear": 0.5, "better": 1, "alarm": 2}


@pytest.mark.parametrize("targets", [20, 99, 1000])
def test_no_outcome_of_persons_is_told_better_than_it_is(targets: int) -> None:
    for claims in {20, 99, 500} & set(range(targets + 1)):
        for correct in range(claims + 1):
            exact = persons(correct, claims, targets)
            told, true = tell_coarsely(exact, USUAL).detail["outcome"], outcome_of(exact)
            assert told == "unclear" or RANKS[told] >= RANKS[true]
            assert told != "unclear" or {
                outcome_of(persons(one, claims, targets)) != "guess"
                for one in range(block_of(correct, claims)[0], block_of(correct, claims)[1] + 1)
            } == {False, True}


def test_no_outcome_of_values_is_told_better_than_it_is() -> None:
    claims = 41
    for way in ways(claims):
        if not sum(way) % 7:
            exact = values(*way, claims)
            told, true = tell_coarsely(exact, USUAL).detail["outcome"], outcome_of(exact)
            assert told == "unclear" or RANKS[told] >= RANKS[true], way


def test_the_middle_of_a_block_is_in_it() -> None:
    for most in range(60):
        for count in range(most + 1):
            least, largest = block_of(count, most)
            assert least <= count <= largest and least <= middle_of(count, most) <= largest
            assert largest - least + 1 >= min(LEAST, most + 1)


@pytest.mark.parametrize("targets", [60, 100, 333])
def test_what_a_measure_tried_is_told_in_blocks(targets: int) -> None:
    groups = defaultdict[str, set[int]](set)
    for found in range(targets + 1):
        low, high = Trials(found, targets).interval()
        detail = {"targets": targets, "found": found / targets, "found_low": low, "found_high": high, "correct": found}
        exact = Finding(name="x", value=found / targets, low=low, high=high, better="lower", text="", detail=detail)
        told = tell_tried(exact, {"found": "targets", "found_low": "targets", "found_high": "targets", "correct": ""})
        assert told is not None
        groups[told.model_dump_json()].add(found)
    refuse_narrow(groups.values(), targets + 1)
