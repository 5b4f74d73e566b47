"""How often columns differ between original and release, or between two files of the same persons."""

from __future__ import annotations

from dataclasses import replace

import pytest

from risk.known import COLUMNS, PEOPLE, case
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.population.compatibility import all_compatible
from schleier.risk.change_rates import ChangeRates


def test_between_original_and_release() -> None:
    """Rows are matched by their key, in whatever order; rows left out do not count."""
    released = case(
        people={
            "id": ["p4", "p1", "p2", "p3"],
            "age": [None, 30, 40, None],
            "sex": ["m", "m", "m", "f"],
            "town": ["C", "A", "B", "A"],
        }
    ).original
    one = ChangeRates().measure(replace(case(), released=released), Run())
    assert one.detail["rates"] == {"age": 0.25, "sex": 0.25, "town": 0.0}
    assert one.value == pytest.approx(0.5 / 3)
    assert (one.detail["pairs"], one.detail["spread"]) == (4, [2, 2, 0, 0])
    assert one.detail["columns"]["age"]["only_first"] == 1 and one.detail["columns"]["age"]["neither"] == 1
    assert one.detail["independent"] == pytest.approx(all_compatible([0.25, 0.25, 0.0]))


def test_between_knowledge_and_original() -> None:
    one = ChangeRates(between="knowledge").measure(case(), Run())
    assert one.detail["rates"] == {"age": 0.4, "sex": 0.0, "town": 0.4}
    assert one.detail["identical"]["share"] == 0.4
    lenient = ChangeRates(between="knowledge", missing="wildcard").measure(case(), Run())
    assert lenient.detail["rates"] == {"age": 0.2, "sex": 0.0, "town": 0.2}


def test_intervals_hold_the_rates() -> None:
    for one in ChangeRates(between="knowledge").measure(case(), Run()).detail["columns"].values():
        assert one["low"] <= one["rate"] <= one["high"]


def test_columns_are_named_or_shared() -> None:
    known = case().known
    assert known is not None
    poor = replace(case(), known=known.drop("town"))
    assert list(ChangeRates(between="knowledge").measure(poor, Run()).detail["rates"]) == ["age", "sex"]
    with pytest.raises(DataError, match="no column 'town'"):
        ChangeRates(between="knowledge", columns=["town"]).measure(poor, Run())
    with pytest.raises(DataError, match="no file of what an attacker knows"):
        ChangeRates(between="knowledge").measure(replace(case(), known=None), Run())


def test_numbers_are_compared_as_numbers() -> None:
    import pyarrow as pa

    floats = tuple(c.model_copy(update={"scale": "continuous"}) if c.name == "age" else c for c in COLUMNS)
    table = pa.table(PEOPLE | {"age": pa.array([30.0, 40.0, 50.0, None, 60.5])})
    released = Dataset.from_frame(table, Schema(columns=floats, row_key="id"), case().original.engine)
    assert ChangeRates(columns=["age"]).measure(replace(case(), released=released), Run()).value == 0.2


def test_nothing_to_compare() -> None:
    plain = Schema(columns=[Column(name="x", scale="nominal")])
    assert [problem.code for problem in ChangeRates().problems(plain)] == ["no-columns"]
    assert [problem.code for problem in ChangeRates(columns=["y"]).problems(plain)] == ["unknown-column"]


def test_rows_that_cannot_be_matched_are_refused() -> None:
    keyless = Schema(columns=COLUMNS)
    released = Dataset.from_frame(case().original.to_arrow(), keyless, case().original.engine)
    with pytest.raises(DataError, match="cannot be matched"):
        ChangeRates().measure(replace(case(), released=released), Run())


def test_columns_that_a_step_made_are_named() -> None:
    import pyarrow as pa

    more = Schema(columns=(*COLUMNS, Column(name="made", role="quasi", scale="nominal")), row_key="id")
    released = Dataset.from_frame(pa.table(PEOPLE | {"made": list("abcde")}), more, case().original.engine)
    one = ChangeRates().measure(replace(case(), released=released), Run()).detail
    assert (list(one["rates"]), one["not_compared"]) == (["age", "sex", "town"], ["made"])
