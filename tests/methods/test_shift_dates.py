"""Shifted dates: times inside a unit are exact, nothing stays where it was, and order against fixed dates holds."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.keys import Key
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.shift_dates import ShiftDates

KEY = Key(bytes(range(32)))
SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="who", role="unit", scale="nominal"),
        Column(name="born", role="quasi", scale="time"),
        Column(name="came", role="sensitive", scale="time"),
        Column(name="left", role="sensitive", scale="time"),
    ],
)
Row = tuple[str | None, datetime.date | None, datetime.date | None]
DAY = datetime.timedelta(1)
LEAP = datetime.date(2024, 2, 29)


def moved(rows: list[Row], key: Key = KEY, **more: Any) -> list[tuple[Any, Any]]:
    day = pa.date32()
    who, came, left = ([row[i] for row in rows] for i in range(3))
    born = pa.array([LEAP - 10 * DAY] * len(rows), day)
    table = pa.table({"id": range(len(rows)), "who": pa.array(who, pa.string()), "born": born})
    table = table.append_column("came", pa.array(came, day)).append_column("left", pa.array(left, day))
    one = ShiftDates(**{"columns": ["came", "left"], "by": "who", "key": "k", "domain": "d", "days": 30, **more})
    after = one.apply(Dataset.from_frame(table, SCHEMA), Run(keys={"k": key}))
    found = after.engine.arrays(after.frame.sort("id"))
    return list(zip(found["came"].to_pylist(), found["left"].to_pylist(), strict=True))


DATES = st.dates(datetime.date(1950, 1, 1), datetime.date(2030, 12, 31)) | st.just(LEAP)


@given(st.lists(st.tuples(st.sampled_from("ab"), DATES, st.none() | DATES), min_size=1, max_size=6))
def test_all_dates_of_a_unit_move_by_the_same_days(rows: list[Row]) -> None:
    found, shifts = moved(rows), dict[str | None, set[int]]()
    for (who, came, left), (new, other) in zip(rows, found, strict=True):
        assert came is not None and (left is None) == (other is None)
        shifts.setdefault(who, set()).update({(new - came).days} | ({(other - left).days} if left else set()))
    assert all(len(days) == 1 and 0 < abs(next(iter(days))) <= 30 for days in shifts.values())


@pytest.mark.parametrize(("keep", "step"), [("weekday", 7), ("season", 364)])
def test_weekday_and_season_stay(keep: str, step: int) -> None:
    found = moved([(f"p{i}", LEAP, None) for i in range(300)], keep=keep, days=800)
    shifts = {(new - LEAP).days for new, _ in found}
    assert shifts <= {step * n for n in range(-800 // step, 800 // step + 1) if n} and len(shifts) > 3


def test_every_shift_occurs_and_none_is_nothing() -> None:
    shifts = [(new - LEAP).days for new, _ in moved([(f"p{i}", LEAP, None) for i in range(1000)], days=3)]
    counts = {days: shifts.count(days) for days in sorted(set(shifts))}
    assert list(counts) == [-3, -2, -1, 1, 2, 3] and all(100 < n < 240 for n in counts.values())


def test_order_against_dates_that_stay() -> None:
    rows: list[Row] = [(f"p{i}", LEAP, LEAP + 5 * DAY) for i in range(200)]
    free, bound = moved(rows), moved(rows, not_before="born")
    assert any(new < LEAP - 10 * DAY for new, _ in free) and all(new >= LEAP - 10 * DAY for new, _ in bound)
    same = sum(one == other for one, other in zip(free, bound, strict=True))
    assert same == sum(new >= LEAP - 10 * DAY for new, _ in free)
    with pytest.raises(SchleierError) as caught:
        moved(
            [("p", LEAP - 10 * DAY, LEAP)] * 2 + [(f"q{i}", LEAP - 10 * DAY, None) for i in range(2000)],
            days=1,
            not_before="born",
        )
    assert caught.value.problems[0].code == "no-common-shift"


def test_another_table_of_the_unit_has_the_same_shift_and_another_key_not() -> None:
    rows: list[Row] = [(f"p{i}", LEAP, None) for i in range(20)]
    assert moved(rows)[7:8] == moved(rows[7:8]) and moved(rows) != moved(rows, Key(bytes(range(1, 33))))
    assert moved([(None, LEAP, None)]) == [(None, None)]


def test_dates_that_stand_for_an_open_end_would_tell_the_shift() -> None:
    with pytest.raises(SchleierError) as caught:
        moved([("p", LEAP, datetime.date(9999, 12, 31))])
    (one,) = caught.value.problems
    assert one.code == "open-date" and "9999" not in str(caught.value)
    assert len(moved([("p", LEAP, datetime.date(2199, 12, 31))])) == 1
