"""km-anonymity of lists and of text with a separator."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes.judgement import judge_all
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.k_anonymity import KAnonymity
from schleier.criteria.km_anonymity import KmAnonymity
from schleier.kernels.classes import itemsets

SCHEMA = Schema(
    columns=[
        Column(name="place", role="quasi", scale="nominal"),
        Column(name="bought", role="sensitive", scale="nominal"),
    ]
)
Person = tuple[str | None, list[str | None] | None]
people: st.SearchStrategy[list[Person]] = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", None]),
        st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "cc", "é", None]), max_size=5)),
    ),
    max_size=15,
)


def lists(rows: list[Person]) -> Dataset:
    columns = {"place": pa.array([p for p, _ in rows], pa.string())}
    columns["bought"] = pa.array([b for _, b in rows], pa.list_(pa.string()))
    return Dataset.from_frame(pa.table(columns), SCHEMA)


def texts(rows: list[Person]) -> Dataset:
    joined = [None if b is None else " | ".join(item or "" for item in b) for _, b in rows]
    columns = {"place": pa.array([p for p, _ in rows], pa.string()), "bought": pa.array(joined, pa.string())}
    return Dataset.from_frame(pa.table(columns), SCHEMA)


@given(
    rows=people,
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    within=st.sampled_from([(), ("place",)]),
    missing=st.sampled_from(["category", "exclude"]),
)
@settings(max_examples=15, deadline=None)
def test_it_is_its_definition(rows: list[Person], k: int, m: int, within: tuple[str, ...], missing: Any) -> None:
    there = [(p if within else "", b) for p, b in rows if not within or missing == "category" or p is not None]

    def known(bought: list[str | None] | None) -> list[tuple[str, ...]]:
        items = sorted({item for item in bought or [] if item})
        return [chosen for size in range(1, m + 1) for chosen in combinations(items, size)]

    def matches(place: str | None, chosen: tuple[str, ...]) -> int:
        return sum(p == place and set(chosen) <= set(b or []) for p, b in there)

    supports = [[matches(p, chosen) for chosen in known(b)] for p, b in there]
    flat = [n for each in supports for n in each]
    one = KmAnonymity(column="bought", k=k, m=m, within=within, missing=missing, separator="|")
    for data in (lists(rows), texts(rows)):
        verdict = one.check(data)
        assert verdict.level == min(flat, default=None)
        assert verdict.holds == all(n >= k for n in flat)
        assert verdict.bad_records == sum(any(n < k for n in each) for each in supports)
        assert verdict.bad_classes == len(
            {p for (p, _), each in zip(there, supports, strict=True) if min(each, default=k) < k}
        )
        assert verdict.records == len(there)


def test_what_it_says() -> None:
    rows: list[Person] = [("x", ["a", "b"])] * 3 + [("x", ["a", "c"]), ("y", ["b", "c"]), ("y", []), ("y", None)]
    one = KmAnonymity(column="bought", k=3, m=2)
    assert one.check(lists(rows)).text == (
        "The rarest combination of up to 2 items occurs in 1 record; 3 are required. "
        "Too rare: 1 combination; records found with them: 2 by 1 item."
    )
    assert one.check(lists([("x", []), ("x", None)])).text == "No record has an item."
    assert one.check(lists([])).text == "The table is empty."


HOMES = Schema(columns=[*SCHEMA.columns, Column(name="home", role="unit", scale="discrete")])


def at_home(rows: list[Person], homes: list[int | None], *, text: bool = False) -> Dataset:
    table = (texts if text else lists)(rows).to_arrow().append_column("home", pa.array(homes, pa.int64()))
    return Dataset.from_frame(table, HOMES)


@given(
    rows=st.lists(
        st.tuples(people.map(lambda found: found[0] if found else ("x", ["a"])), st.sampled_from([1, 2, 3, None])),
        max_size=15,
    ),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    within=st.sampled_from([(), ("place",)]),
)
@settings(max_examples=40, deadline=None)
def test_records_of_one_unit_count_once(
    rows: list[tuple[Person, int | None]], k: int, m: int, within: tuple[str, ...]
) -> None:
    there = [(p if within else "", {item for item in b or [] if item}, home) for (p, b), home in rows]
    supports = [
        [
            len({h for q, other, h in there if q == p and h is not None and set(chosen) <= other})
            for size in range(1, m + 1)
            for chosen in combinations(sorted(items), size)
        ]
        for p, items, _ in there
    ]
    flat = [n for each in supports for n in each]
    for text in (False, True):
        data = at_home([row for row, _ in rows], [home for _, home in rows], text=text)
        verdict = KmAnonymity(column="bought", k=k, m=m, within=within, separator="|").check(data)
        assert verdict.level == min(flat, default=None) and verdict.holds == all(n >= k for n in flat)
        assert verdict.bad_records == sum(any(n < k for n in each) for each in supports)
        assert verdict.units or not rows


def test_several_records_of_one_person_hide_nobody() -> None:
    data = at_home([("x", ["a", "b"])] * 4, [1, 1, 1, 2])
    verdict = KmAnonymity(column="bought", k=3, m=2).check(data)
    assert not verdict.holds and (verdict.level, verdict.units, verdict.bad_records) == (2, True, 4)
    assert verdict.text.startswith("The rarest combination of up to 2 items occurs in 2 units; 3 are required")
    records = KmAnonymity(column="bought", k=3, m=2, count="records").check(data)
    assert records.holds and not records.units and records.level == 4
    assert judge_all(
        data, [KmAnonymity(column="bought", k=3, m=2), KmAnonymity(column="bought", k=3, m=2, count="records")]
    ) == (verdict, records)


def test_whole_numbers_are_items_and_frames_of_polars_are_read() -> None:
    frame = pl.DataFrame({"place": ["x"] * 4, "bought": [[1, 2], [2, 1], [1], []]})
    verdict = KmAnonymity(column="bought", k=2, m=2).check(Dataset.from_frame(frame, SCHEMA))
    assert (verdict.level, verdict.holds) == (2, True)


def test_lists_have_an_order_and_missing_is_not_empty() -> None:
    """As a key a list is what it is: [a, b], [b, a], [ab], [] and nothing are five different values."""
    rows: list[Person] = [("x", ["a", "b"]), ("x", ["b", "a"]), ("x", ["ab"]), ("x", []), ("x", None), ("x", [None])]
    assert KAnonymity(k=2, keys=[["bought"]]).check(lists(rows + rows)).bad_classes == 0
    assert KAnonymity(k=3, keys=[["bought"]]).check(lists(rows + rows)).bad_classes == 6


def test_text_needs_a_separator() -> None:
    data = texts([("x", ["a"])])
    with pytest.raises(DataError, match="does not hold lists") as caught:
        KmAnonymity(column="bought", k=2, m=1).check(data)
    assert caught.value.problems[0].code == "not-a-set"


def test_too_many_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "MOST", 5)
    with pytest.raises(DataError, match="more than 5 combinations of up to 2 items") as caught:
        KmAnonymity(column="bought", k=2, m=2).check(lists([("x", ["a", "b", "c"])]))
    assert caught.value.problems[0].code == "too-many-combinations"
    assert KmAnonymity(column="bought", k=2, m=1).check(lists([("x", ["a", "b", "c"])])).level == 1


def test_a_list_of_200_items_with_many_known_is_refused_at_once() -> None:
    rows: list[Person] = [("x", [f"i{i}" for i in range(200)])]
    with pytest.raises(DataError, match="combinations"):
        KmAnonymity(column="bought", k=2, m=6).check(lists(rows))


def test_problems() -> None:
    def codes(schema: Schema = SCHEMA, **more: Any) -> list[str]:
        return [p.code for p in KmAnonymity(**{"column": "bought", "k": 2, "m": 2, **more}).problems(schema)]

    assert codes() == []
    assert codes(column="boughd") == ["unknown-column"]
    assert codes(within=["plaice"]) == ["unknown-column"]
    assert codes(within=["bought"]) == ["sensitive-key"]
    numbers = Schema(columns=[Column(name="bought", scale="discrete")])
    assert codes(numbers) == ["not-a-set"]
    for wrong in ({"k": 1}, {"m": 0}, {"m": 11}, {"separator": ""}, {"missing": "wildcard"}):
        with pytest.raises(SchleierError):
            codes(**wrong)


def test_promises() -> None:
    one = KmAnonymity(column="bought", k=3, m=2, within=["place"])
    assert one.monotone and not one.hereditary
    assert not one.model_copy(update={"missing": "exclude"}).monotone
    assert one.weaker_than(KmAnonymity(column="bought", k=3, m=3, within=["place"]))
    assert not one.weaker_than(KmAnonymity(column="bought", k=2, m=1, within=["place"]))
    assert one.weaker_than(KmAnonymity(column="bought", k=3, m=2))
