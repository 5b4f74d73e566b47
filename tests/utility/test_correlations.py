"""Correlations before and after: pandas as oracle, weights, gaps, subgroups, columns that do not spread."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.statistics.dependence import correlation_ratio, correlations, cramers_v, mutual_information, ranks
from schleier.testing import example_schema
from schleier.utility.correlations import Correlations
from utility.tables import audit, data, found, noisy, sample, three

NAMES = ["x", "y", "z"]


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_like_pandas_with_gaps_left_out_pair_by_pair(coefficient: str) -> None:
    old = sample()
    new = noisy(old)
    measure = Correlations(columns=NAMES, coefficient=coefficient)
    finding = found(measure, data(old), data(new))
    before, after = old[NAMES].corr(method=coefficient), new[NAMES].corr(method=coefficient)
    apart = (after - before).abs().to_numpy()[np.triu_indices(3, 1)]
    assert finding.value == three(apart.max())
    assert finding.detail["mean"] == three(apart.mean())
    assert finding.detail["compared"] == 3
    facts = audit(measure, data(old), data(new))
    assert facts["before"]["x, y"] == pytest.approx(before.loc["x", "y"])
    assert facts["difference"]["x, z"] == pytest.approx(after.loc["x", "z"] - before.loc["x", "z"])


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_a_weight_is_so_many_records(coefficient: str) -> None:
    old = sample(60)
    new = noisy(old)
    measure = Correlations(columns=NAMES, coefficient=coefficient, weighted=True)
    finding = found(measure, data(old), data(new))
    many = [f.loc[f.index.repeat(f["w"].astype(int))] for f in (old, new)]
    apart = (many[1][NAMES].corr(method=coefficient) - many[0][NAMES].corr(method=coefficient)).abs().to_numpy()
    assert finding.value == three(apart[np.triu_indices(3, 1)].max())


def test_subgroups_are_compared_each_by_itself() -> None:
    old = sample(300, gaps=False)
    new = old.copy()
    new.loc[new["g"] == "a", "x"] = old.loc[old["g"] == "a", "x"].to_numpy()[::-1]
    finding = found(Correlations(columns=["x", "y"], by=["g"]), data(old), data(new))
    worst = [
        abs(new[new["g"] == g][["x", "y"]].corr().iloc[0, 1] - old[old["g"] == g][["x", "y"]].corr().iloc[0, 1])
        for g in "ab"
    ]
    assert finding.detail["by"]["worst"] == three(max(worst))
    assert finding.detail["by"] | {"worst": 0, "median": 0} == {
        "columns": ["g"], "groups": 2, "left_out": 0, "worst": 0, "median": 0,
    }  # fmt: skip


def test_small_and_vanished_subgroups_are_left_out() -> None:
    old = data(x=[1.0, 2, 3, 4], y=[1.0, 3, 2, 5], g=["a", "a", "b", "c"])
    new = data(x=[1.0, 2, 3, 4], y=[1.0, 3, 2, 5], g=["a", "a", "d", "b"])
    detail = found(Correlations(by=["g"], least=2), old, new).detail
    assert (detail["by"]["groups"], detail["by"]["left_out"]) == (1, 3)
    none = found(Correlations(by=["g"], least=3), old, new)
    assert none.text.endswith(" No subgroup could be compared.")


def test_constant_and_empty_columns_are_named() -> None:
    old = data(x=[1.0, 2, 4], y=[0.1, 0.1, 0.1], z=[None, None, None] if False else [1.0, None, None])
    finding = found(Correlations(), old, old)
    assert finding.value == 0.0
    assert finding.detail["not_comparable"] == ["x", "y", "z"]
    assert finding.text == "There are no two numeric columns whose correlation could be compared."


def test_collinear_columns_have_correlation_one() -> None:
    x = [1.0, 2.0, 4.0, 9.0]
    finding = found(Correlations(), data(x=x, y=[2 * v for v in x]), data(x=x, y=[-v for v in x]))
    assert finding.value == 2.0


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 3)), min_size=3, max_size=20))
def test_order_and_repetition_do_not_matter(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, dtype=float)
    weighted = correlations(table[:, :2], table[:, 2])
    repeated = np.repeat(table[:, :2], table[:, 2].astype(int), axis=0)
    assert weighted == pytest.approx(correlations(repeated, np.ones(len(repeated))), abs=1e-9, nan_ok=True)


def test_ranks_and_ratios() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0]), np.ones(3)).tolist() == list(pd.Series([3, 1, 3]).rank())
    codes, values = np.array([0, 0, 1, 1, -1]), np.array([1.0, 3.0, 7.0, 9.0, 99.0])
    assert correlation_ratio(codes, values, np.ones(5)) == pytest.approx(36 / 40)
    table = np.array([[10.0, 0.0], [0.0, 30.0]])
    assert cramers_v(table) == pytest.approx(1)
    assert mutual_information(table) == pytest.approx(-(0.25 * np.log(0.25) + 0.75 * np.log(0.75)))
    assert np.isnan(cramers_v(np.array([[3.0, 4.0]])))


@pytest.mark.parametrize(
    ("measure", "codes"),
    [
        (Correlations(columns=["sex"]), ["not-numeric"]),
        (Correlations(by=["nowhere"]), ["unknown-column"]),
        (Correlations(weighted=True), []),
    ],
)
def test_problems(measure: Correlations, codes: list[str]) -> None:
    assert [problem.code for problem in measure.problems(example_schema())] == codes
    bare = list(Correlations(weighted=True).problems(example_schema().without(["weight"])))
    assert [problem.code for problem in bare] == ["no-weight"]
