from __future__ import annotations

import narwhals as nw
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.class_size_loss import ClassSizeLoss

from .conftest import dataset

RUN = Run(key=bytes(32))


def test_average_class_size_of_the_mondrian_paper(single: Case, multi: Case) -> None:
    found = ClassSizeLoss(k=2).measure(single, RUN)
    assert (found.detail["average"], found.detail["c_avg"]) == (3.0, 1.5)
    assert found.value == pytest.approx((3 - 1) / (6 - 1))
    assert ClassSizeLoss(k=2).measure(multi, RUN).detail["c_avg"] == 1.0


def test_dropped_records_are_a_class_together(patients: Dataset) -> None:
    found = ClassSizeLoss().measure(Case(patients, dataset(age=["25"] * 4)), RUN)
    assert found.detail == {"average": 6 / 4, "c_avg": 6 / 4, "classes": 3, "dropped": 2}
    assert ClassSizeLoss().measure(Case(patients, patients.filter(nw.col("sex") == "none")), RUN).value == 1.0


def test_nothing_is_lost_when_all_records_differ(patients: Dataset) -> None:
    assert ClassSizeLoss().measure(Case(patients, patients), RUN).value == 0.0
