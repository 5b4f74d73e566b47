"""Additive noise: moments, exactness, mixtures, zeros, gaps, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.add_noise import AddNoise

KEY = bytes(range(32))
KINDS = ("correlated", "mixture_roque", "mixture_yancey", "mixture")
N = 20_000
GENERATOR = np.random.default_rng(5)
X = GENERATOR.normal(size=(N, 3)) @ np.array([[2.0, 1, 0], [0, 1, 0.5], [0, 0, 3]]) + [10, 20, 0]


def data(table: dict[str, Any], engine: Any = None) -> Dataset:
    held = pa.table(table)
    scales = {name: "nominal" if pa.types.is_string(held.schema.field(name).type) else "continuous" for name in table}
    return Dataset.from_frame(held, Schema(columns=[Column(name=n, scale=s) for n, s in scales.items()]), engine)


def noisy(of: Dataset, key: bytes = KEY, **parameters: Any) -> np.ndarray[Any, Any]:
    step = AddNoise(**parameters)
    table = step.apply(of, Run(key=key)).to_arrow()
    return np.column_stack([table.column(name).to_numpy() for name in step.columns])


def code(of: Dataset, **parameters: Any) -> str:
    with pytest.raises(InfeasibleError) as error:
        noisy(of, **parameters)
    return error.value.problems[0].code


FILE = data({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_covariances_grow_by_one_plus_d(kind: str) -> None:
    after = noisy(FILE, columns=NAMES, kind=kind, d=0.25)
    before, now = np.cov(X.T), np.cov(after.T)
    sd = np.sqrt(np.diag(before))
    assert (np.abs(now - 1.25 * before) / np.outer(sd, sd) < 4 * 1.25 * np.sqrt(2 / N)).all()
    assert (np.abs(after.mean(axis=0) - X.mean(axis=0)) / sd < 4 * np.sqrt(0.25 / N)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_exact_noise_keeps_means_and_correlations(kind: str) -> None:
    after = noisy(FILE, columns=NAMES, kind=kind, d=0.25, exact=True)
    assert np.allclose(after.mean(axis=0), X.mean(axis=0), rtol=1e-12)
    assert np.allclose(np.cov(after.T), 1.25 * np.cov(X.T), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_independent_noise(distribution: str) -> None:
    w = noisy(FILE, columns=NAMES, kind="independent", d=0.25, distribution=distribution) - X
    assert np.allclose(w.std(axis=0), 0.5 * X.std(axis=0), rtol=4 / np.sqrt(2 * N))
    assert np.abs(np.corrcoef(w.T) - np.eye(3)).max() < 4 / np.sqrt(N)
    w = noisy(FILE, columns=["a", "c"], kind="independent", sd={"c": 3, "a": 0.1}) - X[:, [0, 2]]
    assert np.allclose(w.std(axis=0), [0.1, 3], rtol=4 / np.sqrt(2 * N))


def test_a_mixture_has_two_peaks_in_every_column() -> None:
    """Columns that are correlated leave room for centres far out: c_max is 0.92 for a and b."""
    sd = 0.5 * X[:, :2].std(axis=0)
    w = (noisy(FILE, columns=["a", "b"], kind="mixture", d=0.25) - X[:, :2]) / sd
    plain = (noisy(FILE, columns=["a", "b"], kind="correlated", d=0.25) - X[:, :2]) / sd
    for column in range(2):
        assert np.mean(np.abs(w[:, column]) < 0.2) < 0.7 * np.mean(np.abs(plain[:, column]) < 0.2)
        assert np.mean(np.abs(w[:, column]) < 0.2) < 0.8 * np.mean(np.abs(w[:, column] - 0.83) < 0.2)
    run = Run(key=KEY)
    AddNoise(columns=["a", "c"], kind="mixture", d=0.25).apply(FILE, run)  # uncorrelated: c_max is 0.71
    said = [note for note in run.notes if "strata_with_one_peak" in note.facts]
    assert [note.visibility for note in said] == ["restricted"]


def test_infeasible_mixtures_are_explained() -> None:
    with pytest.raises(InfeasibleError) as error:
        noisy(FILE, columns=NAMES, kind="mixture", d=0.25, c=0.99)
    problem = error.value.problems[0]
    assert problem.code == "infeasible-mixture"
    assert "c must be below 0." in problem.message
    twice = data({"a": X[:, 0], "b": 2 * X[:, 0]})
    assert code(twice, columns=["a", "b"], kind="mixture", d=0.25, c=0.1) == "infeasible-mixture"
    assert code(twice, columns=["a", "b"], kind="correlated", d=0.25, exact=True) == "collinear"


def test_noise_of_collinear_columns_is_collinear() -> None:
    after = noisy(data({"a": X[:, 0], "b": 2 * X[:, 0]}), columns=["a", "b"], kind="correlated", d=0.25)
    assert np.allclose(after[:, 1], 2 * after[:, 0])
    assert after[:, 0].std() > 1.05 * X[:, 0].std()


def test_the_printed_centre_is_nearer() -> None:
    one = data({"a": X[:, 0]})
    w = noisy(one, columns=["a"], kind="mixture", d=0.25, c=0.8)[:, 0] - X[:, 0]
    printed = noisy(one, columns=["a"], kind="mixture", d=0.25, c=0.8, published=True)[:, 0] - X[:, 0]
    middle = 0.25 * X[:, 0].std()  # half way: c √d sd = 0.4 sd, c d sd = 0.2 sd
    assert np.mean(np.abs(w) < middle) < np.mean(np.abs(printed) < middle)
    assert np.allclose([w.std(), printed.std()], 0.5 * X[:, 0].std(), rtol=4 / np.sqrt(2 * N))


def test_gaps_and_structural_zeros_stay() -> None:
    table = {"a": [0.0, 1.0, None, 4.0, 5.0, 0.0, 7.0], "b": [1.0, None, 3.0, 0.0, 2.0, 9.0, 1.0]}
    of = data(table)
    after = AddNoise(columns=["a", "b"], kind="correlated", d=0.5, keep_zeros=True).apply(of, Run(key=KEY)).to_arrow()
    for name, values in table.items():
        for before, now in zip(values, after.column(name).to_pylist(), strict=True):
            assert (before is None) == (now is None)
            assert (before == 0) == (now == 0)
            assert before in (None, 0) or before != now
    free = AddNoise(columns=["a", "b"], kind="correlated", d=0.5).apply(of, Run(key=KEY)).to_arrow()
    assert 0 not in free.column("a").to_pylist()


def test_strata_have_covariances_of_their_own() -> None:
    group = ["s"] * 5000 + ["l"] * 5000
    values = np.concatenate((GENERATOR.normal(size=5000), 100 * GENERATOR.normal(size=5000)))
    w = noisy(data({"g": group, "x": values}), columns=["x"], kind="correlated", d=0.25, strata=["g"])[:, 0] - values
    assert w[:5000].std() == pytest.approx(0.5, rel=0.06)
    assert w[5000:].std() == pytest.approx(50, rel=0.06)


def test_sullivan_keeps_frequencies_and_dependence() -> None:
    sex = np.where(GENERATOR.random(N) < 0.3, "f", "m")
    wage = np.where(sex == "f", 2.0, 3.0) + GENERATOR.normal(size=N)
    of = data({"sex": sex.tolist(), "wage": wage})
    step = AddNoise(columns=["sex", "wage"], kind="correlated", d=0.1, categories="sullivan")
    table = step.apply(of, Run(key=KEY)).to_arrow()
    after, now = np.array(table.column("sex").to_pylist()), table.column("wage").to_numpy()
    assert 0 < np.mean(after != sex) < 0.25
    assert np.mean(after == "f") == pytest.approx(0.3, abs=0.03)
    assert now[after == "m"].mean() - now[after == "f"].mean() > 0.6


def test_refusals() -> None:
    assert code(data({"a": [1.0] * 9}), columns=["a"], kind="independent", d=0.1) == "constant-column"
    gaps = data({"a": [1.0, 2.0, None, None], "b": [None, None, 1.0, 2.0]})
    assert code(gaps, columns=["a", "b"], kind="correlated", d=0.1) == "no-complete-rows"
    assert np.isfinite(noisy(gaps, columns=["a", "b"], kind="independent", d=0.1)).sum() == 4
    few = data({"a": [1.0, 2.0, 4.0]})
    assert code(few, columns=["a"], kind="correlated", d=0.1, exact=True) == "too-few-complete"


@pytest.mark.parametrize(
    "parameters",
    [
        {"kind": "correlated"},
        {"kind": "correlated", "d": 0},
        {"kind": "correlated", "d": -1},
        {"kind": "independent"},
        {"kind": "independent", "d": 1, "sd": {"a": 1}},
        {"kind": "independent", "sd": {"b": 1}},
        {"kind": "independent", "sd": {"a": 0}},
        {"kind": "independent", "d": 1, "exact": True},
        {"kind": "correlated", "d": 1, "c": 0.5},
        {"kind": "mixture", "d": 1, "c": 1},
        {"kind": "mixture_roque", "d": 1, "g": 1},
        {"kind": "no such noise", "d": 1},
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        AddNoise(columns=["a"], **parameters)


def test_signs_are_counted_and_secrets_kept() -> None:
    step = AddNoise(columns=["a", "b"], kind="mixture", d=0.1, signs=(1,))
    assert [problem.code for problem in step.problems(FILE.schema)] == ["wrong-signs"]
    assert "d" not in step.parameters(public=True)
    open_ = AddNoise(columns=["a"], kind="correlated", d=0.1, public=("d",))
    assert open_.parameters(public=True)["d"] == 0.1
    odd = AddNoise(columns=["a"], kind="correlated", d=0.1, public=("kind",))
    assert [problem.code for problem in odd.problems(FILE.schema)] == ["not-secret"]
    opposite = noisy(FILE, columns=["a", "b"], kind="mixture", d=0.1, c=0.3, signs=(1, -1))
    assert np.isfinite(opposite).all()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_keeps_what_it_declares(found: st.DataObject) -> None:
    """Rows, gaps and exact moments with ties, zeros, missing values and small groups."""
    cell = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 5.0]), st.floats(-100, 100, width=32))
    n = found.draw(st.integers(1, 25))
    table = {name: found.draw(st.lists(cell, min_size=n, max_size=n)) for name in ("a", "b")}
    table["g"] = found.draw(st.lists(st.sampled_from(["x", "y"]), min_size=n, max_size=n))
    of = data({name: pa.array(values, pa.string() if name == "g" else pa.float64()) for name, values in table.items()})
    of = of.described(of.schema.changed("g", scale="nominal"))
    kind, strata = found.draw(st.sampled_from(KINDS)), found.draw(st.sampled_from([(), ("g",)]))
    step = AddNoise(columns=["a", "b"], kind=kind, d=0.3, exact=True, strata=strata)
    try:
        after = step.apply(of, Run(key=KEY)).to_arrow().to_pydict()
    except InfeasibleError as error:
        assert {p.code for p in error.problems} <= {
            "constant-column",
            "no-complete-rows",
            "too-few-complete",
            "collinear",
            "infeasible-mixture",
            "small-pool",
        }
        return
    assert [v is None for v in after["a"]] == [v is None for v in table["a"]]
    whole = [i for i in range(n) if table["a"][i] is not None and table["b"][i] is not None]
    if not strata:
        before = np.array([[table["a"][i], table["b"][i]] for i in whole])
        now = np.array([[after["a"][i], after["b"][i]] for i in whole])
        scale = np.abs(before).max()
        assert np.allclose(now.mean(axis=0), before.mean(axis=0), atol=1e-9 * scale)
        assert np.allclose(np.cov(now.T, bias=True), 1.3 * np.cov(before.T, bias=True), atol=1e-7 * scale**2)


def test_what_is_wrong_in_several_strata_is_said_once_with_their_number() -> None:
    of = data({"g": ["x"] * 4 + ["y"] * 4 + ["z"] * 4, "a": [1.0] * 8 + [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(InfeasibleError) as error:
        noisy(of, columns=["a"], kind="independent", d=0.1, strata=["g"])
    assert [problem.code for problem in error.value.problems] == ["constant-column"]
    assert "2 of 3 strata" in error.value.problems[0].message


def cautions(of: Dataset, **parameters: Any) -> tuple[list[str], int]:
    """What is said about exactness, and the records without it."""
    run = Run(key=KEY)
    AddNoise(kind="correlated", d=0.3, **parameters).apply(of, run)
    restricted = [n.facts["records_not_complete"] for n in run.notes if "records_not_complete" in n.facts]
    assert all(n.visibility == "restricted" for n in run.notes if "records_not_complete" in n.facts)
    said = [n.facts["caution"] for n in run.notes if n.visibility == "public" and "caution" in n.facts]
    return said, sum(restricted)


def test_exact_noise_says_where_it_is_not() -> None:
    """Over complete records and before rounding only: ``keeps`` promises no more, and the report says so."""
    promised = AddNoise(columns=["a"], kind="correlated", d=0.3, exact=True).promises()
    assert promised["mean"] == "expected" and "covariance" not in promised
    x, y = X[:500, 0], X[:500, 1]
    gaps = data({"a": pa.array([None if i % 5 == 0 else v for i, v in enumerate(x)]), "b": y})
    after = AddNoise(columns=["a", "b"], kind="correlated", d=0.3, exact=True).apply(gaps, Run(key=KEY)).to_pandas()
    assert abs(after.b.mean() - y.mean()) > 1e-6  # so there is something to say
    said, count = cautions(gaps, columns=["a", "b"], exact=True)
    assert said == ["means and covariances are exact over the complete records only"] and count == 100
    assert cautions(data({"a": x, "b": y}), columns=["a", "b"], exact=True) == ([], 0)
    assert cautions(gaps, columns=["a", "b"]) == ([], 0)
    zeros = data({"a": np.where(np.arange(500) % 10 == 0, 0.0, x)})
    assert cautions(zeros, columns=["a"], exact=True, keep_zeros=True)[1] == 50
    whole = Schema(columns=[Column(name="a", scale="discrete")])
    rounded = Dataset.from_frame(pa.table({"a": np.round(10 * x).astype(np.int64)}), whole)
    assert cautions(rounded, columns=["a"], exact=True) == (["means and covariances are exact up to rounding only"], 0)
    assert cautions(rounded, columns=["a"], exact=True, round="none") == ([], 0)


@pytest.mark.parametrize(("columns", "share"), [(1, 0.048), (2, 0.147), (3, 0.154), (4, 0.156)])
def test_a_mixture_over_many_columns_avoids_small_changes_hardly_better_than_plain_noise(
    columns: int, share: float
) -> None:
    """The page: values that move by less than 0.2 standard deviations of the noise; 15.9 % under plain noise."""
    x = np.random.default_rng(columns).normal(size=(N, columns))
    names = [f"x{j}" for j in range(columns)]
    of = data({name: x[:, j] for j, name in enumerate(names)})
    error = 4 * np.sqrt(0.16 * 0.84 / N)  # of one column: values of a record are not independent
    for kind, expected in (("mixture", share), ("correlated", 0.159)):
        moved = noisy(of, columns=names, kind=kind, d=0.25) - x
        assert abs((np.abs(moved) < 0.2 * 0.5 * x.std(axis=0)).mean() - expected) < error
