"""l-diversity: at least l well represented sensitive values in every class."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import ILLNESS, SCHEMA, Row, agrees, dataset, gaps, people, policies
from schleier.core.criterion import Limits
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.l_diversity import LDiversity
from schleier.kernels.spread.diversity import grassberger


def distinct(part: list[Any], _: list[Any]) -> float:
    return len(set(part))


def entropy(part: list[Any], _: list[Any]) -> float:
    counts = Counter(part).values()
    return math.exp(-sum(c / len(part) * math.log(c / len(part)) for c in counts)) if part else 0.0


def recursive(c: float) -> Any:
    """The largest l for which r1 < c (r_l + ... + r_m)."""

    def level(part: list[Any], _: list[Any]) -> float:
        r = sorted(Counter(part).values(), reverse=True)
        return max((n for n in range(1, len(r) + 1) if r[0] < c * sum(r[n - 1 :])), default=0)

    return level


@given(rows=people, missing=policies, gap=gaps, least=st.sampled_from([2, 2.5, 3]), c=st.sampled_from([0.5, 1, 2.5]))
@settings(max_examples=60, deadline=None)
def test_every_kind_is_its_definition(rows: list[Row], missing: str, gap: str, least: float, c: float) -> None:
    for kind, level in (("distinct", distinct), ("entropy", entropy), ("recursive", recursive(c))):
        one = LDiversity(l=least, kind=kind, c=c, missing=missing, gaps=gap)
        agrees(one, rows, ILLNESS, level, lambda part, every, level=level: level(part, every) < least - 1e-9)


ROWS: list[Row] = [("x", 1, "flu", 10), ("x", 1, "cough", 10), ("x", 1, None, 10), ("x", 2, "flu", 20)]


def test_the_least_diverse_class_decides() -> None:
    verdict = LDiversity(l=2).check(dataset(ROWS))
    assert (verdict.level, verdict.holds, verdict.bad_classes, verdict.bad_records) == (1, False, 1, 1)
    text = "The least diverse class holds 1 different value of 'illness'; at least 2 are required, and 1 class fails."
    assert verdict.text == text


def test_a_missing_value_is_a_value_or_not_counted() -> None:
    assert LDiversity(l=3, keys=[["place"]], gaps="value").check(dataset(ROWS)).level == 3
    assert LDiversity(l=3, keys=[["place"]]).check(dataset(ROWS)).level == 2


def test_columns_are_looked_at_one_by_one_or_together() -> None:
    names = {"keys": [["place"]], "sensitive": ["illness", "pay"]}
    assert LDiversity(l=2, **names).check(dataset(ROWS)).level == 2  # two amounts of pay
    together = LDiversity(l=2, joint=True, gaps="value", **names).check(dataset(ROWS))
    assert together.level == 4
    assert LDiversity(l=2, joint=True, **names).check(dataset(ROWS)).level == 3, "one lacks a part"
    assert "'illness', 'pay'" in together.text


def test_all_sensitive_columns_of_the_schema_are_taken() -> None:
    schema = SCHEMA.changed("pay", role="sensitive")
    one = LDiversity(l=2, keys=[["place"]])
    assert one.needs(schema)[0].sensitive == ("illness", "pay")
    together = LDiversity(l=2, keys=[["place"]], joint=True)
    assert together.needs(schema)[0].joint == (("illness", "pay"),)
    assert together.check(dataset(ROWS, schema)).level == 3
    assert together.check(dataset(ROWS)).level == 2, "one column is a combination of one"


def test_other_columns_of_a_shared_class_table_are_left_alone() -> None:
    """A search asks once for all criteria: what another one wanted to see must not be judged."""
    data = dataset([("x", 1, "flu", 10), ("x", 1, "cough", 10)])
    (request,) = LDiversity(l=2, keys=[["place"]], sensitive=["illness", "pay"]).needs(SCHEMA)
    classes = data.classes(request)
    assert not LDiversity(l=2).bad(classes).any()
    assert LDiversity(l=2, sensitive=["pay"]).bad(classes).all()


def test_a_table_without_sensitive_columns_does_not_pass() -> None:
    data = dataset(ROWS)
    from schleier.core.classes.request import Request

    with pytest.raises(ValueError, match="no sensitive column"):
        LDiversity(l=2).bad(data.classes(Request(("place",))))


@given(rows=people, named=st.sampled_from([("age",), ("place",), ("illness", "age"), ("place", "age", "illness")]))
@settings(max_examples=25, deadline=None)
def test_a_quasi_identifier_may_be_what_nobody_shall_learn(rows: list[Row], named: tuple[str, ...]) -> None:
    """Each of them in the classes of all keys but itself; a column that is no key in the classes of all keys."""
    data, places = dataset(rows), {column.name: i for i, column in enumerate(SCHEMA)}
    levels = []
    for name in named:
        keys = [places[key] for key in ("place", "age") if key != name]
        parts: dict[tuple[Any, ...], set[Any]] = {}
        for row in rows:
            parts.setdefault(tuple(row[i] for i in keys), set()).add(row[places[name]])
        levels += [len(values - {None}) for values in parts.values()]
    verdict = LDiversity(l=2, sensitive=named).check(data)
    assert (verdict.level, verdict.holds) == (min(levels), min(levels) >= 2)
    assert all(set(keys) < {"place", "age"} or "illness" in named for keys in verdict.keys)


def test_a_search_may_not_change_what_it_protects() -> None:
    from schleier.search._goals import unjudgeable

    one = LDiversity(l=2, sensitive=["age"])
    assert [problem.code for problem in unjudgeable(one, SCHEMA, ["place", "age"])] == ["sensitive-key"]
    assert list(unjudgeable(one, SCHEMA, ["place"])) == []


def test_a_key_that_was_named_stays_one() -> None:
    both = LDiversity(l=2, keys=[["place", "age"]], sensitive=["age"])
    assert [problem.code for problem in both.problems(SCHEMA)] == ["sensitive-key"]
    together = LDiversity(l=2, sensitive=["age", "illness"], joint=True)
    assert [request.keys for request in together.needs(SCHEMA)] == [("place",)]
    assert LDiversity(l=2, sensitive=["age", "place"], joint=True).needs(SCHEMA)[0].keys == ()
    assert [p.code for p in LDiversity(l=2, sensitive=["age", "place"], joint=True).problems(SCHEMA)] == [
        "sensitive-key"
    ]


def test_equally_frequent_values_reach_their_number() -> None:
    """The exponential of the logarithm of 3 is not exactly 3; the class does not fail for it."""
    rows: list[Row] = [("x", 1, name, 1) for name in ("flu", "cough", "clot")]
    verdict = LDiversity(l=3, kind="entropy").check(dataset(rows))
    assert verdict.holds and verdict.level == 3


def test_what_is_wrong_with_it_is_said_before_any_row_is_read() -> None:
    bare = Schema(columns=[Column(name="x", role="quasi", scale="nominal")])
    assert [p.code for p in LDiversity(l=2).problems(bare)] == ["no-sensitive"]
    assert [p.code for p in LDiversity(l=2, sensitive=["x"]).problems(bare)] == ["sensitive-key"]
    assert [p.code for p in LDiversity(l=2, sensitive=["y"]).problems(bare)] == ["unknown-column"]
    nothing = Schema(columns=[Column(name="x", scale="nominal")])
    assert [p.code for p in LDiversity(l=2, keys=[[]]).problems(nothing)] == ["no-keys", "no-sensitive"]
    assert list(LDiversity(l=2).problems(SCHEMA)) == []


@pytest.mark.parametrize("wrong", [{"l": 1.9}, {"l": 2, "c": 0}, {"l": 2, "c": -1}, {"l": 2, "kind": "other"}, {}])
def test_impossible_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        LDiversity(**wrong)


def test_stricter_is_higher_l_and_lower_c() -> None:
    three = LDiversity(l=3, kind="recursive", c=2)
    assert not LDiversity(l=4, kind="recursive", c=1).weaker_than(three)
    assert LDiversity(l=4, kind="recursive", c=3).weaker_than(three)
    assert LDiversity(l=3, kind="distinct", c=2).weaker_than(three)
    assert LDiversity(l=3, kind="recursive", c=2, gaps="value").weaker_than(three)


def test_promises_depend_on_kind_and_policy() -> None:
    assert LDiversity(l=2).monotone and LDiversity(l=2).hereditary
    assert LDiversity(l=2, kind="entropy").monotone and not LDiversity(l=2, kind="entropy").hereditary
    assert not LDiversity(l=2, kind="recursive").hereditary
    assert not LDiversity(l=2, missing="exclude").monotone and LDiversity(l=2, missing="exclude").hereditary
    assert not LDiversity(l=2, missing="wildcard").monotone and not LDiversity(l=2, missing="wildcard").hereditary


def test_an_empty_table_holds_nobody() -> None:
    empty = Dataset.from_frame(
        pa.table({"place": ["x"], "age": [1], "illness": ["flu"], "pay": [1]}).slice(0, 0), SCHEMA
    )
    verdict = LDiversity(l=2).check(empty)
    assert verdict.level is None and verdict.holds and verdict.text == "The table is empty."


def test_grassberger_by_its_recursion() -> None:
    """Grassberger (2003), Entropy estimates from insufficient samplings, eq. 28: G(1), G(2), then step by step."""
    expected = [-0.5772156649015329 - math.log(2)]
    expected.append(2 + expected[0])
    for n in range(3, 40):
        expected.append(expected[-1] if n % 2 else expected[-1] + 2 / (n - 1))
    assert grassberger(np.arange(1, 40)) == pytest.approx(expected)


def test_a_corrected_entropy_promises_nothing_to_a_search() -> None:
    one = LDiversity(l=2, kind="entropy", estimator="grassberger")
    assert not one.monotone and one.limits(SCHEMA) == Limits()
    assert one.weaker_than(LDiversity(l=2, kind="entropy")) and not LDiversity(l=2, kind="entropy").weaker_than(one)
    rows: list[Row] = [("x", 1, "flu", 1), ("x", 1, "cold", 1), ("x", 1, "cold", 1)]
    level = math.exp(math.log(3) - (grassberger(np.array([1]))[0] + 2 * grassberger(np.array([2]))[0]) / 3)
    assert one.check(dataset(rows)).level == pytest.approx(level)
