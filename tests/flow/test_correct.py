"""Estimates corrected with a report: what is public is used, what is secret is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import schleier as sl
from schleier.core.errors import InfeasibleError, RecipeError, SchleierError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Report, ReportedColumn, ReportedStep
from schleier.kernels.change.corrections import noise_spread
from schleier.methods._factor_correction import factor_variance
from schleier.search.coarsen import Coarsen
from schleier.testing import example_table


def step(method: str, *facts: dict[str, Any], **parameters: Any) -> ReportedStep:
    columns = tuple(parameters.get("columns", ())) or (parameters.get("column", ""),)
    return ReportedStep(
        method=method, label=f"{method}:{columns[0]}", columns=columns, parameters=parameters, facts=facts
    )


def report(*steps: ReportedStep) -> Report:
    columns = tuple(ReportedColumn(name=name, role="plain", scale="continuous") for name in ("a", "b", "c", "sum"))
    return Report(
        schleier="0",
        file="f.csv",
        digest="0" * 64,
        records_read=100,
        records_released=100,
        columns=columns,
        steps=steps,
    )


NOISE = step("add_noise", columns=["a", "b"], kind="correlated", d=0.25, public=["d"])
FACTORS = step("multiply_noise", columns=["a", "b"], kind="mixture", f=0.11, s=0.03, public=["f", "s"])


def codes(error: pytest.ExceptionInfo[SchleierError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def test_covariances_of_noise() -> None:
    given = {"covariance": [[5.0, 1.5, 2.0], [1.5, 10.0, 3.0], [2.0, 3.0, 7.0]], "columns": ["a", "b", "c"]}
    found = sl.correct(report(NOISE), given)
    assert found["covariance"] == [[4.0, 1.2, 2.0], [1.2, 8.0, 3.0], [2.0, 3.0, 7.0]]  # c has no noise
    assert found["steps"] == ["add_noise:a"]


def test_variances_of_factors_need_the_mean() -> None:
    """S-T6, Tabelle 4, first row."""
    found = sl.correct(report(FACTORS), {"variance": 1389153778.0**2, "mean": 122246804.0, "column": "a"})
    assert round(found["variance"] ** 0.5) == 1380141896
    with pytest.raises(RecipeError) as error:
        sl.correct(report(FACTORS), {"variance": 4.0, "column": "a"})
    assert codes(error) == ["no-means"]


def test_independent_noise_leaves_covariances() -> None:
    one = step("add_noise", columns=["a", "b"], kind="independent", d=0.5, public=["d", "sd"])
    found = sl.correct(report(one), {"covariance": [[3.0, 1.0], [1.0, 6.0]], "columns": ["a", "b"]})
    assert found["covariance"] == [[2.0, 1.0], [1.0, 4.0]]
    own = step("add_noise", columns=["a"], kind="independent", sd={"a": 1.0}, public=["d", "sd"])
    assert sl.correct(report(own), {"variance": 5.0, "column": "a"})["variance"] == 4.0


def test_secret_parameters_cannot_be_used() -> None:
    secret = step("add_noise", columns=["a"], kind="correlated")
    other = step("multiply_noise", columns=["a"], kind="mixture", f=0.11, public=["f"])
    with pytest.raises(InfeasibleError) as error:
        sl.correct(report(secret, other), {"variance": 4.0, "mean": 1.0, "column": "a"})
    assert codes(error) == ["secret-parameter", "secret-parameter"]  # all at once, the last step first
    assert "users cannot correct" in str(error.value) and "'d' secret" in str(error.value)
    assert "'s' secret" in str(error.value)


def test_means_need_no_correction_and_other_columns_neither() -> None:
    secret = step("add_noise", columns=["a"], kind="correlated")
    assert sl.correct(report(secret), {"mean": 3.0, "column": "a"})["mean"] == 3.0
    assert sl.correct(report(secret), {"variance": 3.0, "column": "c"}) == {
        "variance": 3.0, "columns": ["c"], "notes": [], "steps": [],
    }  # fmt: skip


def test_steps_are_undone_from_the_last_to_the_first() -> None:
    found = sl.correct(report(NOISE, FACTORS), {"variance": 100.0, "mean": 5.0, "column": "a"})
    assert found["variance"] == pytest.approx((100 - 0.013 * 25) / 1.013 / 1.25)
    assert found["steps"] == ["multiply_noise:a", "add_noise:a"]


def test_counts_of_exchanged_categories() -> None:
    """D-T3."""
    matrix = {"x": {"x": 0.8, "y": 0.1, "z": 0.1}, "y": {"x": 0.2, "y": 0.7, "z": 0.1},
              "z": {"x": 0.25, "y": 0.25, "z": 0.5}}  # fmt: skip
    own = step("pram", columns=["c"], matrix_kind="own", matrix=matrix, public=["matrix"])
    found = sl.correct(report(own), {"counts": [31, 46, 23], "categories": ["y", "x", "z"], "column": "c"})
    assert found["counts"] == pytest.approx([26.875, 40.625, 32.5])
    with pytest.raises(RecipeError) as error:
        sl.correct(report(own), {"counts": [31, 46], "categories": ["y", "x"], "column": "c"})
    assert codes(error) == ["bad-estimate"]
    flat = {"x": {"x": 0.5, "y": 0.5}, "y": {"x": 0.5, "y": 0.5}}
    useless = step("pram", columns=["c"], matrix_kind="own", matrix=flat, public=["matrix"])
    with pytest.raises(InfeasibleError) as lost:
        sl.correct(report(useless), {"counts": [31, 46], "categories": ["y", "x"], "column": "c"})
    assert codes(lost) == ["cannot-correct"]
    invariant = step("pram", columns=["c"])
    found = sl.correct(report(invariant), {"counts": [31, 46], "categories": ["y", "x"], "column": "c"})
    assert found["counts"] == [31, 46] and len(found["notes"]) <= 1


@pytest.mark.parametrize("method", ["microaggregate", "preserve_variance"])
def test_numbers_rounded_one_by_one_keep_no_total(method: str) -> None:
    total = {"total": 60.0, "column": "a"}
    with pytest.raises(InfeasibleError):
        sl.correct(report(step(method, columns=["a"], k=5)), total)
    broken = step(method, columns=["a"], k=5, round="none", gaps="error")
    assert sl.correct(report(broken), total)["total"] == 60.0


def test_weights_are_not_forgotten() -> None:
    exchanged = step("swap", columns=["a"])
    plain = {"mean": 5.0, "column": "a"}
    assert sl.correct(report(exchanged), plain)["mean"] == 5.0
    with pytest.raises(InfeasibleError) as error:
        sl.correct(report(exchanged), plain | {"weighted": True})
    assert codes(error) == ["cannot-correct"]
    noisy = step("add_noise", columns=["a"], kind="independent", d=0.1, public=["d"])
    assert sl.correct(report(noisy), plain | {"weighted": True})["mean"] == 5.0
    assert sl.correct(report(noisy), {"variance": 1.1, "column": "a"})["variance"] == pytest.approx(1.0)
    with pytest.raises(InfeasibleError):
        sl.correct(report(noisy), {"variance": 1.1, "column": "a", "weighted": True})


def test_totals_of_a_sample() -> None:
    drawn = step("sample", {"sampled": "records", "taken": 10, "of": 40}, fraction=0.25)
    assert sl.correct(report(drawn), {"total": 5.0, "column": "a"})["total"] == 20.0
    assert sl.correct(report(drawn), {"total": 5.0, "column": "a", "weighted": True})["total"] == 5.0
    strata = step("sample", {"sampled": "records", "taken": 10, "of": 40}, fraction=0.25, strata=["s"])
    with pytest.raises(InfeasibleError) as error:
        sl.correct(report(strata), {"counts": [5.0], "column": "a"})
    assert codes(error) == ["cannot-correct"]


@pytest.mark.parametrize("kind", ["total", "mean", "variance"])
def test_strata_with_fractions_of_their_own_need_the_weights(kind: str) -> None:
    drawn = step(
        "sample", {"sampled": "records", "taken": 10, "of": 40}, {"own_fractions": 1}, strata=["s"], fraction=0.1
    )
    assert sl.correct(report(drawn), {kind: 5.0, "column": "a", "weighted": True})[kind] == 5.0
    with pytest.raises(InfeasibleError) as error:
        sl.correct(report(drawn), {kind: 5.0, "column": "a"})
    assert "weights" in error.value.problems[0].message
    even = step("sample", {"sampled": "records", "taken": 10, "of": 40}, fraction=0.25)
    assert sl.correct(report(even), {kind: 5.0, "column": "a"})["steps"] == (["sample:"] if kind == "total" else [])


def test_what_no_correction_is_known_for() -> None:
    capped = step("top_code", column="a", upper=3)
    controlled = step("multiply_noise", columns=["a"], kind="controlled", f=0.1, s=0.02, public=["f", "s"])
    with pytest.raises(InfeasibleError) as error:
        sl.correct(report(capped, controlled), {"variance": 1.0, "mean": 1.0, "column": "a"})
    assert codes(error) == ["cannot-correct", "cannot-correct"]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"variance": 1.0, "counts": [1.0]},
        {"covariance": [[1.0]], "columns": ["a", "b"]},
        {"covariance": 1.0, "columns": ["a"]},
        {"variance": float("nan"), "column": "a"},
        {"covariance": [[1.0]], "columns": ["a"], "mean": [1.0, 2.0]},
        {"variance": 1.0},
        {"variance": 1.0, "columns": ["a", "b"]},
        {"counts": [5.0, 4.0], "categories": ["x", "y"]},
        {"covariance": np.empty((0, 0)), "columns": []},
        {"covariance": [["x"]], "columns": ["a"]},
        {"regression": "c", "covariance": [[1.0, 0.0], [0.0, 1.0]], "columns": ["a", "b"]},
        {"regression": "a", "correlation": [[1.0, 0.0], [0.0, 1.0]], "columns": ["a", "b"]},
        {"counts": [[1.0, 2.0]], "columns": ["a", "b"], "categories": [["x"], ["y"]]},
        {"counts": [[1.0, 2.0]], "columns": ["a", "b"], "categories": [["x"], ["y", "y"]]},
        {"counts": [[1.0, 2.0]], "column": "a", "categories": [["x"], ["y", "z"]]},
        {"correlation": [[1.0, 0.0], [0.0, 1.0]], "columns": ["a", "b"], "variance": [1.0]},
    ],
)
def test_bad_estimates(given: dict[str, Any]) -> None:
    with pytest.raises(RecipeError) as error:
        sl.correct(report(NOISE), given)
    assert codes(error) == ["bad-estimate"]


def test_from_the_file_of_a_release(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(report(NOISE).model_dump_json(), encoding="utf-8")
    assert sl.correct(file, {"variance": 5.0, "column": "a"})["variance"] == 4.0
    assert sl.correct(str(file), {"variance": np.float64(5.0), "column": "b"})["variance"] == 4.0


def test_correlations_of_noise() -> None:
    """Among the columns of correlated noise they stay; with a column without noise they were weakened by √(1 + d)."""
    given = {"correlation": [[1.0, 0.5, 0.4], [0.5, 1.0, 0.2], [0.4, 0.2, 1.0]], "columns": ["a", "b", "c"]}
    noise = step("add_noise", columns=["a", "b"], kind="correlated", d=0.5625, public=["d"])
    found = np.array(sl.correct(report(noise), given)["correlation"])
    assert np.allclose(found, [[1, 0.5, 0.5], [0.5, 1, 0.25], [0.5, 0.25, 1]])
    alone = step("add_noise", columns=["a", "b"], kind="independent", d=0.5625, public=["d"])
    found = np.array(sl.correct(report(alone), given)["correlation"])
    assert np.allclose(found, [[1, 0.78125, 0.5], [0.78125, 1, 0.25], [0.5, 0.25, 1]])
    both = {"correlation": [[1.0, 0.5], [0.5, 1.0]], "columns": ["a", "b"]}
    secret = step("add_noise", columns=["a", "b"], kind="correlated")
    assert sl.correct(report(secret), both)["correlation"] == both["correlation"]  # d is not needed
    assert refused(report(secret), both | {"columns": ["a", "c"]}) == ["secret-parameter"]
    size = step("add_noise", columns=["a", "b"], kind="independent", sd={"a": 1.0, "b": 1.0}, public=["sd"])
    assert refused(report(size.model_copy(update={"withheld": ()})), both) == ["cannot-correct"]


def test_corrected_correlations_are_those_of_the_original() -> None:
    rng = np.random.default_rng(5)
    n, d = 40_000, 0.5
    x = rng.normal(size=n)
    y = 0.6 * x + 0.8 * rng.normal(size=n)
    columns = [sl.Column(name=name, role="sensitive", scale="continuous") for name in "ab"]
    data = sl.Dataset.from_frame(pa.table({"a": x, "b": y}), sl.Schema(columns=columns))
    for kind, names in (("correlated", ["a"]), ("independent", ["a", "b"])):
        noise = sl.methods.AddNoise(columns=names, kind=kind, d=d, public=["d"])
        after = noise.apply(data, sl.Run(key=bytes(32))).to_pandas()
        one = step("add_noise", **noise.parameters(public=True))
        found = sl.correct(report(one), {"correlation": after.corr().to_numpy(), "columns": ["a", "b"]})
        assert found["correlation"][0][1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=5 * (1 + d) / n**0.5)


def test_columns_must_be_in_the_release() -> None:
    for given in ({"variance": 2.0, "column": "A"}, {"covariance": [[1.0, 0.0], [0.0, 1.0]], "columns": ["a", "B"]}):
        with pytest.raises(RecipeError) as error:
            sl.correct(report(NOISE), given)
        assert codes(error) == ["unknown-column"]


def refused(of: Report, given: dict[str, Any]) -> list[str]:
    with pytest.raises(InfeasibleError) as error:
        sl.correct(of, given)
    return codes(error)


@pytest.mark.parametrize("kind", ["mean", "variance", "total"])
def test_other_records_make_other_estimates(kind: str) -> None:
    """Of all columns, not just of those a step looked at."""
    given = {kind: 2.0, "column": "c"}
    for other in (
        step("restrict", columns=["a"], where=[]),
        step("split_units", columns=["a"], keys=["b"]),
        step("clone_units", columns=["a"], keys=["b"]),
        step("resample", columns=["a"], size=100),
    ):
        assert refused(report(other), given) == ["cannot-correct"], other.method
    same = step("resample", columns=["a"]).model_copy(update={"same_rows": True})
    assert sl.correct(report(same), given)[kind] == 2.0
    assert refused(report(same), given | {"column": "a"}) == ["cannot-correct"]


def test_columns_made_of_changed_ones() -> None:
    made = step("combine", columns=["x", "z"], into="sum")
    noise = step("add_noise", columns=["x"], kind="correlated", d=0.25, public=["d"])
    exchanged = step("swap", columns=["x"])
    assert sl.correct(report(made), {"variance": 2.0, "column": "sum"})["variance"] == 2.0
    for earlier in (noise, exchanged):
        assert refused(report(earlier, made), {"variance": 2.0, "column": "sum"}) == ["cannot-correct"]
        assert sl.correct(report(earlier, made), {"variance": 2.0, "column": "c"})["variance"] == 2.0
    assert sl.correct(report(noise, made), {"mean": 2.0, "column": "sum"})["mean"] == 2.0  # noise has mean 0
    again = step("combine", columns=["sum", "b"], into="c")
    assert refused(report(noise, made, again), {"variance": 2.0, "column": "c"}) == ["cannot-correct"]
    in_place = step("combine", columns=["a", "z"], into="a")
    other = step("add_noise", columns=["z"], kind="correlated", d=0.25, public=["d"])
    assert refused(report(other, in_place), {"variance": 2.0, "column": "a"}) == ["cannot-correct"]
    after = sl.correct(report(in_place, NOISE), {"variance": 5.0, "column": "a"})
    assert after["variance"] == 4.0  # noise on the sum itself can be taken out
    several = step("impute", columns=["x"], given=["b"]).model_copy(update={"changed": ("x", "a", "c")})
    assert refused(report(several), {"variance": 2.0, "column": "c"}) == ["cannot-correct"]


N = 40_000


def people(**columns: Any) -> sl.Dataset:
    described = [
        sl.Column(name=name, role="sensitive", scale="nominal" if values.dtype.kind in "UO" else "continuous")
        for name, values in columns.items()
    ]
    return sl.Dataset.from_frame(pa.table(columns), sl.Schema(columns=described))


def moments(released: Any, names: list[str]) -> dict[str, Any]:
    table = released.to_pandas()[names]
    return {"covariance": table.cov().to_numpy(), "mean": table.mean().to_numpy(), "columns": names}


def reported(method: Any) -> ReportedStep:
    return step(method.word(), **method.parameters(public=True))


def test_regressions_are_those_of_the_original_after_noise_and_factors() -> None:
    """y = 2 + 1.5 a - b + e: noise in a regressor pulls its slope to 0 (errors in variables); six standard errors."""
    rng = np.random.default_rng(8)
    a, e = rng.normal(5, 1, N), rng.normal(0, 1, N)
    b = 0.5 * a + rng.normal(0, 1, N)
    data, names = people(a=a, b=b, c=2 + 1.5 * a - b + e), ["a", "b", "c"]
    truth = np.linalg.lstsq(np.column_stack([np.ones(N), a, b]), 2 + 1.5 * a - b + e, rcond=None)[0]
    methods = [
        sl.methods.AddNoise(columns=["a"], kind="independent", d=0.5, public=["d"]),
        sl.methods.AddNoise(columns=["a", "b"], kind="correlated", d=0.3, public=["d"]),
        sl.methods.AddNoise(columns=["a"], kind="independent", sd={"a": 0.7}, public=["sd"]),
        sl.methods.MultiplyNoise(columns=["a", "c"], kind="mixture", f=0.15, s=0.1, public=["f", "s"]),
    ]
    for method in methods:
        given = {"regression": "c"} | moments(method.apply(data, sl.Run(key=bytes(32))), names)
        one = reported(method)
        one = one.model_copy(update={"withheld": ()}) if method.word() == "add_noise" else one
        found, naive = sl.correct(report(one), given), sl.correct(report(), given)
        error = 6 * 1.0 / N**0.5  # residuals, of size 1 and some noise, over regressors of size 1
        assert found["coefficients"]["a"] == pytest.approx(truth[1], abs=error), method
        assert found["coefficients"]["b"] == pytest.approx(truth[2], abs=error), method
        assert found["intercept"] == pytest.approx(truth[0], abs=6 * error) and found["steps"] == [one.label]
        assert abs(naive["coefficients"]["a"] - truth[1]) > 2 * error, method


@pytest.mark.parametrize(
    "given",
    [
        {"columns": ["a"], "kind": "independent", "d": 0.5, "public": ["d"]},
        {"columns": ["a", "b", "c"], "kind": "correlated", "d": 0.3, "public": ["d"]},
        {"columns": ["a", "c"], "kind": "independent", "sd": {"a": 0.7, "c": 1.0}, "public": ["sd"]},
    ],
    ids=str,
)
def test_intervals_of_corrected_slopes_cover_the_truth(given: dict[str, Any]) -> None:
    """y = 1.5 a - b + e with skewed a and b: 95 % of 200 files, give or take four standard deviations."""
    method, n, files = sl.methods.AddNoise.model_validate(given), 250, 200
    told = report(reported(method).model_copy(update={"withheld": ()}))
    rng, truth, covered, narrow = np.random.default_rng(11), {"a": 1.5, "b": -1.0}, Counter[str](), Counter[str]()
    for i in range(files):
        a, e = rng.exponential(1, n), rng.normal(0, 1, n)
        b = 0.5 * a + rng.exponential(1, n)
        released = method.apply(people(a=a, b=b, c=1.5 * a - b + e), sl.Run(key=i.to_bytes(32, "big")))
        model = {"regression": "c", "records": n} | moments(released, ["a", "b", "c"])
        found, naive = sl.correct(told, model), sl.correct(report(), model)
        for name, slope in truth.items():
            off, error = abs(found["coefficients"][name] - slope), found["standard_errors"][name]
            covered[name] += off < 1.96 * error
            narrow[name] += abs(naive["coefficients"][name] - slope) < 1.96 * naive["standard_errors"][name]
            assert error > naive["standard_errors"][name] * 0.8
    assert all(178 <= covered[name] <= files for name in truth), covered
    if given["kind"] == "independent":  # correlated noise on all columns leaves slopes as they are
        assert narrow["a"] < 150


def test_the_spread_of_covariances_is_that_of_noise_on_values_of_any_distribution() -> None:
    """Four thousand draws of noise on the same skewed values against the formula."""
    rng, n = np.random.default_rng(4), 60
    x = rng.exponential(1, (n, 2)) @ np.array([[1.0, 0.4], [0.0, 1.0]])
    added = np.array([[0.5, 0.1], [0.1, 0.2]])
    noise = rng.normal(size=(4000, n, 2)) @ np.linalg.cholesky(added).T
    drawn = np.array([np.cov((x + u).T) for u in noise])
    clean = np.cov(x.T)
    found = noise_spread(clean + added, clean, n)
    expected = np.cov(drawn.reshape(len(drawn), 4).T).reshape(2, 2, 2, 2)
    assert np.abs(found - expected).max() < 0.08 * np.abs(expected).max()


def test_standard_errors_without_noise_are_those_of_least_squares() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(50, 2))
    y = x @ [1.0, -2.0] + rng.normal(size=50)
    whole = np.column_stack([np.ones(50), x])
    left = y - whole @ np.linalg.lstsq(whole, y, rcond=None)[0]
    errors = np.sqrt(np.diag(np.linalg.inv(whole.T @ whole)) * (left @ left) / (50 - 3))
    model = {"regression": "c", "covariance": np.cov(np.column_stack([x, y]).T), "columns": ["a", "b", "c"]}
    found = sl.correct(report(), model | {"records": 50})
    assert list(found["standard_errors"].values()) == pytest.approx(errors[1:])
    assert "standard_errors" not in sl.correct(report(), model)


def test_standard_errors_are_not_told_where_nobody_knows_them() -> None:
    model = {"regression": "b", "covariance": [[2.0, 0.5], [0.5, 1.0]], "columns": ["a", "b"], "mean": [1.0, 2.0]}
    model |= {"records": 100}
    secret = step("add_noise", columns=["a", "b"], kind="correlated")
    for steps, more in (((FACTORS,), {}), ((secret,), {}), ((), {"weighted": True})):
        found = sl.correct(report(*steps), model | more)
        assert "standard_errors" not in found and found["notes"][-1].startswith("Standard errors are not known")
    noise = step("add_noise", columns=["a"], kind="independent", d=0.5, public=["d"])
    assert sl.correct(report(noise), model)["notes"] == []
    for records in (3, 10.5, True, "many", [100], -5):
        with pytest.raises(RecipeError) as error:
            sl.correct(report(noise), model | {"records": records})
        assert codes(error) == ["bad-estimate"]


def test_noise_on_noise_adds_up() -> None:
    """Two steps of known size are as one of both: the errors, too."""
    model = {"regression": "b", "covariance": [[2.0, 0.5], [0.5, 1.0]], "columns": ["a", "b"], "records": 100}

    def of_size(size: float) -> ReportedStep:
        found = step("add_noise", columns=["a"], kind="independent", sd={"a": size}, public=["sd"])
        return found.model_copy(update={"withheld": (), "label": f"noise {size}"})

    two, one = sl.correct(report(of_size(0.3), of_size(0.4)), model), sl.correct(report(of_size(0.5)), model)
    assert two["standard_errors"] == pytest.approx(one["standard_errors"])


def test_regressions_without_a_correction_that_is_needed_or_possible() -> None:
    given = {"regression": "b", "covariance": [[2.0, 0.5], [0.5, 1.0]], "columns": ["a", "b"], "mean": [1.0, 2.0]}
    secret = step("add_noise", columns=["a", "b"], kind="correlated")
    found = sl.correct(report(secret), given)  # all grew alike: slopes stay, and d is not needed
    assert (found["coefficients"], found["steps"]) == ({"a": 0.25}, [])
    assert found["intercept"] == pytest.approx(1.75) and found["r_squared"] == pytest.approx(0.125)
    assert refused(report(FACTORS, secret), given) == ["cannot-correct"]  # known up to a factor only
    assert sl.correct(report(NOISE, secret), given)["coefficients"] == {"a": pytest.approx(0.25)}
    assert refused(report(step("add_noise", columns=["a"], kind="correlated")), given) == ["secret-parameter"]
    size = step("add_noise", columns=["a"], kind="independent", sd={"a": 1.5}, public=["sd"])
    assert refused(report(size.model_copy(update={"withheld": ()})), given) == ["cannot-correct"]  # more than there is
    assert "intercept" not in sl.correct(report(), {name: value for name, value in given.items() if name != "mean"})


def test_correlations_are_those_of_the_original_after_factors() -> None:
    rng = np.random.default_rng(9)
    a = rng.normal(3, 1, N)
    data, names = people(a=a, b=0.6 * a + 0.8 * rng.normal(0, 1, N) + 2), ["a", "b"]
    before = np.corrcoef(data.to_pandas().T)[0, 1]
    for kind, more in (("mixture", {"f": 0.15, "s": 0.15, "public": ["f", "s"]}), ("independent", {"s": 0.2})):
        method = sl.methods.MultiplyNoise.model_validate({"columns": names, "kind": kind, "public": ["s"]} | more)
        after = method.apply(data, sl.Run(key=bytes(32))).to_pandas()
        given = {
            "correlation": after.corr().to_numpy(),
            "columns": names,
            "mean": after.mean(),
            "variance": after.var(),
        }
        one = reported(method).model_copy(update={"withheld": ("inner",)})
        found = sl.correct(report(one), given)["correlation"][0][1]
        assert found == pytest.approx(before, abs=5 * 1.5 / N**0.5), kind
        assert abs(after.corr().iloc[0, 1] - before) > 0.03
    alone = {"correlation": [[1.0, 0.5], [0.5, 1.0]], "columns": names, "mean": [1.0, 1.0]}
    with pytest.raises(RecipeError) as error:
        sl.correct(report(FACTORS), alone)
    assert codes(error) == ["no-means"]
    assert refused(report(FACTORS), alone | {"variance": [0.001, 1.0]}) == ["cannot-correct"]


def test_correlations_with_their_variances_after_noise_of_a_known_size() -> None:
    """Var 4 = 3 + 1: a correlation of 0.6 was weakened by √(3/4)."""
    noise = step("add_noise", columns=["a"], kind="independent", sd={"a": 1.0}, public=["sd"])
    noise = noise.model_copy(update={"withheld": ()})
    given = {"correlation": [[1.0, 0.6], [0.6, 1.0]], "columns": ["a", "b"], "variance": [4.0, 9.0]}
    found = sl.correct(report(noise), given)["correlation"]
    assert np.allclose(found, [[1, 0.6 * (4 / 3) ** 0.5], [0.6 * (4 / 3) ** 0.5, 1]])
    shared = step("add_noise", columns=["a"], kind="correlated", d=0.25, public=["d"])
    alone = sl.correct(report(shared), {name: value for name, value in given.items() if name != "variance"})
    assert np.allclose(sl.correct(report(shared), given)["correlation"], alone["correlation"])


MATRIX = {"x": {"x": 0.8, "y": 0.1, "z": 0.1}, "y": {"x": 0.2, "y": 0.7, "z": 0.1},
          "z": {"x": 0.25, "y": 0.25, "z": 0.5}}  # fmt: skip
TABLE = {"columns": ["a", "b"], "categories": [["x", "y", "z"], ["f", "m"]]}


def test_tables_by_two_columns() -> None:
    """D-T3 in one direction: T_a = (46, 31, 23) gives (40.625, 26.875, 32.5), whatever stands beside it."""
    own = step("pram", columns=["a"], matrix_kind="own", matrix=MATRIX, public=["matrix"])
    counts = np.array([[46.0, 51], [31, 31], [23, 18]])
    found = sl.correct(report(own), {"counts": counts, **TABLE})
    assert np.allclose(found["counts"], [[40.625, 50], [26.875, 30], [32.5, 20]])
    turned = {"columns": ["b", "a"], "categories": TABLE["categories"][::-1]}
    assert np.allclose(sl.correct(report(own), {"counts": counts.T, **turned})["counts"], np.transpose(found["counts"]))
    assert sl.correct(report(step("pram", columns=["c"])), {"counts": counts, **TABLE})["counts"] == counts.tolist()
    together = step("pram", columns=["a", "b"])
    assert sl.correct(report(together), {"counts": counts, **TABLE})["counts"] == counts.tolist()
    within = step("pram", columns=["a"], strata=["b"])
    assert sl.correct(report(within), {"counts": counts, **TABLE})["counts"] == counts.tolist()
    for other in (
        step("pram", columns=["a"], strata=["c"]),
        step("pram", columns=["a", "c"]),
        step("swap", columns=["a"]),
    ):
        assert refused(report(other), {"counts": counts, **TABLE}) == ["cannot-correct"], other
    assert refused(report(step("pram", columns=["a"])), {"counts": counts, **TABLE}) == ["secret-parameter"]
    weighted = {"counts": counts, "weighted": True, **TABLE}
    assert refused(report(step("pram", columns=["a"], alpha=0.2, public=["alpha"])), weighted) == ["cannot-correct"]


@pytest.mark.parametrize(
    "kind", [{"alpha": 0.3}, {"alpha": 0.4, "matrix_kind": "direct"}, {"alpha": 0.3, "matrix_kind": "two_stage"},
             {"alpha": 0.3, "blocks": [["x", "y"], ["z"]]}, {"matrix_kind": "own", "matrix": MATRIX},
             {"matrix_kind": "two_stage", "matrix": MATRIX}]
)  # fmt: skip
def test_corrected_tables_are_those_of_the_original(kind: dict[str, Any]) -> None:
    rng = np.random.default_rng(10)
    a = rng.choice(["x", "y", "z"], N, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(N) < np.where(a == "x", 0.8, 0.3), "f", "m")
    data = people(a=a, b=b)
    method = sl.methods.Pram(columns=["a"], public=["matrix" if "matrix" in kind else "alpha"], **kind)
    after = method.apply(data, sl.Run(key=bytes(32))).to_pandas()

    def crossed(table: Any) -> Any:
        return table.groupby(["a", "b"]).size().unstack().to_numpy()

    truth, seen = crossed(data.to_pandas()), crossed(after)
    one = reported(method).model_copy(update={"withheld": ()})
    found = np.array(sl.correct(report(one), {"counts": seen, **TABLE})["counts"])
    error = 5 * 1.5 * (0.3 * N) ** 0.5  # of counts up to 16,000, made larger by the inverse
    assert np.abs(found - truth).max() < error
    assert np.abs(seen - truth).max() > error


def test_kept_zeros_cannot_be_corrected() -> None:
    zeros = step("add_noise", columns=["a"], kind="correlated", d=1.0, keep_zeros=True, public=["d"])
    assert refused(report(zeros), {"variance": 4.0, "column": "a"}) == ["cannot-correct"]
    assert sl.correct(report(zeros), {"mean": 4.0, "column": "a"})["mean"] == 4.0


def test_wide_factors_are_cut_off() -> None:
    """They are drawn again until positive and below 2, which takes a part of the variance away for s = 0.45."""
    s = 0.45
    column = sl.Column(name="a", role="sensitive", scale="continuous")
    data = sl.Dataset.from_frame(pa.table({"a": np.ones(50_000)}), sl.Schema(columns=[column]))
    noise = sl.methods.MultiplyNoise(columns=["a"], kind="independent", s=s)
    factors = noise.apply(data, sl.Run(key=bytes(32))).to_pandas().a
    _, own = factor_variance({"kind": "independent", "s": s, "tails": None})
    assert own == pytest.approx(factors.var(), rel=5 * (2 / 50_000) ** 0.5)
    assert own < 0.9 * s**2


RECIPE = """
[schema]
others = "drop"
columns = [
  { name = "age", scale = "discrete" },
  { name = "income", role = "sensitive", scale = "continuous" },
  { name = "children", scale = "discrete" },
]

[[steps]]
name = "factors"
method = "multiply_noise"
columns = ["income"]
kind = "independent"
s = 0.1
public = ["s"]

[[steps]]
name = "years"
method = "combine"
columns = ["age", "children"]
into = "years"
"""


def test_real_reports_tell_what_corrections_need(tmp_path: Path) -> None:
    """What was changed and made, that records stayed, and that secrets which were not set hide nothing."""
    Recipe.from_toml(RECIPE).run(example_table(), out=tmp_path / "release", key=bytes(32))
    file = tmp_path / "release" / "public" / "report.json"
    first, second = Report.model_validate_json(file.read_text(encoding="utf-8")).steps
    assert first.changed == ("income",) and first.same_rows and second.same_rows
    assert second.changed == ("age", "children", "years")
    assert first.withheld is not None and "tails" not in first.withheld and "inner" in first.withheld
    assert second.withheld is None
    found = sl.correct(file, {"variance": 4.0, "mean": 1.0, "column": "income"})
    assert found["variance"] == pytest.approx((4 - 0.01) / 1.01) and found["steps"] == ["factors"]
    assert sl.correct(file, {"variance": 4.0, "column": "years"})["variance"] == 4.0
    hidden = step("multiply_noise", columns=["a"], kind="independent", s=0.1, public=["s"])
    hidden = hidden.model_copy(update={"withheld": ("tails",)})
    assert refused(report(hidden), {"variance": 4.0, "mean": 1.0, "column": "a"}) == ["secret-parameter"]


def test_steps_that_may_leave_out_records_tell_whether_they_did() -> None:
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}], max_suppressed=0.1)
    for count, how, same in ((0, "drop", True), (3, "drop", False), (3, "blank", True), (None, "drop", False)):
        assert step.model_copy(update={"suppressed_records": count, "suppressed": how}).same_rows() is same
    assert sl.methods.Resample(columns=["a"]).same_rows() and not sl.methods.Resample(columns=["a"], size=5).same_rows()
    assert not sl.methods.Sample(fraction=0.5).same_rows()
