"""Only data older than a limit."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.data_age import DataAge, last_day
from schleier.report.criteria import tell_verdict
from schleier.report.language import Words, plain

LIMIT = DataAge(column="t", years=2, as_of="2020-01-01")


def judged(values: list[Any], scale: str = "time", one: DataAge = LIMIT) -> Any:
    return one.check(Dataset.from_frame(pa.table({"t": values}), Schema(columns=[Column(name="t", scale=scale)])))


def test_the_newest_record_decides() -> None:
    old, new = datetime.date(2017, 12, 30), datetime.date(2018, 6, 1)
    assert LIMIT.limit == datetime.date(2017, 12, 31)
    assert judged([old, old]).holds and judged([old]).level == 2
    found = judged([old, new, new])
    assert not found.holds and (found.bad_records, found.level) == (2, 1)
    assert not judged([old, datetime.date(2018, 1, 1)]).holds
    assert judged([datetime.datetime(2017, 12, 31, 23)]).holds


@pytest.mark.parametrize(
    ("values", "scale", "holds"),
    [
        ([2016, 2017], "discrete", True),
        ([2018], "discrete", False),
        (["2017-Q4", "2010s"], "nominal", False),
        (["2017-Q4", "2017-12", "2017-H2", "2000s"], "nominal", True),
        (["2018-W01"], "nominal", False),
        (["*"], "nominal", False),
        ([datetime.date(2000, 1, 1), None], "time", False),
    ],
)
def test_years_and_coarse_dates_count_by_their_last_day(values: list[Any], scale: str, holds: bool) -> None:
    assert judged(values, scale).holds is holds


def test_records_without_a_date_are_told() -> None:
    assert "(1 record does not tell the date)" in judged([datetime.date(2000, 1, 1), None]).text
    assert [last_day(value) for value in (None, "2001-13", "2001-02-30", True, 12.5)] == [None] * 5
    assert last_day("2020-02") == datetime.date(2020, 2, 29)


def test_a_week_ends_on_its_sunday() -> None:
    """ISO 8601: the last week of 2017 ends on the 31st of December, the first of 2018 on the 7th of January."""
    assert last_day("2017-W52") == datetime.date(2017, 12, 31)
    assert last_day("2018-W01") == datetime.date(2018, 1, 7)
    assert last_day("2018-W53") is None  # there is no such week
    assert last_day("2018-H1") == datetime.date(2018, 6, 30) and last_day("2018-H2") == datetime.date(2018, 12, 31)


def test_stricter_and_weaker() -> None:
    older = DataAge(column="t", years=3, as_of="2020-01-01")
    earlier = DataAge(column="t", years=2, as_of="2019-01-01")
    assert not older.weaker_than(LIMIT) and not earlier.weaker_than(LIMIT)
    assert LIMIT.weaker_than(older) and LIMIT.weaker_than(earlier)


def test_bad_parameters() -> None:
    for parameters in ({"years": 0, "as_of": "2020-01-01"}, {"years": 1}, {"years": 1, "as_of": "soon"}):
        with pytest.raises(SchleierError):
            DataAge(column="t", **parameters)
    schema = Schema(columns=[Column(name="t", scale="continuous")])
    assert [problem.code for problem in LIMIT.problems(schema)] == ["no-dates"]


@pytest.mark.parametrize(
    ("lang", "years", "title", "short"),
    [
        ("en", 1, "at least one year)", "every record is at least 7 years old by t."),
        ("de", 1, "mindestens ein Jahr)", "ist jeder Datensatz nach t mindestens 7 Jahre alt."),
        ("en", 2, "at least 2 years)", "every record is at least 7 years old by t."),
    ],
)
def test_it_has_words_of_its_own(lang: str, years: int, title: str, short: str) -> None:
    verdict = judged([datetime.date(2012, 1, 2)], one=DataAge(column="t", years=years, as_of="2020-01-01"))
    told = tell_verdict(verdict, Words.of(lang))
    assert title in plain(told.title) and plain(told.short).endswith(short)
    assert "the newest is 7 years old" in verdict.text and "1 years" not in verdict.text
