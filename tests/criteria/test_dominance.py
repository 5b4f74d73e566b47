"""The (n, k) rule: the largest contributors must not make up nearly all of a total."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.firms import Firm, contributions, contributors, dataset, firms, schema
from criteria.plain import judged
from schleier.core.errors import SchleierError
from schleier.criteria.dominance import Dominance


def parts(rows: list[Firm], missing: str) -> dict[tuple[str | None], list[Firm]]:
    places = {row[0] for row in rows if missing != "exclude" or row[0] is not None}
    any_place = missing == "wildcard"
    return {(place,): [row for row in rows if row[0] == place or (any_place and place is None)] for place in places}


@given(
    rows=firms,
    missing=st.sampled_from(["category", "wildcard", "exclude"]),
    owners=st.booleans(),
    n=st.sampled_from([1, 2, 3]),
    k=st.sampled_from([50, 80, 95]),
    least=st.sampled_from([1, 3]),
)
@settings(max_examples=80, deadline=None)
def test_it_is_its_definition(rows: list[Firm], missing: str, owners: bool, n: int, k: float, least: int) -> None:
    def fails(part: list[Firm]) -> bool:
        amounts = contributions(part, owners=owners)
        many = contributors(part, owners=owners)
        return (sum(amounts) > 0 and many < least) or 100 * sum(amounts[:n]) > k * sum(amounts)

    one = Dominance(columns=["turnover"], n=n, k=k, contributors=least, missing=missing)
    bad, verdict = judged(one, dataset(rows, owners=owners))
    assert bad == {key: fails(part) for key, part in parts(rows, missing).items()}
    assert verdict.holds == (not any(bad.values()))


SHOPS: list[Firm] = [("x", "a", 50.0), ("x", "a", 40.0), ("x", "b", 30.0), ("x", "c", 30.0)]


def test_rows_of_one_owner_are_one_contribution() -> None:
    one = Dominance(columns=["turnover"], n=1, k=50)
    assert one.check(dataset(SHOPS, owners=False)).holds
    assert not one.check(dataset(SHOPS, owners=True)).holds


def test_an_owner_of_two_places_is_one_contributor_when_they_are_merged() -> None:
    rows: list[Firm] = [(place, owner, 30.0) for place in "xy" for owner in "abc"] + [
        ("x", "d", 25.0),
        ("y", "d", 25.0),
    ]
    one = Dominance(columns=["turnover"], n=1, k=27, contributors=4)
    classes = dataset(rows, owners=True).classes(one.needs(schema(owners=True))[0])
    assert not one.bad(classes).any() and not one.bad(classes.at((1,))).any()
    assert classes.at((1,)).magnitudes["turnover"].contributors.tolist() == [4]
    # Three owners of two places each: the merged place has three contributors, and not six.
    three = dataset([row for row in rows if row[1] != "d"], owners=True)
    classes = three.classes(one.needs(schema(owners=True))[0]).at((1,))
    assert classes.magnitudes["turnover"].contributors.tolist() == [3]
    assert one.bad(classes).all()


def test_neither_level_nor_rule_is_published() -> None:
    """With the share of the largest contributor and the total his amount is known."""
    verdict = Dominance(columns=["turnover"], n=1, k=61.25).check(dataset(SHOPS, owners=True))
    assert verdict.level is None and verdict.holds
    assert verdict.parameters == {"columns": ["turnover"]}
    assert verdict.text == "No total of 'turnover' gives a contributor away."
    broken = Dominance(columns=["turnover"], n=2, k=61.25).check(dataset(SHOPS, owners=True))
    assert broken.text == "Few contributors make up the total of 'turnover', and 1 class fails."
    assert "61" not in verdict.model_dump_json() + broken.model_dump_json()


def test_large_and_small_amounts_do_not_overflow() -> None:
    rows: list[Firm] = (
        [("x", str(i), 4e15) for i in range(3)] + [("x", "z", 1e-3)] + [("y", "a", 9e17), ("y", "b", 1.0)]
    )
    one = Dominance(columns=["turnover"], n=1, k=40)
    assert judged(one, dataset(rows, owners=False))[0] == {("x",): False, ("y",): True}


def test_what_is_wrong_with_it_is_said_before_any_row_is_read() -> None:
    def codes(**parameters: Any) -> list[str]:
        return [p.code for p in Dominance(n=1, k=80, **parameters).problems(schema(owners=True))]

    assert codes(columns=["turnover"]) == []
    assert codes(columns=["owner"]) == ["not-numeric"]
    assert codes(columns=["turn"]) == ["unknown-column"]
    assert codes(columns=["turnover"], keys=[["turnover"]]) == ["sensitive-key"]


@pytest.mark.parametrize(
    "wrong", [{"n": 0, "k": 80}, {"n": 4, "k": 80}, {"n": 1, "k": 100}, {"n": 1, "k": 0}, {"n": 1}, {"k": 80}]
)
def test_impossible_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        Dominance(columns=["turnover"], **wrong)


def test_promises_and_strictness() -> None:
    one = Dominance(columns=["turnover"], n=1, k=80)
    assert one.monotone and not one.hereditary
    assert not Dominance(columns=["turnover"], n=1, k=80, missing="exclude").monotone
    assert not Dominance(columns=["turnover"], n=2, k=70, contributors=5).weaker_than(one)
    assert Dominance(columns=["turnover"], n=1, k=90).weaker_than(one)
