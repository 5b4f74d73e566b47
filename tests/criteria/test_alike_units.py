"""Units that look alike as a whole, by hand and against multisets counted one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes.judgement import judge_all
from schleier.core.classes.request import Request
from schleier.core.criterion import Verdict
from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.registry import get
from schleier.core.schema import Column, Schema
from schleier.criteria.alike_units import AlikeUnits
from schleier.criteria.k_anonymity import KAnonymity

HOMES = Schema(
    columns=(
        Column(name="home", role="unit", scale="nominal"),
        Column(name="a", role="quasi", scale="nominal"),
        Column(name="b", role="quasi", scale="nominal"),
    )
)
Member = tuple[str | None, str | None, str | None]
people: st.SearchStrategy[list[Member]] = st.lists(
    st.tuples(
        st.sampled_from([*"123456", None]), st.sampled_from(["x", "y", None]), st.sampled_from(["p", "p", "q", None])
    ),
    max_size=14,
)


def at_home(rows: Sequence[Member], engine: Any = None) -> Dataset:
    columns = [[row[j] for row in rows] for j in range(3)]
    return Dataset.from_frame(
        pa.table(columns, schema=pa.schema([(n, pa.string()) for n in HOMES.names])), HOMES, engine
    )


def verdict_of(one: AlikeUnits, data: Dataset) -> Verdict:
    (found,) = judge_all(data, [one])
    assert found == one.check(data)
    return found


def slowly(rows: Sequence[Member], k: int, missing: str) -> tuple[int | None, int, int]:
    """The level, rare compositions and records in them: every multiset written down."""
    members: dict[Any, list[tuple[str | None, str | None]]] = defaultdict(list)
    for i, (home, *keys) in enumerate(rows):
        if missing == "category" or None not in keys:
            members[home if home is not None else i].append((keys[0], keys[1]))
    made = {unit: tuple(sorted(Counter(of).items(), key=repr)) for unit, of in members.items()}
    alike = Counter(dict.fromkeys(made.values(), 0)) + Counter(
        one for unit, one in made.items() if isinstance(unit, str)
    )
    levels = {one: alike[one] for one in made.values()}
    rare = {one for one, level in levels.items() if level < k}
    return min(levels.values(), default=None), len(rare), sum(len(members[u]) for u, one in made.items() if one in rare)


def test_members_may_be_common_and_homes_unique() -> None:
    """Five of each kind of person, and yet no home is like another."""
    homes = {"1": "xx", "2": "xy", "3": "yy", "4": "xxy", "5": "xyy"}
    rows: list[Member] = [(home, who, "p") for home, of in homes.items() for who in of]
    assert KAnonymity(k=4).holds(at_home(rows))
    verdict = verdict_of(AlikeUnits(k=2), at_home(rows))
    assert (verdict.holds, verdict.level, verdict.bad_classes, verdict.bad_records) == (False, 1, 5, 12)
    assert verdict.units and verdict.compositions
    assert (
        verdict.text
        == "The rarest composition is that of 1 unit; at least 2 are required, and 5 compositions are rarer."
    )


def test_the_order_of_members_does_not_matter_and_their_number_does() -> None:
    rows: list[Member] = [("1", "x", "p"), ("1", "y", "p"), ("2", "y", "p"), ("2", "x", "p")]
    assert verdict_of(AlikeUnits(k=2), at_home(rows)).holds
    assert verdict_of(AlikeUnits(k=2), at_home([*rows, ("1", "x", "p")])).bad_classes == 2


def test_a_record_without_a_unit_hides_nobody_and_must_be_hidden() -> None:
    alone: list[Member] = [(None, "x", "p")] * 4
    verdict = verdict_of(AlikeUnits(k=2), at_home(alone))
    assert (verdict.holds, verdict.level, verdict.bad_records) == (False, 0, 4)
    verdict = verdict_of(AlikeUnits(k=2), at_home([*alone, ("1", "x", "p")]))
    assert (verdict.holds, verdict.level, verdict.bad_records) == (False, 1, 5)
    assert verdict_of(AlikeUnits(k=2), at_home([*alone, ("1", "x", "p"), ("2", "x", "p")])).holds


def test_a_missing_key_is_a_value_or_leaves_its_record_out() -> None:
    rows: list[Member] = [("1", "x", "p"), ("1", None, "p"), ("2", "x", "p")]
    assert not verdict_of(AlikeUnits(k=2), at_home(rows)).holds
    verdict = verdict_of(AlikeUnits(k=2, missing="exclude"), at_home(rows))
    assert verdict.holds and verdict.excluded == 1
    assert not verdict_of(AlikeUnits(k=2, missing="exclude"), at_home([("1", None, "p")] * 3)).holds


def test_both_policies_are_judged_side_by_side() -> None:
    data = at_home([("1", "x", "p"), ("1", None, "p"), ("2", "x", "p")])
    found = judge_all(data, [AlikeUnits(k=2), AlikeUnits(k=2, missing="exclude"), KAnonymity(k=2, missing="wildcard")])
    assert [one.holds for one in found[:2]] == [False, True]


def test_added_records_are_not_counted() -> None:
    rows: list[Member] = [("1", "x", "p"), ("2", "x", "p")]
    data = at_home(rows)
    copies = data.engine.read(Source(pa.table({"_key_": pa.array([1], pa.int64())})))
    assert verdict_of(AlikeUnits(k=2), data).holds
    assert verdict_of(AlikeUnits(k=2), replace(data, added=copies)).level == 1


def test_an_empty_table_has_no_level() -> None:
    verdict = verdict_of(AlikeUnits(k=2), at_home([]))
    assert verdict.holds and verdict.level is None


def test_there_must_be_units_and_keys() -> None:
    without = HOMES.without(["home"])
    assert [one.code for one in AlikeUnits(k=2).problems(without)] == ["no-unit"]
    assert [one.code for one in AlikeUnits(k=2).problems(HOMES.without(["a", "b"]))] == ["no-keys"]


@given(people, st.integers(2, 4), st.sampled_from(["category", "exclude"]))
@settings(max_examples=120, deadline=None)
def test_it_counts_as_somebody_who_writes_every_multiset_down(rows: list[Member], k: int, missing: Any) -> None:
    data, one = at_home(rows), AlikeUnits(k=k, missing=missing)
    verdict, (level, rare, records) = one.check(data), slowly(rows, k, missing)
    assert (verdict.bad_classes, verdict.bad_records) == (rare, records)
    if level is not None:
        assert (verdict.level, verdict.holds) == (level, rare == 0)
    # In memory, as a search counts them.
    request = replace(one.needs(HOMES)[0], members=True, compositions=())
    again = one.conclude([data.classes(request)])
    assert again == verdict
    # Whoever is alike as a whole is alike member by member.
    if verdict.holds and level is not None:
        assert KAnonymity(k=k, missing=missing).holds(data)


@given(people)
@settings(max_examples=60, deadline=None)
def test_what_is_alike_stays_alike_when_keys_are_left_out(rows: list[Member]) -> None:
    data = at_home(rows)
    fine = data.classes(Request(("a", "b"), units="home", members=True))
    for keys in (("a",), ("b",)):
        if AlikeUnits(k=2).judge([fine]).holds:
            assert AlikeUnits(k=2).judge([fine.onto(keys)[0]]).holds


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    rows: list[Member] = [
        (None if i % 17 == 3 else str(i // 3), "xy"[i * 7 % 11 % 2], "p" if i % 5 else None) for i in range(60)
    ]
    found = []
    for engine in (get("engine", "duckdb")(), get("engine", "spark")()):
        with closing(engine):
            ones = [AlikeUnits(k=3), AlikeUnits(k=3, missing="exclude")]
            found.append([one.check(at_home(rows, engine)) for one in ones])
    assert found[0] == found[1] and found[0][0].bad_classes > 1
