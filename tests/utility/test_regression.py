"""Regressions of both files: statsmodels and closed forms as oracles, collinear and constant columns, separation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from schleier.kernels.statistics.regression import independent_columns, least_squares, logistic
from schleier.testing import example_schema
from schleier.utility.regression import Regression
from utility.tables import audit, data, found, noisy, sample, three


def test_least_squares_like_the_normal_equations() -> None:
    frame = sample(gaps=False)
    x, y = np.column_stack([np.ones(len(frame)), frame[["x", "z"]]]), frame["y"].to_numpy()
    fit = least_squares(x, y, np.ones(len(y)))
    assert fit is not None
    inverse = np.linalg.inv(x.T @ x)
    b = inverse @ x.T @ y
    left = y - x @ b
    assert fit.coefficients == pytest.approx(b)
    assert fit.errors == pytest.approx(np.sqrt(np.diag(inverse) * (left @ left) / (len(y) - 3)))
    assert fit.fit == pytest.approx(1 - left.var() / y.var())


def test_like_statsmodels() -> None:
    api = pytest.importorskip("statsmodels.api")
    frame = sample(gaps=False)
    x, y, w = np.column_stack([np.ones(len(frame)), frame[["x", "z"]]]), frame["y"].to_numpy(), frame["w"].to_numpy()
    ours, theirs = least_squares(x, y, w, robust=True), api.WLS(y, x, weights=w).fit(cov_type="HC0")
    assert ours is not None
    assert ours.coefficients == pytest.approx(theirs.params)
    assert ours.errors == pytest.approx(theirs.bse)
    assert ours.fit == pytest.approx(theirs.rsquared)
    high = (y > np.median(y)).astype(float)
    ours, theirs = logistic(x, high, np.ones(len(y))), api.Logit(high, x).fit(disp=0)
    assert ours is not None
    assert ours.coefficients == pytest.approx(theirs.params, rel=1e-5)
    assert ours.errors == pytest.approx(theirs.bse, rel=1e-4)
    assert ours.fit == pytest.approx(theirs.prsquared, rel=1e-6)


def test_logistic_with_one_binary_column_is_the_log_odds() -> None:
    x = np.column_stack([np.ones(100), np.repeat([0.0, 1.0], 50)])
    y = np.concatenate([np.repeat([1.0, 0.0], [10, 40]), np.repeat([1.0, 0.0], [30, 20])])
    fit = logistic(x, y, np.ones(100))
    assert fit is not None
    assert fit.coefficients == pytest.approx([np.log(10 / 40), np.log(30 / 20) - np.log(10 / 40)])
    assert fit.errors[1] == pytest.approx(np.sqrt(1 / 10 + 1 / 40 + 1 / 30 + 1 / 20))


def test_overlap_of_intervals() -> None:
    old = sample(120, gaps=False)
    new = noisy(old)
    measure = Regression(target="y", columns=["x"])
    finding = found(measure, data(old), data(new))
    sides = []
    for frame in (old, new):
        fit = least_squares(np.column_stack([np.ones(120), frame["x"]]), frame["y"].to_numpy(), np.ones(120))
        assert fit is not None
        far = student.ppf(0.975, 118) * fit.errors
        sides.append((fit.coefficients - far, fit.coefficients + far, fit))
    (a, b, first), (c, d, second) = sides
    common = np.maximum(np.minimum(b, d) - np.maximum(a, c), 0)
    overlap = (common / (b - a) + common / (d - c)) / 2
    assert finding.value == three(overlap.mean())
    assert finding.better == "higher"
    assert finding.detail["terms"]["x"]["coefficient"] == three(second.coefficients[1] - first.coefficients[1])
    assert finding.detail["r_squared"] == three(second.fit - first.fit)
    assert audit(measure, data(old), data(new))["before"]["x"] == pytest.approx(first.coefficients[1])


def test_words_are_columns_and_are_not_named() -> None:
    frame = sample(gaps=False)
    finding = found(Regression(target="y", columns=["g", "x"], by=["g"]), data(frame), data(frame))
    assert list(finding.detail["terms"]) == ["constant", "g [2]", "x"]
    assert finding.value == 1.0
    assert finding.detail["by"]["groups"] == 2  # within a group its own column is constant and left out


def test_collinear_columns_are_left_out_and_named() -> None:
    old = sample(gaps=False)
    old["z"] = 2 * old["x"] + 1
    new = noisy(old)
    finding = found(Regression(target="y", columns=["x", "z"]), data(old), data(new))
    assert finding.detail["collinear"] == ["z"]
    assert finding.detail["compared"] == 2
    assert independent_columns(np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 2.0], [1.0, 2.0, 3.0]])).tolist() == [
        True,
        True,
        False,
    ]


def test_what_cannot_be_compared() -> None:
    frame = sample(gaps=False)
    frame["high"] = np.where(frame["x"] > frame["x"].median(), "yes", "no")
    told_apart = found(Regression(target="high", columns=["x"], model="logistic"), data(frame), data(frame))
    assert (told_apart.value, told_apart.detail["compared"]) == (0.0, 0)
    three_values = data(y=["a", "b", "c"] * 9, x=list(range(27)))
    assert found(Regression(target="y", columns=["x"], model="logistic"), three_values, three_values).value == 0.0
    few = data(x=[1.0, 2.0], y=[1.0, 2.0])
    assert found(Regression(target="y", columns=["x"]), few, few).detail["compared"] == 0


def test_a_logistic_model_of_words() -> None:
    frame = sample(gaps=False)
    frame["high"] = np.where(frame["y"] > 30, "yes", "no")
    measure = Regression(target="high", columns=["x"], model="logistic")
    assert found(measure, data(frame), data(frame)).value == 1.0
    assert 0 < found(measure, data(frame), data(noisy(frame))).value < 1


def test_problems() -> None:
    schema = example_schema()
    assert [p.code for p in Regression(target="age", columns=["age"]).problems(schema)] == ["target-is-key"]
    assert [p.code for p in Regression(target="sex").problems(schema)] == ["not-numeric"]
    assert list(Regression(target="sex", model="logistic").problems(schema)) == []
