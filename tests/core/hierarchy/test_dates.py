from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested, reduced, same_after_reduce
from schleier.core.hierarchy.dates import CALENDAR, Dates, Unit

EVERY = ("day", "month", "quarter", "half", "year", "decade")
LEVELS = st.one_of(
    st.sets(st.sampled_from(CALENDAR), min_size=1).map(lambda units: tuple(u for u in CALENDAR if u in units)),
    st.sampled_from([("week",), ("day", "week")]),
)


def oracle(day: dt.date, unit: str) -> str:
    year = f"{day.year:04}"
    iso = day.isocalendar()
    return {
        "day": day.isoformat(),
        "week": f"{iso.year:04}-W{iso.week:02}",
        "month": f"{year}-{day.month:02}",
        "quarter": f"{year}-Q{(day.month - 1) // 3 + 1}",
        "half": f"{year}-H{1 if day.month <= 6 else 2}",
        "year": year,
        "decade": f"{year[:3]}0s",
    }[unit]


@given(LEVELS, st.lists(st.datetimes(min_value=dt.datetime(1, 1, 1)), min_size=1))
def test_timestamps(units: tuple[Unit, ...], moments: list[dt.datetime]) -> None:
    hierarchy = Dates(dates=units)
    assert list(hierarchy.problems("")) == []
    values = pa.array(moments, pa.timestamp("us"))
    for level, unit in enumerate(units, start=1):
        assert hierarchy.labels(values, level).to_pylist() == [oracle(m.date(), unit) for m in moments]
    nested(hierarchy, values)
    same_after_reduce(hierarchy, values)


@given(LEVELS, st.lists(st.dates(), min_size=1), st.sampled_from([pa.date32(), pa.date64()]))
def test_dates(units: tuple[Unit, ...], days: list[dt.date], kind: pa.DataType) -> None:
    values = pa.array(days, kind)
    for level, unit in enumerate(units, start=1):
        assert Dates(dates=units).labels(values, level).to_pylist() == [oracle(day, unit) for day in days]


def test_zones_count_by_the_clock_on_the_wall() -> None:
    late = pa.array([dt.datetime(2020, 12, 31, 23, 30, tzinfo=dt.UTC)], pa.timestamp("us", "Europe/Berlin"))
    assert Dates(dates=("day",)).labels(late, 1).to_pylist() == ["2021-01-01"]


def test_days_beyond_the_calendar_are_not_covered() -> None:
    far = pa.array([2**31 - 1, -(2**31) + 1, -719163, -719162, 2932896, 2932897], pa.int32()).cast(pa.date32())
    assert Dates(dates=("year",)).labels(far, 1).to_pylist() == [None, None, None, "0001", "9999", None]


def test_one_value_per_day_is_left() -> None:
    moments = pa.array([dt.datetime(2020, 1, 1, hour) for hour in range(24)])
    same, days = reduced(Dates(dates=("month",)), moments, 0, 1)
    assert same == moments
    assert days.to_pylist() == [dt.date(2020, 1, 1)] * 24


def test_numbers_and_texts_are_no_dates() -> None:
    hierarchy = Dates(dates=("year",))
    for values in (pa.array([2020]), pa.array(["2020-01-01"])):
        assert hierarchy.covers(values).tolist() == [False]
        assert hierarchy.labels(values, 1).to_pylist() == [None]


@pytest.mark.parametrize(
    ("units", "codes"),
    [
        ((), ["hierarchy-empty"]),
        (EVERY, []),
        (("day", "week"), []),
        (("week", "month"), ["hierarchy-not-nested"]),
        (("week", "year"), ["hierarchy-not-nested"]),
        (("month", "week"), ["hierarchy-not-nested"]),
        (("year", "month"), ["hierarchy-not-nested"]),
        (("year", "year"), ["hierarchy-not-nested"]),
    ],
)
def test_problems(units: tuple[Unit, ...], codes: list[str]) -> None:
    assert [problem.code for problem in Dates(dates=units).problems("")] == codes
