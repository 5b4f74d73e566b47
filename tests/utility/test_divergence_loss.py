from __future__ import annotations

import math

import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.divergence_loss import DivergenceLoss

from .conftest import dataset

RUN = Run(key=bytes(32))
ALL = 4 * 2 * 3


def test_is_the_divergence_of_the_spread_out_cells(single: Case) -> None:
    """Each patient has p = 1/6; four lie in a cell of 8, two in one of 4 combinations."""
    found = DivergenceLoss().measure(single, RUN)
    nats = sum(math.log((1 / 6) / q) / 6 for q in [4 / 6 / 8] * 4 + [2 / 6 / 4] * 2)
    most = math.log(ALL) - math.log(6)
    assert found.detail["nats"] == pytest.approx(nats)
    assert found.detail["nats_if_all_dropped"] == pytest.approx(most)
    assert found.value == pytest.approx(nats / most)


def test_cells_may_overlap(multi: Case) -> None:
    """[25-27] is no label: those two are spread over all ages, women of 53712 only."""
    q = [2 / 6 / 2] * 2 + [2 / 6 / 4] * 2 + [2 / 6 / 4] * 2
    nats = sum(math.log((1 / 6) / one) / 6 for one in q)
    assert DivergenceLoss().measure(multi, RUN).detail["nats"] == pytest.approx(nats)


def test_dropped_records_are_spread_over_everything(patients: Dataset) -> None:
    case = Case(patients, dataset(sex=["m", "f", "m"]))
    q = [1 / 6 + 3 / 6 / ALL] * 3 + [3 / 6 / ALL] * 3
    nats = sum(math.log((1 / 6) / one) / 6 for one in q)
    found = DivergenceLoss().measure(case, RUN)
    assert found.detail["nats"] == pytest.approx(nats)


def test_what_the_release_rules_out_misleads(patients: Dataset) -> None:
    found = DivergenceLoss(columns=("sex",)).measure(Case(patients, dataset(sex=["m"] * 6)), RUN)
    assert (found.value, found.detail["nats"]) == (1.0, None)


def test_nothing_to_lose() -> None:
    same = dataset(sex=["m", "f"])
    assert DivergenceLoss(columns=("sex",)).measure(Case(same, same.drop("sex")), RUN).value == 0.0
