"""Estimates corrected with a report: what is public is used, what is secret is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schleier as sl
from schleier.core.errors import InfeasibleError, RecipeError, SchleierError
from schleier.flow.documents import Report, ReportedStep


def step(method: str, *facts: dict[str, Any], **parameters: Any) -> ReportedStep:
    columns = tuple(parameters.get("columns", ())) or (parameters.get("column", ""),)
    return ReportedStep(
        method=method, label=f"{method}:{columns[0]}", columns=columns, parameters=parameters, facts=facts
    )


def report(*steps: ReportedStep) -> Report:
    return Report(
        schleier="0", file="f.csv", digest="0" * 64, records_read=100, records_released=100, columns=(), steps=steps
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


def test_totals_of_a_sample() -> None:
    drawn = step("sample", {"sampled": "records", "taken": 10, "of": 40}, fraction=0.25)
    assert sl.correct(report(drawn), {"total": 5.0, "column": "a"})["total"] == 20.0
    assert sl.correct(report(drawn), {"total": 5.0, "column": "a", "weighted": True})["total"] == 5.0
    strata = step("sample", {"sampled": "records", "taken": 10, "of": 40}, fraction=0.25, strata=["s"])
    with pytest.raises(InfeasibleError) as error:
        sl.correct(report(strata), {"counts": [5.0], "column": "a"})
    assert codes(error) == ["cannot-correct"]


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
