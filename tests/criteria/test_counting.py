"""What hides a person: gaps hide only their own record, rows of one unit not each other, added records nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import SCHEMA, Row, dataset, groups
from schleier.core.classes.judgement import judge_all
from schleier.core.criterion import Criterion, Verdict
from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.registry import get
from schleier.core.schema import Column, Schema
from schleier.criteria.k_anonymity import KAnonymity

KEYS = (Column(name="a", role="quasi", scale="nominal"), Column(name="b", role="quasi", scale="nominal"))
HOMES = Schema(
    columns=(
        *KEYS,
        Column(name="home", role="unit", scale="nominal"),
        Column(name="ill", role="sensitive", scale="nominal"),
    )
)
Home = tuple[str | None, str | None, str | None, str | None]
homes: st.SearchStrategy[list[Home]] = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", None]),
        st.sampled_from(["p", None]),
        st.sampled_from(["1", "2", "3", None]),
        st.sampled_from(["flu", "cold", None]),
    ),
    min_size=1,
    max_size=14,
)
BY_SIZE = [
    ("k_anonymity", {"k": 2}),
    ("alpha_k", {"k": 2, "alpha": 1}),
    ("highest_risk", {"threshold": 0.5}),
    ("average_risk", {"threshold": 0.5}),
    ("category_threshold", {"threshold": 2, "columns": ["a"]}),
    ("profitability", {"gain": 2, "cost": 1}),
]


def at_home(rows: Sequence[Home], engine: Any = None) -> Dataset:
    table = pa.table(
        [[row[j] for row in rows] for j in range(4)], schema=pa.schema([(n, pa.string()) for n in HOMES.names])
    )
    return Dataset.from_frame(table, HOMES, engine)


def verdict_of(one: Criterion, data: Dataset) -> Verdict:
    (found,) = judge_all(data, [one])
    assert found == one.check(data)
    return found


def test_blank_rows_hide_nobody_else() -> None:
    """Four blank rows once made 2,000 unique persons five-anonymous."""
    rows: list[Row] = [(str(i), i, None, None) for i in range(2000)] + [(None, None, None, None)] * 4
    verdict = verdict_of(KAnonymity(k=5, missing="wildcard"), dataset(rows))
    assert not verdict.holds and verdict.level == 1 and verdict.bad_records == 2000


def test_a_gap_widens_its_own_class_and_that_is_no_green_light() -> None:
    rows: list[Row] = [("A", 1, None, None)] * 9 + [("A", None, None, None)]
    verdict = verdict_of(KAnonymity(k=5, missing="wildcard"), dataset(rows))
    assert verdict.holds and verdict.level == 9
    # Whoever knows that the hidden value is another one finds the record: it is alone.
    assert (verdict.category_holds, verdict.category_level, verdict.safe) == (False, 1, False)
    both = verdict_of(KAnonymity(k=5, missing="wildcard"), dataset(rows * 5))
    assert both.holds and both.category_holds and both.safe
    assert verdict_of(KAnonymity(k=5), dataset(rows[:9])).category_holds is None


@given(
    rows=st.lists(st.tuples(*[st.sampled_from(["x", "y", None])] * 2, st.none(), st.none()), min_size=1, max_size=12)
)
@settings(max_examples=60, deadline=None)
def test_both_levels_are_their_definition(rows: list[Row]) -> None:
    rows = [(row[0], None if row[1] is None else 1, None, None) for row in rows]
    verdict = verdict_of(KAnonymity(k=3, missing="wildcard"), dataset(rows))
    wide = min(len(part) for part in groups(rows, "wildcard").values())
    narrow = min(len(part) for part in groups(rows, "category").values())
    assert (verdict.level, verdict.category_level) == (wide, narrow)
    assert (verdict.holds, verdict.category_holds) == (wide >= 3, narrow >= 3)


@given(rows=homes, missing=st.sampled_from(["category", "wildcard"]))
@settings(max_examples=60, deadline=None)
def test_units_are_counted_where_there_are_some(rows: list[Home], missing: str) -> None:
    def like(mine: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        return all(a == b or (a is None and missing == "wildcard") for a, b in zip(mine, other, strict=True))

    alike = [{row[2] for row in rows if like(mine[:2], row[:2])} - {None} for mine in rows]
    verdict = verdict_of(KAnonymity(k=2, missing=missing), at_home(rows))
    assert verdict.level == min(map(len, alike)) and verdict.units
    assert verdict.level == verdict_of(KAnonymity(k=2, missing=missing, count="units"), at_home(rows)).level


@pytest.mark.parametrize(("word", "parameters"), BY_SIZE, ids=[word for word, _ in BY_SIZE])
def test_rows_of_one_unit_do_not_hide_each_other(word: str, parameters: dict[str, Any]) -> None:
    make = get("criterion", word)
    one_home, two_homes = at_home([("x", "p", "1", "flu")] * 3), at_home([("x", "p", home, "flu") for home in "112"])
    assert not verdict_of(make(**parameters), one_home).holds
    assert verdict_of(make(**parameters), two_homes).holds
    assert verdict_of(make(**parameters, count="records"), one_home).holds
    assert make(**parameters, count="records").weaker_than(make(**parameters))


@pytest.mark.parametrize(("word", "parameters"), BY_SIZE, ids=[word for word, _ in BY_SIZE])
def test_rows_without_a_unit_add_no_unit(word: str, parameters: dict[str, Any]) -> None:
    one = get("criterion", word)(**parameters)
    assert not verdict_of(
        one, at_home([("x", "p", "1", "flu"), ("x", "p", None, "flu"), ("x", "p", None, "cold")])
    ).holds
    assert not verdict_of(one, at_home([("x", "p", None, "flu")] * 3)).holds


def test_an_amount_without_an_owner_is_no_contributor() -> None:
    schema = Schema(
        columns=(KEYS[0], Column(name="home", role="unit", scale="nominal"), Column(name="pay", scale="discrete"))
    )
    table = pa.table({"a": ["x"] * 4, "home": ["1", "2", None, None], "pay": [10, 10, 10, 10]})
    rule = get("criterion", "dominance")(columns=["pay"], n=1, k=99, keys=[["a"]])
    assert not rule.check(Dataset.from_frame(table, schema)).holds
    nobody = table.set_column(1, "home", pa.array([None] * 4, pa.string()))
    assert not rule.check(Dataset.from_frame(nobody, schema)).holds


def test_a_criterion_that_leaves_every_row_out_is_not_met() -> None:
    rows: list[Row] = [(None, 1, "flu", 1), ("x", None, "flu", 1)]
    for word, parameters in (
        ("k_anonymity", {"k": 2}),
        ("average_risk", {"threshold": 0.5}),
        ("l_diversity", {"l": 2}),
    ):
        verdict = verdict_of(get("criterion", word)(missing="exclude", **parameters), dataset(rows))
        assert not verdict.holds and verdict.level is None, word
    assert verdict_of(KAnonymity(k=2, missing="exclude"), dataset([])).holds  # there is nobody to leave out
    one_of_two = KAnonymity(k=2, missing="exclude", keys=[["place"], ["age"]])
    assert not verdict_of(one_of_two, dataset([("x", None, None, None)] * 3)).holds


@pytest.mark.parametrize("word", ["l_diversity", "t_closeness", "alpha_k", "beta_likeness", "delta_disclosure"])
def test_a_missing_value_is_none(word: str) -> None:
    """A class in which all known values are the same was once diverse because some are missing."""
    parameters = {"l_diversity": {"l": 2}, "t_closeness": {"t": 0.2}, "alpha_k": {"alpha": 0.7, "k": 2}}
    more = {"beta_likeness": {"beta": 0.5}, "delta_disclosure": {"delta": 0.5, "absent": "ignore"}}
    make, given_ = get("criterion", word), (parameters | more)[word]
    flu: list[Row] = [("x", 1, "flu", 1)] * 5 + [("x", 1, None, 1)] * 5
    cold: list[Row] = [("y", 1, "cough", 1)] * 5 + [("y", 1, None, 1)] * 5
    assert make().gaps == "ignore" if not given_ else make(**given_).gaps == "ignore"
    assert not verdict_of(make(**given_), dataset(flu + cold)).holds


def test_records_that_were_added_are_not_counted() -> None:
    rows = [("x", "p", home, "flu") for home in "123"]
    data = at_home(rows)
    keys = pa.table({"_key_": data.engine.arrays(data.frame.select("_row_"))["_row_"].slice(1)})
    marked = replace(data, added=data.engine.read(Source(keys)))
    assert marked.rows == 3 and marked.genuine().rows == 1
    assert verdict_of(KAnonymity(k=2), data).level == 3
    assert verdict_of(KAnonymity(k=2), marked).level == 1


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    """Wildcards, units and rows without one, and records that were added."""
    rows: list[Home] = [
        ("x", "p", "1", "flu"),
        ("x", "p", None, "flu"),
        ("x", None, "2", None),
        (None, None, "1", "cold"),
    ]
    found = []
    for engine in (get("engine", "duckdb")(), get("engine", "spark")()):
        data = at_home(rows * 3, engine)
        marked = replace(data, added=engine.read(Source(pa.table({"_key_": [0, 7]}))))
        criteria = [KAnonymity(k=2), KAnonymity(k=2, missing="wildcard"), KAnonymity(k=2, missing="exclude")]
        criteria += [
            get("criterion", "l_diversity")(l=2),
            get("criterion", "alpha_k")(alpha=0.9, k=2, missing="wildcard"),
        ]
        found.append([judge_all(one, criteria) for one in (data, marked)])
        engine.close()
    assert found[0] == found[1]


def test_the_schema_of_these_tests_has_no_unit() -> None:
    assert not SCHEMA.having("unit") and not verdict_of(KAnonymity(k=2), dataset([("x", 1, None, None)])).units
