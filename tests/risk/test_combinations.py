"""Which combinations single people out: a case worked out by hand, an oracle, and what must always hold."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.classes.combinations import largest
from schleier.risk import combinations as measured
from schleier.risk.combinations import LOOKED_AT, WORK, Combinations

NAMES = ("sex", "age", "region")
SCHEMA = Schema(columns=tuple(Column(name=name, role="quasi", scale="nominal") for name in NAMES))
SIX = pa.table(
    {
        "sex": ["f", "f", "m", "m", "m", "f"],
        "age": ["30", "30", "30", "40", "40", "50"],
        "region": ["A", "B", "A", "A", "A", "B"],
    }
)


def detail(table: pa.Table, **parameters: Any) -> dict[str, Any]:
    data = Dataset.from_frame(table, SCHEMA)
    return Combinations(**parameters).measure(Case(data, data), Run()).detail


def test_six_records_worked_out_by_hand() -> None:
    """The first three and the last are unique. Only the last is alone in its age; each of the others needs two
    columns. Without the age only the first stays unique, without one of the others two records do."""
    data = Dataset.from_frame(SIX, SCHEMA)
    finding = Combinations(limit=0.2).measure(Case(data, data), Run())
    assert finding.value == 4 / 6
    assert finding.text == (
        "4 of 6 records (66.67%) are alone already in at most 3 known columns out of 3; "
        "sex, age, region together single out 4."
    )
    found = finding.detail
    assert (found["records"], found["unique"], found["looked_at"], found["cut"]) == (6, 4, 7, False)
    assert [(one["columns"], one["records"]) for one in found["enough"]] == [(1, 1), (2, 4), (3, 4)]
    assert [[(one["columns"], one["unique"]) for one in size] for size in found["worst"]] == [
        [(["age"], 1)],
        [(["age", "region"], 2), (["sex", "age"], 2), (["sex", "region"], 1)],
        [(["sex", "age", "region"], 4)],
    ]
    assert {name: one["unique"] for name, one in found["columns"].items()} == {"sex": 2, "age": 3, "region": 2}
    assert sorted(one["columns"] for one in found["smallest"]) == [["age", "region"], ["sex", "age"]]
    assert found["smallest_found"] == 2
    # With no limit at all: the age, and what singles out somebody without it.
    every = Combinations(limit=0).measure(Case(data, data), Run()).detail
    assert sorted(one["columns"] for one in every["smallest"]) == [["age"], ["sex", "region"]]


values = st.sampled_from(["a", "b", "c", None])
tables = st.lists(st.tuples(values, values, values), min_size=1, max_size=25).map(
    lambda rows: pa.table({name: pa.array(column, pa.string()) for name, column in zip(NAMES, zip(*rows, strict=True))})  # noqa: B905
)


def slowly(table: pa.Table, columns: tuple[str, ...]) -> int:
    """Records alone in some columns, as anybody would count them; a missing value is a value."""
    sizes = table.to_pandas().astype(object).groupby(list(columns), dropna=False).size()
    return int((sizes == 1).sum())


@settings(max_examples=40)
@given(tables)
def test_as_counted_slowly(table: pa.Table) -> None:
    found = detail(table, limit=0)
    told = {tuple(one["columns"]): one["unique"] for size in found["worst"] for one in size}
    every = [columns for size in (1, 2, 3) for columns in combinations(NAMES, size)]
    assert told == {columns: n for columns in every if (n := slowly(table, columns))}
    for name in NAMES:
        rest = tuple(other for other in NAMES if other != name)
        assert found["columns"][name]["unique"] == slowly(table, NAMES) - slowly(table, rest)
    assert found["unique"] == slowly(table, NAMES) == found["enough"][-1]["records"]


@settings(max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_more_columns_never_single_out_fewer_and_order_is_nothing(table: pa.Table, random: Any) -> None:
    found = detail(table)
    told = {tuple(one["columns"]): one["unique"] for size in found["worst"] for one in size}
    for columns, unique in told.items():
        assert all(told.get(part, 0) <= unique for part in combinations(columns, len(columns) - 1))
    enough = [one["records"] for one in found["enough"]]
    assert enough == sorted(enough)
    order = random.sample(range(len(table)), len(table))
    assert detail(table.take(pa.array(order))) == found


def test_rows_with_a_gap_can_be_left_out() -> None:
    table = pa.table({"sex": ["f", None, "m"], "age": ["1", "1", "1"], "region": ["A", "A", "A"]})
    assert detail(table)["unique"] == 3
    found = detail(table, missing="exclude")
    assert (found["records"], found["unique"]) == (2, 2)


def test_a_missing_key_cannot_be_anything_here() -> None:
    with pytest.raises(SchleierError):
        Combinations(missing="wildcard")


def test_too_many_combinations_are_cut_and_it_is_said() -> None:
    names = [f"k{i:02d}" for i in range(40)]
    schema = Schema(columns=tuple(Column(name=name, role="quasi", scale="nominal") for name in names))
    table = pa.Table.from_pandas(pd.DataFrame({name: [str(i % 7), "x", "y"] for i, name in enumerate(names)}))
    data = Dataset.from_frame(table, schema)
    found = Combinations().measure(Case(data, data), Run()).detail
    assert (found["most"], found["cut"], found["looked_at"]) == (2, True, 40 + 780)
    assert found["looked_at"] < measured.LOOKED_AT
    assert len(found["worst"]) == 2 and len(found["worst"][1]) == measured.SHOWN


def test_asking_for_more_columns_than_there_are_is_no_cut() -> None:
    found = detail(SIX, keys=["age", "sex"], most=9)
    assert (found["most"], found["cut"], found["looked_at"]) == (2, False, 3)


def test_large_tables_are_cut_too() -> None:
    assert largest(10, 11_000_000, 3, LOOKED_AT, WORK) == 3
    assert largest(10, 12_000_000, 3, LOOKED_AT, WORK) == 2
    assert largest(6000, 10**9, 3, LOOKED_AT, WORK) == 1


def test_no_keys_is_a_problem() -> None:
    plain = Schema(columns=(Column(name="x", scale="nominal"),))
    assert [problem.code for problem in Combinations().problems(plain)] == ["no-keys"]
    assert [problem.code for problem in Combinations(keys=["y"]).problems(plain)] == ["unknown-column"]


def test_nobody_alone() -> None:
    table = pa.concat_tables([SIX, SIX])
    found = Combinations().measure(Case(*[Dataset.from_frame(table, SCHEMA)] * 2), Run())
    assert found.value == 0 and found.detail["worst"] == [[], [], []]
    assert found.text == "0 of 12 records (0.00%) are alone already in at most 3 known columns out of 3."


def test_persons_are_counted_where_records_have_weights() -> None:
    schema = Schema(columns=(*SCHEMA.columns, Column(name="w", role="weight", scale="continuous")))

    def found(weights: list[float | None]) -> dict[str, Any]:
        data = Dataset.from_frame(SIX.append_column("w", pa.array(weights, pa.float64())), schema)
        return Combinations(most=1).measure(Case(data, data), Run()).detail

    assert found([1.0, 1.0, 1.0, 1.0, 1.0, 2.5])["weighted_share"] == pytest.approx(2.5 / 7.5)  # the only one aged 50
    some = found([1.0, None, 1.0, 1.0, 1.0, 2.5])
    assert "weighted_share" not in some and some["cautions"] == ["columns", "weights"]


def test_a_key_named_twice_is_known_once() -> None:
    assert detail(SIX, keys=["age", "sex", "age"]) == detail(SIX, keys=["age", "sex"])
