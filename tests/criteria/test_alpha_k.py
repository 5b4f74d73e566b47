"""(alpha, k)-anonymity: large classes in which no protected value is too frequent."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import ILLNESS, SCHEMA, Row, dataset, gaps, groups, judged, people, policies, values
from schleier.core.errors import SchleierError
from schleier.criteria.alpha_k import AlphaK


def most(part: list[Any], protected: tuple[str, ...]) -> float:
    """The part of the most frequent protected value."""
    counts = Counter(part)
    return max((n / len(part) for value, n in counts.items() if not protected or value in protected), default=0.0)


@given(
    rows=people,
    missing=policies,
    gap=gaps,
    alpha=st.sampled_from([0.25, 0.5, 2 / 3, 1]),
    k=st.sampled_from([2, 3]),
    protected=st.sampled_from([(), ("flu",), ("flu", "clot")]),
)
@settings(max_examples=60, deadline=None)
def test_it_is_its_definition(
    rows: list[Row], missing: str, gap: str, alpha: float, k: int, protected: tuple[str, ...]
) -> None:
    one = AlphaK(alpha=alpha, k=k, missing=missing, gaps=gap, values=protected)
    found = {key: (part, values(part, ILLNESS, gap)) for key, part in groups(rows, missing).items()}
    bad, verdict = judged(one, dataset(rows))
    assert bad == {key: len(part) < k or most(known, protected) > alpha + 1e-9 for key, (part, known) in found.items()}
    if found:
        assert verdict.level == pytest.approx(max(most(known, protected) for _, known in found.values()), abs=1e-8)


ROWS: list[Row] = [("x", 1, "flu", 10), ("x", 1, "flu", 20), ("x", 1, "flu", 30), ("x", 1, "clot", 40)]


def test_the_text_tells_both_levels() -> None:
    verdict = AlphaK(alpha=0.5, k=5).check(dataset(ROWS))
    assert verdict.level == 0.75 and not verdict.holds
    assert verdict.text == (
        "The smallest class holds 4 records; at least 5 are required. "
        "One value of 'illness' makes up 0.75 of a class; at most 0.5 is allowed, and 1 class fails."
    )


def test_one_record_is_no_plural() -> None:
    assert AlphaK(alpha=0.5, k=5).check(dataset(ROWS[:1])).text.startswith("The smallest class holds 1 record; ")


def test_numbers_can_be_protected_too() -> None:
    rows: list[Row] = [("x", 1, "flu", 10), ("x", 1, "flu", 10), ("x", 1, "flu", 20)]
    one = AlphaK(alpha=0.5, k=2, sensitive=["pay"], values=[20])
    assert one.check(dataset(rows)).holds
    assert not AlphaK(alpha=0.5, k=2, sensitive=["pay"], values=[10.0]).check(dataset(rows)).holds


def test_what_is_wrong_with_it_is_said_before_any_row_is_read() -> None:
    one = AlphaK(alpha=0.5, k=2, sensitive=["illness", "pay"], joint=True, values=["flu"])
    assert [p.code for p in one.problems(SCHEMA)] == ["joint-values"]
    named = AlphaK(alpha=0.5, k=2, sensitive=["age"], keys=[["place", "age"]])
    assert [p.code for p in named.problems(SCHEMA)] == ["sensitive-key"]


def test_k_is_about_all_keys_also_where_one_is_protected() -> None:
    """Two ages in each place, but each record is alone with both."""
    rows: list[Row] = [("x", 1, "flu", 1), ("x", 2, "flu", 1), ("y", 1, "flu", 1), ("y", 2, "flu", 1)]
    for names in (["age"], ["age", "place"], ["illness", "age"]):
        one = AlphaK(alpha=1, k=2, sensitive=names)
        assert list(one.problems(SCHEMA)) == []
        assert not one.check(dataset(rows)).holds
        assert one.check(dataset(rows * 2)).holds
    together = AlphaK(alpha=1, k=2, sensitive=["illness", "age"], joint=True)
    assert not together.check(dataset(rows)).holds and together.check(dataset(rows * 2)).holds
    verdict = AlphaK(alpha=0.5, k=2, sensitive=["age"]).check(dataset(rows * 2))
    assert (verdict.holds, verdict.level) == (True, 0.5)
    assert not AlphaK(alpha=0.4, k=2, sensitive=["age"]).check(dataset(rows * 2)).holds


@pytest.mark.parametrize("wrong", [{"alpha": 0, "k": 2}, {"alpha": 1.1, "k": 2}, {"alpha": 0.5, "k": 1}, {"k": 2}])
def test_impossible_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        AlphaK(**wrong)


def test_promises_and_strictness() -> None:
    assert AlphaK(alpha=0.5, k=2).monotone and not AlphaK(alpha=0.5, k=2).hereditary
    assert AlphaK(alpha=1, k=2).hereditary, "then it is k-anonymity"
    assert not AlphaK(alpha=1, k=2, missing="wildcard").hereditary
    assert not AlphaK(alpha=0.4, k=3).weaker_than(AlphaK(alpha=0.5, k=2))
    assert AlphaK(alpha=0.6, k=3).weaker_than(AlphaK(alpha=0.5, k=2))
