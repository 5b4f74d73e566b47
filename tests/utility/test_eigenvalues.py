"""Eigenvalues of correlation matrices: NumPy as oracle, collinear and constant columns."""

from __future__ import annotations

import numpy as np

from schleier.utility.eigenvalues import Eigenvalues
from utility.tables import audit, data, found, noisy, sample, three


def test_like_numpy() -> None:
    old = sample()
    new = noisy(old)
    names = ["x", "y", "z"]
    before, after = (np.sort(np.linalg.eigvalsh(f[names].corr()))[::-1] for f in (old, new))
    finding = found(Eigenvalues(columns=names), data(old), data(new))
    assert finding.value == three((np.abs(before - after) / before).sum())
    assert np.allclose(audit(Eigenvalues(columns=names), data(old), data(new))["before"], before)


def test_collinear_columns_are_compared_as_they_are() -> None:
    old = sample(gaps=False)
    old["z"] = 2 * old["x"]
    finding = found(Eigenvalues(columns=["x", "z"]), data(old), data(noisy(old)))
    assert finding.detail["collinear"] == 1
    assert 0 < finding.value < 2


def test_constant_columns_are_left_out() -> None:
    table = data(x=[1.0, 2.0, 4.0], y=[3.0, 1.0, 2.0], z=[5.0] * 3)
    finding = found(Eigenvalues(), table, table)
    assert finding.detail["not_comparable"] == ["z"]
    assert (finding.value, finding.detail["compared"]) == (0.0, 2)
    assert found(Eigenvalues(columns=["x", "z"]), table, table).text.startswith("There are no two numeric columns")
