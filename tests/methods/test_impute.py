"""Values drawn from a model of the other columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from methods.small import KEY, codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.kernels.change.imputation import classified, design, nearest_donors, regressed, solved
from schleier.methods.impute import Impute

N = 2_000
RNG = np.random.default_rng(1)
AGE = RNG.integers(20, 60, N)
SEX = np.where(RNG.random(N) < 0.5, "f", "m")
PAY = 100.0 * AGE + 500 * (SEX == "m") + RNG.normal(0, 300, N)
TABLE: dict[str, Any] = {"age": AGE.tolist(), "sex": SEX.tolist(), "pay": PAY.tolist()}
DATA = small(TABLE, age="discrete", sex="nominal")


@pytest.mark.parametrize("how", ["matching", "regression"])
def test_mean_variance_and_slope_stay(how: str) -> None:
    new = np.array(done(Impute(columns=["pay"], given=["age", "sex"], how=how), DATA)["pay"])
    error = 300 / np.sqrt(N)  # of a mean of residuals; old and new are two draws, and the model is a third
    assert abs(new.mean() - PAY.mean()) < 4 * error * np.sqrt(3)
    assert abs(new.std() / PAY.std() - 1) < 4 / np.sqrt(N) * np.sqrt(3)
    slope = np.polyfit(AGE, new, 1)[0]
    assert abs(slope - np.polyfit(AGE, PAY, 1)[0]) < 4 * np.sqrt(3) * 392 / (AGE.std() * np.sqrt(N))
    assert (new == PAY).mean() < 0.01
    if how == "matching":
        assert set(new.tolist()) <= set(PAY.tolist())


def test_zeros_and_missing_values_stay() -> None:
    pay = [None if i % 7 == 0 else 0.0 if i % 5 == 0 else value for i, value in enumerate(TABLE["pay"])]
    data = small(TABLE | {"pay": pay}, age="discrete", sex="nominal")
    for how in ("matching", "regression"):
        found = done(Impute(columns=["pay"], given=["age"], how=how), data)["pay"]
        for old, new in zip(pay, found, strict=True):
            assert new == old if not old else new not in (None, 0.0)


def test_only_what_is_missing_is_filled() -> None:
    pay = [None if i % 9 == 0 else value for i, value in enumerate(TABLE["pay"])]
    data = small(TABLE | {"pay": pay}, age="discrete", sex="nominal")
    found = done(Impute(columns=["pay"], given=["age", "sex"], replace="missing"), data)["pay"]
    assert all(new == old for old, new in zip(pay, found, strict=True) if old is not None)
    filled = [(new, PAY[i]) for i, (old, new) in enumerate(zip(pay, found, strict=True)) if old is None]
    assert None not in [new for new, _ in filled]
    assert np.corrcoef(np.array(filled).T)[0, 1] > 0.8


def test_outliers_are_replaced_and_teach_nothing() -> None:
    pay = [1e9 if i % 100 == 0 else value for i, value in enumerate(TABLE["pay"])]
    data = small(TABLE | {"pay": pay}, age="discrete", sex="nominal")
    step = Impute(columns=["pay"], given=["age"], where=[{"column": "pay", "above": 1e6}])
    found = done(step, data)["pay"]
    assert max(found) < 1e4
    assert [a for a, b in zip(found, pay, strict=True) if b < 1e6] == [b for b in pay if b < 1e6]


def test_several_imputations_differ_and_take_the_place_of_the_column() -> None:
    found = done(Impute(columns=["sex", "pay"], given=["age"], imputations=3), DATA)
    assert list(found) == ["age", "sex_1", "sex_2", "sex_3", "pay_1", "pay_2", "pay_3"]
    between = np.var([found[f"pay_{n}"] for n in (1, 2, 3)], axis=0, ddof=1).mean()
    assert 0.6 < between / 392**2 < 1.4, "about the variance that age does not explain"
    assert np.mean([a == b for a, b in zip(found["sex_1"], found["sex_2"], strict=True)]) < 0.6
    # columns are explained by the imputed ones before them: pay still follows sex
    gap = np.mean(np.array(found["pay_1"])[np.array(found["sex_1"]) == "m"]) - np.mean(
        np.array(found["pay_1"])[np.array(found["sex_1"]) == "f"]
    )
    assert abs(gap - 500) < 4 * 600 / np.sqrt(N / 4) * np.sqrt(2)


def test_strata_whole_numbers_logs_and_negatives() -> None:
    x = np.floor(np.exp(RNG.normal(3, 1, N))) + 1
    data = small(TABLE | {"x": x.astype(int).tolist(), "y": (-x).tolist()}, age="discrete", sex="nominal", x="discrete")
    found = done(Impute(columns=["x"], given=["age"], how="regression", log=True, strata=["sex"]), data)["x"]
    assert all(isinstance(value, int) and value >= 0 for value in found)
    below = done(Impute(columns=["y"], given=["age"], how="regression"), data)["y"]
    assert min(below) < 0
    plain = done(Impute(columns=["x"], given=["age"], how="regression"), data)["x"]
    assert min(plain) >= 0, "a column without negative values gets none"


def test_a_model_that_knows_too_much_is_told() -> None:
    data = small({"a": list(range(1, 101)), "b": [10.0 * i for i in range(1, 101)]}, a="discrete")
    run = Run(key=KEY)
    Impute(columns=["b"], given=["a"], how="regression").apply(data, run)
    assert any("knows too much" in str(note.facts.get("caution")) for note in run.notes)
    told = [note for note in run.notes if note.visibility == "restricted"]
    assert told[0].facts["close_to_the_old_value"] > 90


def test_too_few_and_logarithms_of_nothing_are_refused() -> None:
    data = small({"a": [1.0, 2.0, 3.0], "b": [1.0, -2.0, 3.0]})
    with pytest.raises(InfeasibleError) as error:
        done(Impute(columns=["b"], given=["a"], log=True), data)
    assert [problem.code for problem in error.value.problems] == ["no-donors", "not-positive"]


def test_constant_and_collinear_columns_are_no_error() -> None:
    table = TABLE | {"same": [1.0] * N, "twice": [2.0 * a for a in TABLE["age"]], "gap": [None, *TABLE["age"][1:]]}
    data = small(table, age="discrete", sex="nominal", gap="discrete")
    found = done(Impute(columns=["pay"], given=["age", "twice", "same", "gap"], how="regression"), data)["pay"]
    assert np.isfinite(found).all()


def test_contradictions_are_refused() -> None:
    bad: list[dict[str, Any]] = [
        {"columns": ["a"], "given": ["a"]},
        {"columns": ["a"], "given": []},
        {"columns": ["a"], "given": ["b"], "donors": 2},
        {"columns": ["a"], "given": ["b"], "imputations": 0},
    ]
    for parameters in bad:
        with pytest.raises(SchleierError):
            Impute(**parameters)
    schema = small({"t": ["x"], "b": [1.0], "b_1": [1.0]}, t="text").schema
    assert codes(Impute(columns=["t"], given=["b"]), schema) == ["not-imputed"]
    assert codes(Impute(columns=["b"], given=["b_1"], imputations=2), schema) == ["name-taken"]
    assert codes(Impute(columns=["b"], given=["b_1"], where=[{"column": "t", "above": 1}]), schema) == [
        "bad-comparison"
    ]


def test_kernels_against_plain_formulas() -> None:
    x = design([AGE.astype(float), SEX.astype(object)], [False, True])
    weights = np.ones(N)
    assert np.allclose(solved(x, PAY[:, None], weights)[:, 0], np.linalg.lstsq(x, PAY, rcond=None)[0], rtol=1e-6)
    everybody = np.ones(N, dtype=bool)
    draws = np.full(N, 0.5)
    fitted = x @ np.linalg.lstsq(x, PAY, rcond=None)[0]
    assert np.allclose(regressed(x, x, PAY, everybody, weights, draws), fitted, rtol=1e-6)  # the median error is none
    few = slice(0, 40)
    found = nearest_donors(x[few], x[few], PAY[few], everybody[few], weights[few], np.zeros(40), 1)
    near = x[few] @ np.linalg.lstsq(x[few], PAY[few], rcond=None)[0]
    for i, place in enumerate(found):
        others = np.abs(np.delete(near, i) - near[i])
        assert place != i and abs(near[place] - near[i]) == pytest.approx(others.min(), abs=1e-4)
    place = classified(x, x, SEX.astype(object), everybody, weights, RNG.random(N))
    assert abs((SEX[place] == "m").mean() - (SEX == "m").mean()) < 4 * 0.5 / np.sqrt(N) * np.sqrt(2)


def test_equal_predictions_do_not_share_a_few_donors() -> None:
    """Explained by two words there are two predictions: everybody with the same word is as near as the nearest."""
    rng = np.random.default_rng(0)
    sex, pay = np.where(rng.random(800) < 0.5, "f", "m"), rng.lognormal(7, 1, 800)
    found = np.array(
        done(Impute(columns=["pay"], given=["sex"]), small({"sex": sex, "pay": pay}, sex="nominal"))["pay"]
    )
    # Of n donors drawn n times 1 - 1/e are hit: 0.632, with a standard deviation of about 0.48 / sqrt(n).
    assert len(set(found)) / 800 == pytest.approx(0.632, abs=4 * 0.48 / 800**0.5)
    assert not (found == pay).any(), "nobody is a donor of itself"
    of = dict(zip(pay, sex, strict=True))
    assert all(of[value] == word for value, word in zip(found, sex, strict=True))


def test_donors_are_the_nearest_and_all_as_near_as_the_last() -> None:
    """Against a search through all pairs."""
    rng = np.random.default_rng(4)
    value = rng.integers(0, 6, 60).astype(float)
    x, donors = np.column_stack([np.ones(60), value]), rng.random(60) < 0.8
    for draw in np.linspace(0, 0.999, 23):
        found = nearest_donors(x, x, value, donors, np.ones(60), np.full(60, draw), 5)
        for i in range(60):
            far = sorted(abs(value[j] - value[i]) for j in range(60) if donors[j] and j != i)
            assert donors[found[i]] and found[i] != i and abs(value[found[i]] - value[i]) <= far[4]
