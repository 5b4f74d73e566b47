from __future__ import annotations

import math

import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.generalised_loss import GeneralisedLoss

from .conftest import SCHEMA, dataset

RUN = Run(key=bytes(32))
AGE, ZIP = 1.0, (4 * 1 / 2 + 2 * 0) / 6
"""Of the single-dimensional release: all ages are gone; four postcodes are one of two out of three."""


def test_leaves_below_the_label(single: Case) -> None:
    found = GeneralisedLoss().measure(single, RUN)
    assert found.detail["columns"] == {"age": AGE, "zip": pytest.approx(ZIP)}
    assert found.value == pytest.approx((AGE + ZIP) / 2)


def test_columns_become_one_number(single: Case) -> None:
    def value(aggregate: str) -> float:
        return GeneralisedLoss(aggregate=aggregate, weights={"zip": 3}).measure(single, RUN).value  # type: ignore[arg-type]

    assert value("mean") == pytest.approx((AGE + 3 * ZIP) / 4)
    assert value("sum") == pytest.approx(AGE + 3 * ZIP)
    assert value("geometric") == pytest.approx(math.prod([1 + AGE, (1 + ZIP) ** 3]) ** (1 / 4) - 1)
    assert value("max") == pytest.approx(max(AGE / 3, ZIP))


def test_gaps_foreign_values_and_dropped_records_are_lost(patients: Dataset, multi: Case) -> None:
    assert GeneralisedLoss(columns=("age",)).measure(multi, RUN).value == pytest.approx((4 * 1 / 3 + 2 * 1) / 6)
    gaps = dataset(age=[None, "25", "26", "27", "27"])
    found = GeneralisedLoss().measure(Case(patients, gaps), RUN)
    assert found.detail["columns"] == {"age": pytest.approx(2 / 6), "zip": pytest.approx(1 / 6)}
    assert GeneralisedLoss(columns=("age",)).measure(Case(patients, patients.drop("age")), RUN).value == 1.0


def test_a_column_without_hierarchy_is_kept_or_lost(patients: Dataset) -> None:
    swapped = Case(patients, dataset(sex=["f", "f", "m", "m", "f", "m"]))
    assert GeneralisedLoss(columns=("sex",)).measure(swapped, RUN).value == pytest.approx(1 / 6)


def test_a_gap_has_nothing_to_lose_before_the_root() -> None:
    original = dataset(age=[None, "25", "26", "27", "27", "28"])
    coarse = dataset(age=[None, "25-26", "25-26", "27-28", "27-28", "27-28"])
    assert GeneralisedLoss(columns=("age",)).measure(Case(original, coarse), RUN).value == pytest.approx(5 / 3 / 6)
    assert GeneralisedLoss(columns=("age",)).measure(Case(original, dataset(age=["*"] * 6)), RUN).value == 1.0


def test_files_without_common_row_key_are_not_matched(patients: Dataset) -> None:
    other = dataset(schema=SCHEMA.model_copy(update={"row_key": None, "others": "drop"}))
    with pytest.raises(DataError) as caught:
        GeneralisedLoss().measure(Case(patients, other), RUN)
    assert [problem.code for problem in caught.value.problems] == ["not-matched"]
