from __future__ import annotations

import math

import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.ambiguity_loss import AmbiguityLoss

from .conftest import dataset

RUN = Run(key=bytes(32))
ALL = 4 * 2 * 3
"""Ages, sexes and postcodes."""


def test_counts_the_records_it_may_stand_for(single: Case) -> None:
    found = AmbiguityLoss().measure(single, RUN)
    mean = (4 * (4 * 1 * 2) + 2 * (4 * 1 * 1)) / 6
    assert found.value == pytest.approx((mean - 1) / (ALL - 1))
    assert 10 ** found.detail["log10_average"] == pytest.approx(mean)
    assert 10 ** found.detail["log10_most"] == pytest.approx(ALL)


def test_what_is_no_label_may_be_anything(multi: Case) -> None:
    mean = (2 * 2 * 1 + 2 * 4 * 1 + 2 * 2 * 2) / 6
    assert AmbiguityLoss().measure(multi, RUN).value == pytest.approx((mean - 1) / (ALL - 1))


def test_gaps_and_dropped_records_may_be_anything(patients: Dataset) -> None:
    gaps = Case(patients, dataset(sex=[None, "f", "m", "m", "f", "m"]))
    assert AmbiguityLoss().measure(gaps, RUN).value == pytest.approx((2 - 1) / 6 / (ALL - 1))
    gone = Case(patients, dataset(sex=["m", "f", "m"]))
    assert AmbiguityLoss().measure(gone, RUN).value == pytest.approx(3 / 6)
    assert AmbiguityLoss().measure(Case(patients, patients.drop("sex")), RUN).value == pytest.approx(1 / (ALL - 1))


def test_gaps_of_the_original_are_a_value() -> None:
    sexes = [None, "f", "m", "m", "f", "m"]
    original = dataset(sex=sexes)
    assert AmbiguityLoss(columns=("sex",)).measure(Case(original, original), RUN).value == 0.0
    found = AmbiguityLoss(columns=("sex",)).measure(Case(original, original.drop("sex")), RUN)
    assert (found.value, found.detail["log10_most"]) == (1.0, pytest.approx(math.log10(3)))
