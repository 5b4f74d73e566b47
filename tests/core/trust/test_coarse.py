"""What everybody reads of an experiment does not tell which claims are right."""

from __future__ import annotations

from typing import Any

import pytest

from schleier.core.measure import Finding
from schleier.core.trust.coarse import (
    FEW,
    USUAL,
    Openness,
    hide_presence,
    interval_of,
    share_of,
    tell_coarsely,
    tell_in_a_sentence,
)
from schleier.kernels.statistics.trials import Paired, Trials


def persons(correct: int, claims: int, targets: int = 1000, contained: int | None = None) -> Finding:
    found = Trials(correct, targets)
    low, high = found.interval()
    detail: dict[str, Any] = {
        "known": ["age"],
        "knowledge": "exact",
        "targets": targets,
        "contained": targets if contained is None else contained,
        "claims": claims,
        "correct": correct,
        "false_share": 1 - correct / claims if claims else 0.0,
        "baseline": 1 / 500,
        "records": 500,
    }
    return Finding(name="x", value=found.share, low=low, high=high, better="lower", text="", detail=detail)


def values(correct: int, claims: int, guessed: int = 0, **more: Any) -> Finding:
    right, pairs = Trials(correct, claims), Paired(correct, guessed, claims)
    (low, high), (less, most) = right.interval(), pairs.interval()
    detail = {
        "known": [],
        "sensitive": "income",
        "knowledge": "record",
        "targets": 1000,
        "without_value": 0,
        "claims": claims,
        "correct": correct,
        "baseline": guessed / claims if claims else 0.0,
        "difference": pairs.difference,
        "difference_low": less,
        "difference_high": most,
        "gained": correct,
    }
    return Finding(name="x", value=right.share, low=low, high=high, better="lower", text="", detail=detail | more)


def numbers(finding: Finding) -> list[float]:
    parts = [finding.value, finding.low, finding.high, *finding.detail.values()]
    return [part for part in parts if isinstance(part, float)]


@pytest.mark.parametrize("exact", [persons(300, 311), values(300, 311, 29)])
def test_one_claim_more_that_is_right_is_not_seen(exact: Finding) -> None:
    more = persons(301, 311) if "records" in exact.detail else values(301, 311, 29)
    assert tell_coarsely(exact, USUAL) == tell_coarsely(more, USUAL)


def test_counts_of_what_was_right_are_not_told() -> None:
    public = tell_coarsely(persons(293, 311, contained=900), USUAL)
    assert public.detail["correct"] is None and public.detail["claims"] is None and public.detail["contained"] is None
    assert (public.low, public.high) == (0.25, 0.35) and public.value == 0.3
    assert public.detail["claims_share"] == 0.3 and public.detail["false_share"] == 0.05
    assert public.detail["contained_share"] == 0.9 and public.detail["baseline"] == pytest.approx(0.9 / 500)
    assert public.detail["targets"] == 1000 and public.detail["outcome"] == "alarm"


@pytest.mark.parametrize(("targets", "step"), [(1000, 0.05), (199, 0.1), (99, 0.2), (49, 0.5), (19, 1.0)])
def test_a_step_holds_ten_persons(targets: int, step: float) -> None:
    for correct in range(0, targets + 1, 7):
        low, high = interval_of(*Trials(correct, targets).interval(), targets)
        assert {round(end / step, 6) % 1 for end in (low, high)} == {0}
        share = share_of(correct / targets, targets)
        assert share is None if step >= 0.5 else low <= (share or 0.0) <= high


@pytest.mark.parametrize(
    "finding", [persons(FEW - 1, FEW - 1), persons(FEW - 1, FEW - 1, 200), values(FEW - 1, FEW - 1), values(0, FEW - 1)]
)
def test_what_few_claims_came_to_stays_with_the_holder(finding: Finding) -> None:
    public = tell_coarsely(finding, USUAL)
    assert public.detail["outcome"] == "withheld"
    assert "fewer than 20" in tell_in_a_sentence(public)
    other = persons(0, FEW - 1, finding.detail["targets"]) if "records" in finding.detail else values(FEW // 2, FEW - 1)
    assert tell_coarsely(other, USUAL) == public


def test_that_there_was_no_claim_is_told() -> None:
    for finding in (persons(0, 0), values(0, 0)):
        public = tell_coarsely(finding, USUAL)
        assert public.detail["claims"] == 0 and public.detail["outcome"] == "guess"
        assert public.value == 0.0  # nobody was found, and that is told
    told = tell_in_a_sentence(tell_coarsely(persons(0, 0), USUAL))
    assert told.startswith("Of 1000 persons looked for, nobody was found;")
    assert "between 0%" in tell_in_a_sentence(tell_coarsely(persons(0, 100), USUAL))


def test_the_outcome_is_one_for_all_counts_that_are_told_alike() -> None:
    """Of 1000 persons, 3 are clearly more than guessing and 2 are not: that is told of neither."""

    def outcome(finding: Finding) -> Any:
        return tell_coarsely(finding, USUAL).detail["outcome"]

    assert [outcome(persons(n, 400)) for n in (0, 2, 9, 10, 89, 90)] == [*["unclear"] * 3, "better", "better", "alarm"]
    assert [outcome(values(n, 400, 130)) for n in (131, 171, 189)] == ["guess", "unclear", "alarm"]
    assert outcome(values(1500, 4000, 1300)) == "better"


def test_the_sentence_says_no_more_than_the_page() -> None:
    """Where steps do not show a gain, it is more than guessing person by person only."""
    from markupsafe import Markup

    from schleier.report.attacks import tell_attack
    from schleier.report.language import Words, plain

    cases = {
        "clearly more": (values(1900, 4000, 1300, targets=4000), "gives away the rest"),
        "person by person": (values(1420, 4000, 1300, gained=200, targets=4000), "Compared person by person"),
        "cannot be told": (values(1300, 4000, 1300, targets=4000), "cannot be told from guessing"),
        "is not told": (values(1400, 4000, 1300, targets=4000), "Only the data holder is told"),
    }
    for said, (exact, shown) in cases.items():
        public = tell_coarsely(exact.model_copy(update={"name": "attribute_inference"}), USUAL)
        page = plain(Markup(" ").join(tell_attack(public, 1, Words.of("en")).short))
        assert said in tell_in_a_sentence(public) and shown in page, public.detail


def test_fewer_than_ten_without_a_value_are_counted_among_the_others() -> None:
    none, few, many = (tell_coarsely(values(300, 400, without_value=n), USUAL).detail for n in (0, 9, 13))
    assert (none["targets"], none["without_value"]) == (1000, None)
    assert (few["targets"], few["without_value"]) == (1009, None)
    assert (many["targets"], many["without_value"]) == (1013, 10)


def test_what_nobody_declared_open_is_not_told() -> None:
    public = tell_coarsely(values(300, 400, secret=0.123, lift=7.5), USUAL)
    assert public.detail["secret"] is None and public.detail["lift"] is None
    assert all(round(number * 40, 6) % 1 == 0 for number in numbers(public))
    opened = tell_coarsely(values(300, 400, secret=0.123), USUAL | Openness(frozenset({"secret"})))
    assert opened.detail["secret"] == 0.123


def test_outsiders_read_an_experiment_as_everybody_does() -> None:
    """What blind guessing finds is one of so many records, not ten of them."""
    from schleier.attacks.exact_match import ExactMatch
    from schleier.core.trust.outsiders import for_outsiders

    told = tell_coarsely(values(300, 400), USUAL)
    assert for_outsiders(told, ExactMatch(), 4580) == told


def test_how_many_of_a_file_took_part_is_not_told_to_whom_brings_it() -> None:
    exact = persons(300, 311, contained=900)
    exact = exact.model_copy(update={"detail": {**exact.detail, "knowledge": "file"}})
    other = exact.model_copy(update={"detail": {**exact.detail, "contained": 320, "baseline": 0.32 / 500}})
    public, same = (tell_coarsely(hide_presence(one) or one, USUAL) for one in (exact, other))
    assert public == same and public.detail.get("contained_share") is None
    assert public.detail["baseline"] == pytest.approx(1 / 500)


def test_claims_about_values_by_a_file_are_not_told_at_all() -> None:
    """They are judged for those alone who took part: a count of them, in tens or not, would tell how many these are."""
    exact = values(300, 400)
    assert hide_presence(exact) == exact
    assert hide_presence(exact.model_copy(update={"detail": {**exact.detail, "knowledge": "file"}})) is None


@pytest.mark.parametrize("edge", [10, 20, 30])
def test_numbers_of_persons_are_told_in_blocks_of_ten(edge: int) -> None:
    told = [USUAL.open("without_value", many) for many in range(edge - 1, edge + 11)]
    assert told[1:11] == [edge] * 10 and told[0] != edge and told[11] == edge + 10


@pytest.mark.parametrize("targets", [60, 100, 333, 1000])
def test_how_many_of_the_targets_are_there_is_told_in_blocks(targets: int) -> None:
    """To the nearest step, none and all would be told of half a step: of five persons."""
    told = [tell_coarsely(persons(0, 0, targets, contained=n), USUAL).detail["contained_share"] for n in range(targets)]
    assert all(told.count(share) >= 10 for share in set(told))
    assert told[0] == 0.0 and tell_coarsely(persons(0, 0, targets), USUAL).detail["contained_share"] == 1.0
