"""Variance lost: the identity of microaggregation, noise, subgroups, gaps."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.information_loss import InformationLoss
from utility.tables import audit, data, found, noisy, sample, three


def test_means_of_groups_lose_what_lies_within_them() -> None:
    """D-T19: 1 - Var(a) / Var(o) = F(T) / (n Var(o)) when values are replaced by the means of their groups."""
    x = np.array([1.0, 2, 3, 10, 11, 12, 13, 50, 51, 52, 90])
    groups = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    means = (np.bincount(groups, x) / np.bincount(groups))[groups]
    facts = audit(InformationLoss(), data(x=x), data(x=means))["columns"]["x"]
    assert facts["f"] == pytest.approx(1149.75)  # D-T8, F of the groups of Hansen and Mukherjee
    assert facts["variance_loss"] == pytest.approx(1149.75 / (11 * x.var()))
    column = found(InformationLoss(), data(x=x), data(x=means)).detail["columns"]["x"]
    assert column["loss"] == column["variance_loss"] == three(1149.75 / (11 * x.var()))


def test_noise_moves_values_but_raises_the_variance() -> None:
    old = sample(gaps=False)
    new = noisy(old, strength=1.0)
    finding = found(InformationLoss(columns=["x", "y"]), data(old), data(new))
    losses = [float(((new[n] - old[n]) ** 2).mean() / old[n].var(ddof=0)) for n in "xy"]
    assert finding.value == three(sum(losses) / 2)
    grown = audit(InformationLoss(columns=["x"]), data(old), data(new))["columns"]["x"]["variance_loss"]
    assert grown < 0
    assert finding.detail["columns"]["x"]["variance_loss"] == -three(-grown)


def test_the_report_tells_whether_the_variance_grew() -> None:
    old = sample(2000, gaps=False)
    measure, new = InformationLoss(columns=["x"]), noisy(old, strength=1.0)
    told = []
    for after in (new, old.assign(x=old["x"].mean() + (old["x"] - old["x"].mean()) / 2)):
        case, run = Case(data(old), data(after)), Run(key=bytes(32))
        public = measure.disclose(case, run, measure.measure(case, run))
        assert public is not None
        told.append(public.detail["columns"]["x"]["variance_loss"])
    assert told[0] < 0 < told[1]


def test_weights_gaps_and_columns_without_variance() -> None:
    old = data(x=[1.0, 2.0, None, 4.0], y=[7.0] * 4, w=[1.0, 1.0, 1.0, 0.0])
    new = data(x=[1.0, 3.0, 5.0, 9.0], y=[8.0] * 4, w=[1.0] * 4)
    finding = found(InformationLoss(weighted=True), old, new)
    assert finding.detail["columns"] == {"x": {"loss": 2.0, "variance_loss": -3.0}}
    assert finding.detail["not_comparable"] == ["y"]
    nothing = found(InformationLoss(columns=["y"]), old, new)
    assert nothing.text == "There is no numeric column with a variance that could be lost."


def test_subgroups() -> None:
    old = data(x=[0.0, 2.0, 10.0, 14.0], g=["a", "a", "b", "b"])
    new = data(x=[0.0, 2.0, 11.0, 14.0], g=["a", "a", "b", "b"])
    by = found(InformationLoss(by=["g"], least=2), old, new).detail["by"]
    assert by == {"columns": ["g"], "groups": 2, "left_out": 0, "worst": 0.125, "median": 0.0625}
