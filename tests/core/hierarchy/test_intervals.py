from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor, inf, nan, nextafter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested, reduced, same_after_reduce
from schleier.core.hierarchy.intervals import Intervals

WIDTHS = st.sampled_from(["0.001", "0.1", "0.25", "0.3", "1", "2.5", "5", "7", "1000000"])
ORIGINS = st.sampled_from(["0", "0.05", "-3", "1.1", "2000", "-0.7"])
RATIOS = st.lists(st.integers(2, 9), max_size=3)


@st.composite
def definitions(draw: st.DrawFn) -> Intervals:
    widths = [Decimal(draw(WIDTHS))]
    for ratio in draw(RATIOS):
        widths.append(widths[-1] * ratio)
    return Intervals(intervals=tuple(map(float, widths)), origin=float(draw(ORIGINS)))


@st.composite
def near_edges(draw: st.DrawFn, hierarchy: Intervals) -> list[float]:
    """Numbers at, just below and just above the ends of intervals, and numbers from anywhere."""
    indices = draw(st.lists(st.integers(-(10**6), 10**6), max_size=8))
    ends = [hierarchy.origin + i * width for i in indices for width in hierarchy.intervals]
    around = [near for end in ends for near in (end, nextafter(end, inf), nextafter(end, -inf))]
    return around + draw(st.lists(st.floats(), max_size=8))


@given(st.data(), definitions())
def test_levels_nest_and_reducing_changes_nothing(data: st.DataObject, hierarchy: Intervals) -> None:
    assert list(hierarchy.problems("")) == []
    values = pa.array(data.draw(near_edges(hierarchy)), pa.float64())
    nested(hierarchy, values)
    same_after_reduce(hierarchy, values)


@given(definitions(), st.lists(st.decimals(-10_000, 10_000, places=3), min_size=1))
def test_a_number_falls_where_its_written_form_says(hierarchy: Intervals, written: list[Decimal]) -> None:
    """The oracle computes with fractions: 0.3 belongs to [0.3, 0.4), though 0.3 / 0.1 is below 3."""
    values = pa.array([float(number) for number in written])
    for level, width in enumerate(hierarchy.intervals, start=1):
        step, origin = Fraction(str(width)), Fraction(str(hierarchy.origin))
        for number, label in zip(written, hierarchy.labels(values, level).to_pylist(), strict=True):
            lower = origin + floor((Fraction(number) - origin) / step) * step
            low, high = label.strip("[)").split(", ")
            assert (Fraction(low), Fraction(high)) == (lower, lower + step)


@pytest.mark.parametrize(("width", "origin"), [("0.1", "0"), ("0.1", "1.1"), ("0.7", "-0.3"), ("0.001", "5")])
def test_the_lower_end_as_written_is_in_its_interval(width: str, origin: str) -> None:
    ends = [Decimal(origin) + i * Decimal(width) for i in range(-2000, 2000)]
    labels = Intervals(intervals=(float(width),), origin=float(origin)).labels(pa.array(map(float, ends)), 1)
    assert [Decimal(label[1:].split(",")[0]) for label in labels.to_pylist()] == ends


@given(st.integers(1, 10**9), st.integers(-(10**6), 10**6), st.lists(st.integers(-(2**50), 2**50), min_size=1))
def test_whole_numbers_are_exact(width: int, origin: int, numbers: list[int]) -> None:
    hierarchy = Intervals(intervals=(width,), origin=origin)
    numbers = [number for number in numbers if abs(number) < width * 2**47]
    for number, label in zip(numbers, hierarchy.labels(pa.array(numbers, pa.int64()), 1).to_pylist(), strict=True):
        lower = (number - origin) // width * width + origin
        upper = lower + width - 1
        joint = " to " if lower < 0 else "-"
        assert label == (str(lower) if width == 1 else f"{lower}{joint}{upper}")


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (pa.array([0, 4, 5, 99]), ["0-4", "0-4", "5-9", "95-99"]),
        (pa.array([-1, -5, -6]), ["-5 to -1", "-5 to -1", "-10 to -6"]),
        (pa.array([20, 255], pa.uint8()), ["20-24", "255-259"]),
        (pa.array([Decimal("20"), Decimal("-1")], pa.decimal128(5, 0)), ["20-24", "-5 to -1"]),
        (pa.array([20.0, 24.999, -0.5]), ["[20, 25)", "[20, 25)", "[-5, 0)"]),
        (pa.array([Decimal("24.99")]), ["[20, 25)"]),
        (pa.array([1e6], pa.float32()), ["[1000000, 1000005)"]),
        (pa.array([nan, inf, -inf, 1e300]), [None] * 4),
        (pa.array([2**63 - 1, -(2**63)]), [None] * 2),
        (pa.array(["20"]), [None]),
        (pa.array([True]), [None]),
    ],
)
def test_labels(values: pa.Array, labels: list[str | None]) -> None:
    assert Intervals(intervals=(5,)).labels(values, 1).to_pylist() == labels


def test_labels_of_fine_widths_are_short_and_have_no_exponent() -> None:
    hierarchy = Intervals(intervals=(1e-7,))
    assert hierarchy.labels(pa.array([3e-7, 0.1]), 1).to_pylist() == [
        "[0.0000003, 0.0000004)",
        "[0.1, 0.1000001)",
    ]
    assert Intervals(intervals=(1e22,)).labels(pa.array([1e22]), 1).to_pylist()[0].startswith("[10000")


def test_whole_numbers_in_broken_widths_are_not_called_whole() -> None:
    labels = Intervals(intervals=(2.5,)).labels(pa.array([2, 3, 5]), 1).to_pylist()
    assert labels == ["[0, 2.5)", "[2.5, 5)", "[5, 7.5)"]


def test_one_number_per_interval_is_left() -> None:
    hierarchy = Intervals(intervals=(5, 10))
    values = pa.array([x / 100 for x in range(10_000)])
    same, *coarser = reduced(hierarchy, values, 0, 1, 2, 3)
    assert same == values
    assert [len(set(level.to_pylist())) for level in coarser] == [20, 10, 1]


def test_no_interval_lies_across_the_edge_of_reach() -> None:
    hierarchy = Intervals(intervals=(1, 3, 21))
    edge = 2**48
    values = pa.array([float(side * (edge - i)) for i in range(-30, 30) for side in (-1, 1)])
    assert 0 < hierarchy.covers(values).sum() < len(values)
    nested(hierarchy, values)
    same_after_reduce(hierarchy, values)


def test_whole_numbers_a_float_cannot_hold_are_not_covered() -> None:
    wide = Intervals(intervals=(2.0**20,))
    assert wide.covers(pa.array([2**53 - 1, 2**53 + 1, -(2**60) - 1])).tolist() == [True, False, False]
    assert wide.covers(pa.array([2.0**60])).tolist() == [True]


def test_far_intervals_still_differ() -> None:
    hierarchy = Intervals(intervals=(0.1, 0.3))
    far = 2.0**47 * 0.1
    labels = hierarchy.labels(pa.array([far + i for i in range(10)]), 1).to_pylist()
    assert None not in labels and len(set(labels)) == 10


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"intervals": ()}, ["hierarchy-empty"]),
        ({"intervals": (0, -5)}, ["hierarchy-width"]),
        ({"intervals": (5, 12)}, ["hierarchy-not-nested"]),
        ({"intervals": (5, 5)}, ["hierarchy-not-nested"]),
        ({"intervals": (10, 5)}, ["hierarchy-not-nested"]),
        ({"intervals": (0.1, 0.3, 0.6)}, []),
        ({"intervals": (1e-300, 1e300)}, ["hierarchy-precision"]),
        ({"intervals": (0.1,), "origin": 1e17}, ["hierarchy-precision"]),
    ],
)
def test_problems(fields: dict[str, Any], codes: list[str]) -> None:
    problems = list(Intervals(**fields).problems("hierarchies.x"))
    assert [problem.code for problem in problems] == codes
    assert all(problem.where == "hierarchies.x" for problem in problems)


def test_broken_widths_are_counted() -> None:
    (problem,) = Intervals(intervals=(5, 12, 24, 25)).problems("")
    assert problem.message.endswith(": 2")
