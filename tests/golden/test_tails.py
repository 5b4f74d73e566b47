"""Derived vector D-T7 of the specification (after Höhne 2010, T12 and T13): top coding and replacement."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.core.schema import Column, Scale, Schema
from schleier.methods.replace_extremes import ReplaceExtremes
from schleier.methods.top_code import TopCode

ORIGINAL = [3, 8, 12, 50, 70, 90]
MEAN, VARIANCE = 38.8333, 1111.4722


@pytest.mark.parametrize("scale", ["discrete", "continuous"])
@pytest.mark.parametrize(
    ("step", "wanted", "mean", "variance"),
    [
        (TopCode(column="x", upper=20), [3, 8, 12, 20, 20, 20], 13.8333, 44.8056),
        (ReplaceExtremes(column="x", upper=20), [3, 8, 12, 70, 70, 70], 38.8333, 978.1389),
    ],
    ids=["T12", "T13"],
)
def test_top_coding_and_replacement(
    step: Method, wanted: list[int], mean: float, variance: float, scale: Scale
) -> None:
    schema = Schema(columns=[Column(name="x", role="sensitive", scale=scale)])
    after = step.apply(Dataset.from_frame(pa.table({"x": ORIGINAL}), schema), Run()).to_arrow()["x"].to_pylist()
    assert after == wanted
    assert np.mean(after) == pytest.approx(mean, abs=5e-5)
    assert np.var(after) == pytest.approx(variance, abs=5e-5)


def test_the_original_moments() -> None:
    assert np.mean(ORIGINAL) == pytest.approx(MEAN, abs=5e-5)
    assert np.var(ORIGINAL) == pytest.approx(VARIANCE, abs=5e-5)
