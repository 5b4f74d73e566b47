from __future__ import annotations

import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.discernibility_loss import DiscernibilityLoss

from .conftest import dataset

RUN = Run(key=bytes(32))


def test_squares_the_classes(single: Case, multi: Case) -> None:
    found = DiscernibilityLoss().measure(single, RUN)
    assert (found.detail["penalty"], found.value) == (4**2 + 2**2, pytest.approx(20 / 36))
    assert DiscernibilityLoss().measure(multi, RUN).detail["penalty"] == 3 * 2**2


def test_a_dropped_record_costs_the_whole_file(patients: Dataset) -> None:
    found = DiscernibilityLoss().measure(Case(patients, dataset(age=["25"] * 4)), RUN)
    assert found.detail == {"penalty": 1 + 2**2 + 1 + 2 * 6, "records": 6, "dropped": 2, "classes": 3}


def test_a_column_that_is_gone_tells_nothing_apart(patients: Dataset) -> None:
    released = patients.drop("age", "zip")
    assert DiscernibilityLoss().measure(Case(patients, released), RUN).detail["penalty"] == 4**2 + 2**2
    assert DiscernibilityLoss(columns=("sex",)).measure(Case(patients, patients), RUN).value == pytest.approx(20 / 36)
