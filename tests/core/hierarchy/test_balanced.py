from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested, reduced, same_after_reduce
from schleier.core.errors import InternalError
from schleier.core.hierarchy.balanced import Balanced
from schleier.core.hierarchy.cuts import roundest

BINS = st.sampled_from([(2,), (4, 2), (16, 8, 4), (12, 4, 2), (9, 3), (100, 10)])
Fit = tuple[Balanced, list[float], list[int]]
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def fitted(draw: st.DrawFn, numbers: st.SearchStrategy[float]) -> Fit:
    values = draw(st.lists(numbers, unique=True, max_size=40))
    counts = draw(st.lists(st.integers(1, 50), min_size=len(values), max_size=len(values)))
    hierarchy = Balanced(balanced=draw(BINS)).fit(pa.array(values, pa.float64()), np.array(counts, np.int64))
    assert isinstance(hierarchy, Balanced)
    return hierarchy, values, counts


@given(fitted(st.one_of(FINITE, st.integers(-50, 50).map(float))), st.lists(st.floats(), max_size=10))
def test_levels_nest_and_reducing_changes_nothing(fit: Fit, others: list[float]) -> None:
    hierarchy, values, _ = fit
    assert list(hierarchy.problems("")) == []
    seen = pa.array([*values, *others], pa.float64())
    nested(hierarchy, seen)
    same_after_reduce(hierarchy, seen)


@given(fitted(st.integers(-1000, 1000).map(float)))
def test_no_cut_could_be_nearer_to_its_quantile(fit: Fit) -> None:
    """Slow oracle: at every level each quantile is cut at the place with the nearest number of rows below."""
    hierarchy, values, counts = fit
    order = sorted(zip(values, counts, strict=True))
    total = sum(counts)
    possible = {sum(count for _, count in order[:k]) for k in range(len(order) + 1)}
    assert hierarchy.breaks is not None
    for bins, breaks in zip(hierarchy.balanced, hierarchy.breaks, strict=True):
        below = {sum(count for value, count in order if value < cut) for cut in breaks}
        for j in range(1, bins):
            best = min(abs(rows * bins - j * total) for rows in possible)
            chosen = below | {0, total}
            assert min(abs(rows * bins - j * total) for rows in chosen) == best


def test_bins_hold_equally_many_rows_where_values_allow() -> None:
    values = np.random.default_rng(1).lognormal(10, 1, 1600)
    income = Balanced(balanced=(16, 8, 4)).fit(pa.array(values), np.ones(1600, np.int64))
    for level, bins in enumerate((16, 8, 4), start=1):
        counts = income.labels(pa.array(values), level).value_counts()
        assert counts.field("counts").to_pylist() == [1600 // bins] * bins


def test_fewer_values_than_bins_give_fewer_bins() -> None:
    two = Balanced(balanced=(16, 8)).fit(pa.array([1.0, 9.0]), np.array([5, 5]))
    assert two.labels(pa.array([1.0, 9.0]), 1).to_pylist() == ["<9", ">=9"]
    for values in (pa.array([7]), pa.array([], pa.float64()), pa.array([nan, inf])):
        none = Balanced(balanced=(4, 2)).fit(values, np.ones(len(values), np.int64))
        assert none.labels(pa.array([3, 4]), 1).to_pylist() == ["*", "*"]
        same_after_reduce(none, pa.array([3.0, nan]))


def test_labels() -> None:
    hierarchy = Balanced(balanced=(5,), breaks=((-5, 0, 1, 20),))
    whole = hierarchy.labels(pa.array([-6, -5, 0, 19, 20]), 1).to_pylist()
    assert whole == ["<-5", "-5 to -1", "0", "1-19", ">=20"]
    broken = hierarchy.labels(pa.array([-5.5, -5, 0.5, 19.9, 1e300, inf, nan]), 1).to_pylist()
    assert broken == ["<-5", "[-5, 0)", "[0, 1)", "[1, 20)", ">=20", None, None]
    fine = Balanced(balanced=(3,), breaks=((0.5, 2),))
    assert fine.labels(pa.array([1]), 1).to_pylist() == ["[0.5, 2)"]


def test_neither_smallest_nor_largest_value_is_in_a_label() -> None:
    values = pa.array([11.25, 13.5, 17.75, 19.125, 23.5, 31.0625, 47.25, 53.875])
    hierarchy = Balanced(balanced=(4, 2)).fit(values, np.ones(8, np.int64))
    text = " ".join(hierarchy.labels(values, 1).to_pylist())
    assert "11.25" not in text and "53.875" not in text


@given(FINITE, FINITE)
def test_the_roundest_number_cuts_the_same(one: float, other: float) -> None:
    lower, upper = sorted((one, other))
    if lower < upper:
        cut = roundest(lower, upper)
        assert lower < cut <= upper
        assert len(repr(cut).rstrip("0").rstrip(".")) <= max(len(repr(upper)), 24)


def test_the_expression_is_flat_and_leaves_one_number_per_bin() -> None:
    values = pa.array([float(x) for x in range(5000)])
    hierarchy = Balanced(balanced=(1000, 10)).fit(values, np.ones(5000, np.int64))
    assert [len(set(level.to_pylist())) for level in reduced(hierarchy, values, 1, 2, 3)] == [1000, 10, 1]
    same_after_reduce(hierarchy, values)


def test_a_fit_is_stored_and_not_repeated() -> None:
    fit = Balanced(balanced=(2,)).fit(pa.array([1, 2, 3, 4]), np.ones(4, np.int64))
    assert fit.to_toml() == {"balanced": [2], "breaks": [[3]]}
    assert fit.fit(pa.array([10, 20]), np.ones(2, np.int64)) is fit
    with pytest.raises(InternalError, match="not learned"):
        Balanced(balanced=(2,)).labels(pa.array([1]), 1)


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"balanced": ()}, ["hierarchy-empty"]),
        ({"balanced": (16, 8, 4)}, []),
        ({"balanced": (8, 3)}, ["hierarchy-not-nested"]),
        ({"balanced": (4, 8)}, ["hierarchy-not-nested"]),
        ({"balanced": (4, 4)}, ["hierarchy-not-nested"]),
        ({"balanced": (4, 1)}, ["hierarchy-width"]),
        ({"balanced": (4, 0)}, ["hierarchy-width", "hierarchy-not-nested"]),
        ({"balanced": (4, 2), "breaks": ((1, 2, 3), (2,))}, []),
        ({"balanced": (4, 2), "breaks": ((1, 2, 3),)}, ["hierarchy-breaks"]),
        ({"balanced": (4, 2), "breaks": ((1, 2, 3), (2.5,))}, ["hierarchy-breaks"]),
        ({"balanced": (4,), "breaks": ((3, 2, 1),)}, ["hierarchy-breaks"]),
        ({"balanced": (2,), "breaks": ((1, 2),)}, ["hierarchy-breaks"]),
    ],
)
def test_problems(fields: dict[str, Any], codes: list[str]) -> None:
    assert [problem.code for problem in Balanced(**fields).problems("")] == codes
