"""Whose error it is: counted by the engine, against the rule applied person by person."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.linkage.retest import attribute
from schleier.kernels.statistics.trials import Trials
from schleier.risk.recording_errors import RecordingErrors

NAMES = ("once", "first", "second")
VALUE = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(VALUE, VALUE, VALUE), min_size=1, max_size=20))
def test_against_the_rule_person_by_person(rows: list[tuple[str | None, ...]]) -> None:
    columns = list(zip(*rows, strict=True))
    schema = Schema(columns=[Column(name=name, role="quasi", scale="nominal") for name in NAMES])
    data = Dataset.from_frame(
        pa.table({n: pa.array(c, pa.string()) for n, c in zip(NAMES, columns, strict=True)}), schema
    )
    found = RecordingErrors(single="once", waves=NAMES[1:]).measure(Case(data, data), Run())
    wanted = attribute(*columns)
    told = found.detail
    assert (told["single"], told["repeated"]) == pytest.approx((wanted.single, wanted.repeated))
    assert (told["missing_single"], told["missing_repeated"]) == (wanted.missing_single, wanted.missing_repeated)
    assert found.value == pytest.approx(wanted.total)
    assert (found.low, found.high) == pytest.approx(Trials(round(wanted.total * len(rows)), len(rows)).interval())


def test_numbers_and_text_of_the_same_number() -> None:
    schema = Schema(columns=[Column(name=name, scale="discrete") for name in NAMES])
    data = Dataset.from_frame(pa.table({"once": [1, 2], "first": [1.0, 3.0], "second": [1, 3]}), schema)
    found = RecordingErrors(single="once", waves=NAMES[1:]).measure(Case(data, data), Run())
    assert (found.value, found.detail["single"]) == (0.5, 0.5)


def test_three_columns_are_needed() -> None:
    with pytest.raises(SchleierError, match="three columns"):
        RecordingErrors(single="once", waves=["once", "first"])
