"""Means of ratios: by hand, zeros in the divisor, weights, subgroups."""

from __future__ import annotations

import pytest

from schleier.testing import example_schema
from schleier.utility.ratio_means import RatioMeans
from utility.tables import audit, data, found


def test_by_hand() -> None:
    old, new = data(x=[2.0, 6.0, 9.0], y=[1.0, 2.0, 0.0]), data(x=[2.0, 6.0, 9.0], y=[1.0, 1.0, 0.0])
    measure = RatioMeans(columns=["x"], over="y")
    finding = found(measure, old, new)
    assert finding.value == 0.6  # 2.5 became 4
    assert finding.text == "The means of 1 ratios to column 'y' changed by at most 60.00%."
    assert audit(measure, old, new) == {
        "measure": "ratio_means", "before": {"x": 2.5}, "relative": {"x": pytest.approx(0.6)},
    }  # fmt: skip


def test_weights_and_subgroups() -> None:
    old = data(x=[1.0, 3.0, 5.0, 5.0], y=[1.0] * 4, w=[3.0, 1.0, 1.0, 1.0], g=list("aabb"))
    new = data(x=[1.0, 3.0, 5.0, 10.0], y=[1.0] * 4, w=[1.0, 1.0, 1.0, 1.0], g=list("aabb"))
    finding = found(RatioMeans(over="y", weighted=True, by=["g"], least=2), old, new)
    assert finding.value == float(f"{4.75 / (16 / 6) - 1:.3g}")
    assert finding.detail["by"]["worst"] == 0.5


def test_nothing_to_divide() -> None:
    table = data(x=[1.0, 2.0], y=[0.0, None])
    finding = found(RatioMeans(over="y"), table, table)
    assert (finding.value, finding.detail["compared"]) == (0.0, 0)
    assert found(RatioMeans(over="y"), table, data(x=[1.0, 2.0])).detail["compared"] == 0


def test_problems() -> None:
    codes = [p.code for p in RatioMeans(columns=["age"], over="age").problems(example_schema())]
    assert codes == ["ratio-of-itself"]
    assert [p.code for p in RatioMeans(over="sex").problems(example_schema())] == ["not-numeric"]
