from __future__ import annotations

import numpy as np
import pytest

from schleier.kernels.statistics.logistic import fit, predict


def test_counts_are_repeated_rows() -> None:
    codes, classes = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 2, 0])
    counts = np.array([5.0, 3.0, 2.0, 1.0])
    rows = np.repeat(np.arange(4), counts.astype(int))
    once = fit(codes, (2, 2), classes, 3, counts)
    again = fit(codes[rows], (2, 2), classes[rows], 3, np.ones(len(rows)))
    assert once.coefficients == pytest.approx(again.coefficients, abs=1e-3)


def test_finds_the_stationary_point() -> None:
    """With two classes and one column of two codes the equations can be checked by hand."""
    counts = np.array([30.0, 10.0, 5.0, 25.0])
    codes, classes = np.array([[0], [0], [1], [1]]), np.array([0, 1, 0, 1])
    b = fit(codes, (2,), classes, 2, counts, ridge=2.0).coefficients
    z = b[codes[:, 0]] + b[-1]
    p = np.exp(z[:, 0]) / np.exp(z).sum(axis=1)
    slope = (counts * (p - (classes == 0)))[:2].sum() + 2.0 * b[0, 0]
    assert slope == pytest.approx(0.0, abs=0.02)
    assert (counts * (p - (classes == 0))).sum() == pytest.approx(0.0, abs=0.02)


def test_without_columns_the_largest_class_is_predicted() -> None:
    none = np.zeros((3, 0), dtype=np.int64)
    assert predict(fit(none, (), np.array([0, 1, 1]), 2, np.ones(3)), none).tolist() == [1, 1, 1]
