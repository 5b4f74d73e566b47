"""Moore's prediction: met where columns change independently of each other, missed by correlated noise."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.utility.moore_prediction import MoorePrediction
from utility.tables import audit, data, found, sample


def test_nothing_changed_is_predicted_exactly() -> None:
    old = data(sample())
    finding = found(MoorePrediction(columns=["x", "y", "z"]), old, old)
    assert (finding.value, finding.detail["compared"]) == (0.0, 3)


def test_independent_noise_weakens_as_predicted() -> None:
    """Both correlations with the own original times the original one, up to sampling error (5 / √n)."""
    old = sample(4000, gaps=False)
    rng = np.random.Generator(np.random.Philox(key=5))
    new = old.copy()
    for name in "xy":
        new[name] += rng.normal(0, old[name].std(), len(old))
    measure = MoorePrediction(columns=["x", "y"])
    facts = audit(measure, data(old), data(new))
    own = [np.corrcoef(old[n], new[n])[0, 1] for n in "xy"]
    before = np.corrcoef(old["x"], old["y"])[0, 1]
    assert facts["predicted"]["x, y"] == pytest.approx(own[0] * own[1] * before)
    assert found(measure, data(old), data(new)).value < 5 / np.sqrt(4000)
    assert facts["before"]["x, y"] == pytest.approx(before)


def test_noise_with_the_correlations_of_the_columns_does_not() -> None:
    old = sample(4000, gaps=False)
    rng = np.random.Generator(np.random.Philox(key=5))
    covariance = old[["x", "y"]].cov().to_numpy()
    new = old.copy()
    new[["x", "y"]] += rng.multivariate_normal([0, 0], covariance, len(old))
    assert found(MoorePrediction(columns=["x", "y"]), data(old), data(new)).value > 0.3


def test_constant_columns() -> None:
    table = data(x=[1.0, 2.0, 3.0], y=[1.0] * 3)
    finding = found(MoorePrediction(), table, table)
    assert finding.detail["not_comparable"] == ["y"]
    assert finding.detail["compared"] == 0
