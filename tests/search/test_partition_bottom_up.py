"""Gathering alike records: parts that meet the criteria, labels that tell the truth, the same under the same key."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import DataError, InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.search import partition_bottom_up
from schleier.search.mondrian import Mondrian
from schleier.search.partition_bottom_up import PartitionBottomUp
from schleier.testing import example_schema, example_table
from search.parts import KEY, data_of, least_diverse, released, rows_of, smallest, truthful


def k_anonymous(k: int, **more: Any) -> list[dict[str, Any]]:
    return [{"criterion": "k_anonymity", "k": k, **more}]


def column(values: list[Any], k: int) -> list[Any]:
    schema = Schema(columns=[Column(name="x", role="quasi", scale="discrete")])
    data = Dataset.from_frame(pa.table({"x": pa.array(values, pa.int64())}), schema)
    return [row[0] for row in released(PartitionBottomUp(criteria=k_anonymous(k)), data)]


@given(rows=rows_of(), k=st.integers(2, 6), shuffled=st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_every_part_is_large_enough_and_its_labels_are_true(rows: list[Any], k: int, shuffled: random.Random) -> None:
    step = PartitionBottomUp(criteria=k_anonymous(k))
    if len(rows) < k:
        with pytest.raises(InfeasibleError):
            released(step, data_of(rows))
        return
    after = released(step, data_of(rows))
    assert smallest(after) >= k
    assert truthful(rows, after)
    order = list(range(len(rows)))
    shuffled.shuffle(order)
    assert released(step, data_of([rows[i] for i in order])) == [after[i] for i in order]


@given(rows=rows_of(least=12))
@settings(max_examples=25)
def test_parts_that_break_another_criterion_are_joined(rows: list[Any]) -> None:
    step = PartitionBottomUp(criteria=[*k_anonymous(2), {"criterion": "l_diversity", "l": 2}])
    if len({row[-1] for row in rows}) < 2:
        with pytest.raises(InfeasibleError):
            released(step, data_of(rows))
        return
    after = released(step, data_of(rows))
    assert smallest(after) >= 2
    assert least_diverse(after) >= 2
    assert truthful(rows, after)


@given(rows=rows_of(least=6), others=rows_of(least=1))
@settings(max_examples=25)
def test_labels_of_new_rows_are_true(rows: list[Any], others: list[Any]) -> None:
    fitted = PartitionBottomUp(criteria=k_anonymous(3)).fit(data_of(rows), Run(KEY))
    assert truthful(others, released(fitted, data_of(others)))
    known = released(fitted, data_of(rows))
    assert released(fitted, data_of([*rows, *others]))[: len(rows)] == known
    assert released(PartitionBottomUp.model_validate_json(fitted.model_dump_json()), data_of(rows)) == known


def test_what_is_alike_comes_together() -> None:
    # whatever comes first, the three groups are far apart
    assert column([1, 2, 50, 51, 98, 99], 2) == ["<50", "<50", "50-89", "50-89", ">=90", ">=90"]
    # the one left over joins the part that it widens least
    assert column([1, 2, 3, 98, 99], 2) == ["<90", "<90", "<90", ">=90", ">=90"]
    assert column([None, None, 1, 1], 2) == [None, None, "1", "1"]
    assert column([5] * 4, 2) == ["5"] * 4


def test_the_key_decides_where_it_begins_and_nothing_else() -> None:
    data, step = Dataset.from_frame(example_table(), example_schema()), PartitionBottomUp(criteria=k_anonymous(3))
    assert released(step, data) == released(step, data)
    assert released(step, data) != released(step, data, bytes(32))


def test_it_loses_no_more_than_one_part() -> None:
    data, widths = Dataset.from_frame(example_table(), example_schema()), {}
    for method in (PartitionBottomUp, Mondrian):
        for k in (5, 80):  # there are so many households
            run = Run(KEY)
            method(criteria=k_anonymous(k)).fit(data, run)
            widths[method, k] = run.notes[0].facts["mean_width"]
    assert widths[PartitionBottomUp, 80] == widths[Mondrian, 80] == 1.0
    assert widths[PartitionBottomUp, 5] < widths[Mondrian, 5] < 0.5


def test_weights_are_counted_where_the_criterion_says_so() -> None:
    schema = Schema(
        columns=[Column(name="x", role="quasi", scale="discrete"), Column(name="w", role="weight", scale="continuous")]
    )
    data = Dataset.from_frame(pa.table({"x": [1, 2, 8, 9], "w": [10.0, 10.0, 1.0, 1.0]}), schema)
    shown = released(PartitionBottomUp(criteria=k_anonymous(2, count="weights")), data)
    assert [row[0] for row in shown] == ["1", "2", ">=8", ">=8"]


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_bottom_up, "MOST", 3)
    with pytest.raises(InfeasibleError, match="4 different combinations; at most 3") as error:
        column([1, 2, 3, 4], 2)
    assert "mondrian" in error.value.problems[0].hint
    assert column([1, 2, 3, 3], 2)


def test_more_than_there_are_and_nothing_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="holds 1 record; at least 2 are required"):
        column([1], 2)
    with pytest.raises(DataError, match="no rows"):
        column([], 2)


def test_refuses_what_is_no_table() -> None:
    with pytest.raises(SchleierError):
        PartitionBottomUp(members="no table")
