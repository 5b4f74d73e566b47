from __future__ import annotations

from typing import Any

import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.classification_loss import ClassificationLoss

from .conftest import dataset

RUN = Run(key=bytes(32))
LOSS = ClassificationLoss(target="ill")


def measured(original: Dataset, released: Dataset) -> Any:
    return LOSS.measure(Case(original, released), RUN)


def test_counts_who_is_not_like_most_of_the_class() -> None:
    ill = ["flu", "flu", "flu", "arm", "aids", "flu"]
    original, released = dataset(ill=ill), dataset(ill=ill, age=["*"] * 6, zip=["*"] * 6)
    found = measured(original, released)
    assert (found.value, found.detail["original"]) == (pytest.approx(2 / 6), 0.0)  # men: one of 4; women: one of 2


def test_dropped_records_are_wrong_and_missing_is_a_value() -> None:
    ill = ["flu", "flu", None, None, None, "flu"]
    original = dataset(ill=ill)
    released = dataset(ill=ill[:5], age=["*"] * 5, zip=["*"] * 5)
    assert measured(original, released).value == pytest.approx((1 + 1 + 1) / 6)


def test_without_its_target_a_release_tells_nothing(patients: Dataset) -> None:
    assert measured(patients, patients.drop("ill")).value == 1.0
