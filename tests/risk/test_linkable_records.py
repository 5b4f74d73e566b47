"""Records that can be told to belong together, by looking at every pair."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.drop import Drop
from schleier.risk.linkable_records import LinkableRecords

SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="home", role="unit", scale="nominal"),
        Column(name="pay", role="sensitive", scale="discrete"),
        Column(name="town", role="quasi", scale="nominal"),
    ],
)
Row = tuple[str | None, int | None, str]
ROW = st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from([1, 2, 3, 4, None]), st.sampled_from("xy"))


def dataset(rows: list[Row]) -> Dataset:
    home, pay, town = (list(each) for each in zip(*rows, strict=True))
    types = pa.schema({"id": pa.int64(), "home": pa.string(), "pay": pa.int64(), "town": pa.string()})
    return Dataset.from_frame(pa.table([list(range(len(rows))), home, pay, town], schema=types), SCHEMA)


def linked(rows: list[Row], column: int) -> set[Any]:
    """Units with two records that share a value nobody else has."""
    held = [row for row in rows if row[0] is not None and row[column] is not None]
    return {
        one[0]
        for i, one in enumerate(held)
        if any(one[0] == other[0] and one[column] == other[column] for other in held[:i])
        and all(other[0] == one[0] for other in held if other[column] == one[column])
    }


@settings(max_examples=15, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12))
def test_against_every_pair_of_records(rows: list[Row]) -> None:
    data = dataset(rows)
    homes = [row[0] for row in rows if row[0] is not None]
    several = {home for home in homes if homes.count(home) > 1}
    kept = LinkableRecords().measure(Case(data, data), Run())
    assert (kept.detail["linked"], kept.detail["units"]) == (len(several), len(set(homes)))
    gone = Drop(columns=["home"]).apply(data, Run())
    found = LinkableRecords().measure(Case(data, gone), Run())
    assert found.detail["linked"] == max(len(linked(rows, 1)), len(linked(rows, 2)))
    assert found.detail["several"] == len(several) and found.detail["records"] == len(homes)
    assert sum(found.detail["sizes"]["counted"]) == len(set(homes))
    assert found.value == pytest.approx(found.detail["linked"] / max(len(set(homes)), 1))


def test_everybody_reads_tens_where_the_units_are_gone() -> None:
    """57 homes of two with a pay of their own: 60 is told, and the sentence follows."""
    rows: list[Row] = [(f"h{i // 2}", i // 2, "x") for i in range(114)]
    data = dataset(rows)
    gone = Drop(columns=["home"]).apply(data, Run())
    exact = LinkableRecords().measure(Case(data, gone), Run())
    assert (exact.detail["linked"], exact.detail["column"], exact.detail["stand_in"]) == (57, "pay", ["pay"])
    told = LinkableRecords().disclose(Case(data, gone), Run(), exact)
    assert told is not None and (told.detail["linked"], told.detail["units"], told.value) == (60, 60, 1.0)
    some = dataset([*rows[:66], *((f"k{i}", None, "x") for i in range(24))])
    gone = Drop(columns=["home"]).apply(some, Run())
    exact = LinkableRecords().measure(Case(some, gone), Run())
    told = LinkableRecords().disclose(Case(some, gone), Run(), exact)
    assert exact.detail["linked"] == 33 and told is not None and told.detail["linked"] == 40
    assert "40 of" in told.text and "33" not in told.text


def test_a_single_record_without_a_unit_changes_nothing_that_is_told() -> None:
    rows = [(f"h{i // 2}", None, "x") for i in range(114)]
    cases = [dataset([*rows, last]) for last in (("h57", None, "x"), (None, None, "x"))]
    exact = [LinkableRecords().measure(Case(d, Drop(columns=["home"]).apply(d, Run())), Run()) for d in cases]
    told = [
        LinkableRecords().disclose(Case(d, Drop(columns=["home"]).apply(d, Run())), Run(), one)
        for d, one in zip(cases, exact, strict=True)
    ]
    assert [one.detail["records"] for one in exact] == [115, 114]
    parts = [{name: each and each.detail[name] for name in ("records", "units", "several")} for each in told]
    assert parts[0] == parts[1] == {"records": 115, "units": 60, "several": 60}


def test_without_units_nothing_can_be_said() -> None:
    schema = Schema(columns=[Column(name="town", role="quasi", scale="nominal")])
    data = Dataset.from_frame(pa.table({"town": ["x"]}), schema)
    with pytest.raises(DataError, match="no unit column"):
        LinkableRecords().measure(Case(data, data), Run())
