"""A known date undoes a shift that is the same for all dates of a unit, and no other."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pyarrow as pa
import pytest

from schleier.attacks.anchor_date import AnchorDate
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.schema import Column, Schema

from .pseudonymised import RUN

UNIT = Column(name="patient", role="unit", scale="nominal")
DATES = [Column(name=name, role="quasi", scale="time") for name in ("visit", "birth")]
Shift = Callable[[int, int], int]


def case(shift: Shift, *, units: bool = True) -> Case:
    """Forty patients with five visits each; ``shift`` of patient and record."""
    start, records = datetime.date(2024, 1, 1), [(i // 5, i) for i in range(200)]
    visits = [start + datetime.timedelta(days=(37 * who + 11 * i) % 700) for who, i in records]
    births = [datetime.date(1950, 6, 1) + datetime.timedelta(days=200 * who) for who, _ in records]
    schema = Schema(columns=[*([UNIT] if units else ()), *DATES], row_key="id")
    sides = []
    for moved in (lambda who, i: 0, shift):
        far = [datetime.timedelta(days=moved(who, i)) for who, i in records]
        table = {
            "id": [f"r{i:04d}" for _, i in records],
            "patient": [f"p{who}" for who, _ in records],
            "visit": [day + by for day, by in zip(visits, far, strict=True)],
            "birth": [day + by for day, by in zip(births, far, strict=True)],
        }
        sides.append(Dataset.from_frame(pa.table({k: v for k, v in table.items() if units or k != "patient"}), schema))
    return Case(*sides)


def told(what: Case, **more: object) -> Finding:
    return AnchorDate(sensitive="visit", targets="all", **more).measure(what, RUN)  # type: ignore[arg-type]


def test_one_visit_tells_all_others_of_the_patient() -> None:
    found = told(case(lambda who, i: 17 * who % 91 - 45))
    assert found.detail["targets"] == found.detail["correct"] == 160 and found.value == 1.0


def test_a_shift_of_each_record_stays() -> None:
    found = told(case(lambda who, i: 23 * i % 91 - 45))
    assert found.detail["correct"] <= 8  # those that were shifted alike by chance


def test_another_date_of_the_record() -> None:
    found = told(case(lambda who, i: 23 * i % 91 - 45), anchor="birth")
    assert found.detail["correct"] == 200


@pytest.mark.parametrize(("more", "code"), [({}, "no-unit"), ({"anchor": "visit"}, "known-already")])
def test_something_must_be_known(more: dict[str, str], code: str) -> None:
    attack = AnchorDate(sensitive="visit", **more)  # type: ignore[arg-type]
    assert [one.code for one in attack.problems(Schema(columns=DATES, row_key="id"))] == [code]
