"""What classes give away about sensitive values, against guessing row by row."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.small_tables import SCHEMA, alike, dataset, kept, many
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.methods.drop import Drop
from schleier.risk.attribute_risk import ENDS, AttributeRisk


def measured(people: list[tuple[Any, ...]], **parameters: Any) -> Finding:
    data = dataset(people)
    return AttributeRisk(**parameters).measure(Case(data, data), Run())


def test_worked_out_by_hand() -> None:
    """Three of four in the first class are ill, both in the second are not: five of six guesses are right, and three of
    six without knowing the class; for the second class it is certain."""
    people = [("a", "a", ill, 1.0, "h", 1.0) for ill in "xxxy"] + [("b", "a", "y", 1.0, "h", 2.0)] * 2
    found = measured(people, sensitive=["ill"])
    told = found.detail["after"]["ill"]
    assert (told["hits"], told["blind"], told["sure"]) == (5 / 6, 0.5, pytest.approx(2 / 6))
    assert found.value == told["gain"] == pytest.approx((5 / 6 - 0.5) / 0.5)
    assert (told["homogeneous"], told["sure_not_unique"]) == (1, told["sure"])
    assert told["weighted_sure"] == 4 / 8
    assert told["chances"] == {"up_to": list(ENDS), "records": [0, 1, 0, 3, 0, 2]}
    assert found.text == (
        "Who knows the class of a record guesses ill right for 83.33% of the records, without that knowledge for "
        "50.00%; ill is known for sure for 33.33%."
    )


@settings(max_examples=25)
@given(many, st.sampled_from(["category", "wildcard", "exclude"]), st.sampled_from(["value", "ignore"]))
def test_as_guessed_row_by_row(people: list[tuple[Any, ...]], missing: str, gaps: str) -> None:
    told = measured(people, missing=missing, gaps=gaps).detail["after"]
    seen = kept(people, missing)
    for place, name in ((2, "ill"), (3, "pay")):
        counted = [row for row in seen if gaps == "value" or row[place] is not None]
        around = [[other[place] for other in counted if alike(one, other, missing)] for one in counted]
        values = [row[place] for row in counted]
        hits = sum(max(each.count(v) for v in each) / len(each) for each in around)
        n = len(counted)
        assert told[name]["records"] == n
        assert told[name]["hits"] == pytest.approx(hits / n if n else 0)
        assert told[name]["blind"] == pytest.approx(max(map(values.count, values)) / n if n else 0)
        same = [len(set(each)) == 1 and each[0] is not None for each in around]
        assert told[name]["sure"] == pytest.approx(sum(same) / n if n else 0)
        sure = [one and len(each) > 1 for one, each in zip(same, around, strict=True)]
        assert told[name]["sure_not_unique"] == pytest.approx(sum(sure) / n if n else 0)
        own = [each.count(value) / len(each) for each, value in zip(around, values, strict=True)]
        ends = [next(i for i, end in enumerate(ENDS) if chance <= end + 1e-9) for chance in own]
        assert told[name]["chances"]["records"] == [ends.count(i) for i in range(len(ENDS))]
    assert "close" not in told["ill"]
    known = [[v for v in each if v is not None] for each in around]
    near = [bool(each) and max(each) - min(each) <= 4 for each in known]  # 100 and 104 are within 5 % of 102
    assert told["pay"]["close"] == pytest.approx(sum(near) / n if n else 0)


def test_values_that_say_nothing_new() -> None:
    """Everybody has the same value: sure, but without knowledge of the class as well."""
    found = measured([("a", "a", "x", 1.0, "h", 1.0), ("b", "a", "x", 1.0, "h", 1.0)], sensitive=["ill"])
    assert found.value == 0 and found.detail["after"]["ill"]["sure"] == 1


def test_a_class_of_gaps_is_not_known_for_sure() -> None:
    """Nobody of the first class has a value: that is no value an attacker learns; the second has one for all."""
    people = [("a", "a", None, 1.0, "h", 1.0)] * 3 + [("b", "a", "x", 1.0, "h", 1.0)]
    told = measured(people, sensitive=["ill"]).detail["after"]["ill"]
    assert (told["sure"], told["homogeneous"], told["sure_not_unique"]) == (0.25, 1, 0)
    assert told["weighted_sure"] == 0.25


def test_a_column_without_values_is_not_known_for_sure() -> None:
    people = [("a", "a", None, pay, "h", 1.0) for pay in (1.0, 2.0)] + [("b", "a", None, 3.0, "h", 1.0)] * 2
    found = measured(people, sensitive=["ill", "pay"])
    assert (found.detail["sure_column"], found.detail["sure"]) == ("pay", 0.5)
    told = found.detail["after"]["ill"]
    assert (told["gain"], told["sure"], told["homogeneous"]) == (0, 0, 0)


def test_before_leaves_out_what_the_original_lacks_and_after_what_was_dropped() -> None:
    old = dataset([("a", "a", "x", 1.0, "h", 1.0), ("b", "a", "y", 2.0, "h", 1.0)])
    new = Drop(columns=["age", "pay"]).apply(old, Run())
    found = AttributeRisk().measure(Case(old, new), Run()).detail
    assert set(found["after"]) == set(found["before"]) == {"ill"}


def test_bad_input() -> None:
    def codes(one: AttributeRisk) -> list[str]:
        return [problem.code for problem in one.problems(SCHEMA)]

    assert codes(AttributeRisk()) == []
    assert codes(AttributeRisk(sensitive=["sex"])) == ["sensitive-key"]
    assert codes(AttributeRisk(sensitive=["illness"])) == ["unknown-column"]
    bare = SCHEMA.without(["ill", "pay", "sex", "age"])
    assert [problem.code for problem in AttributeRisk().problems(bare)] == ["no-keys", "no-sensitive"]


def test_weights_that_not_all_records_have() -> None:
    found = measured([("a", "a", "x", 1.0, "h", None)])
    assert found.detail["cautions"] == ["weights"]
    assert "weighted_sure" not in found.detail["after"]["ill"]


def test_empty_table() -> None:
    found = measured([])
    assert found.value == 0 and found.detail["after"]["pay"]["close"] == 0


def test_persons_without_a_value_are_not_counted_when_gaps_are_ignored() -> None:
    people = [("a", "a", "x", 1.0, "h", 3.0), ("b", "a", "x", 1.0, "h", 1.0), ("b", "a", "y", 1.0, "h", 1.0)]
    people += [("c", "a", None, 1.0, "h", 95.0)]
    told = measured(people, sensitive=["ill"], gaps="ignore").detail["after"]["ill"]
    assert (told["sure"], told["weighted_sure"]) == (pytest.approx(1 / 3), pytest.approx(3 / 5))
    nobody = measured(people[3:], sensitive=["ill"], gaps="ignore").detail["after"]["ill"]
    assert (nobody["records"], nobody["sure"], nobody["weighted_sure"], nobody["hits"]) == (0, 0, 0, 0)


def test_an_original_without_the_keys_is_left_out() -> None:
    people = [("a", "a", "x", 1.0, "h", 1.0), ("b", "a", "x", 1.0, "h", 1.0)]
    lacking = dataset([row[1:] for row in people], Schema(columns=SCHEMA.columns[1:]))
    assert AttributeRisk().measure(Case(lacking, dataset(people)), Run()).detail["before"] is None
