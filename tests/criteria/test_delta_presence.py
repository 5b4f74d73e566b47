"""Nobody can tell too well whether a person of the population is in the data."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.crowd import Person, among, crowds, matching, same
from criteria.plain import Row, groups, judged, people, policies
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.delta_presence import DeltaPresence

ROWS: list[Row] = [("x", 1, "flu", 1), ("x", 1, "clot", 1), ("y", 2, "clot", 1)]
CROWD: list[Person] = [("x", 1, 4), ("y", 2, 5)]


@settings(deadline=None, max_examples=80)
@given(people, crowds, policies, st.sampled_from([0.0, 0.3]))
def test_agrees_with_looking_at_every_person(rows: list[Row], them: list[Person], missing: str, least: float) -> None:
    one = DeltaPresence(delta_min=least, delta_max=0.6, missing=missing)
    bad, verdict = judged(one, among(rows, them))
    shares = {}
    for key, part in groups(rows, missing).items():
        persons = matching(key, them, missing)
        shares[key] = len(part) / persons if persons else float("inf")
    assert bad == {key: not least <= share <= 0.6 for key, share in shares.items()}
    if not shares:
        return
    alone = {
        person[:2]
        for person in them
        if sum(p[2] for p in them if p[:2] == person[:2])
        and (missing != "exclude" or None not in person[:2])
        and not any(same(key, person[:2], missing) for key in shares)
    }
    assert verdict.holds == (not any(bad.values()) and not (least and alone))
    if max(shares.values()) <= 1:
        assert verdict.level == pytest.approx(max(shares.values()))
        assert verdict.bad_classes == sum(bad.values()) + (len(alone) if least else 0)
    else:
        assert verdict.level is None and "no population of these data" in verdict.text


def test_the_best_known_class_decides() -> None:
    verdict = DeltaPresence(delta_max=0.4).check(among(ROWS, CROWD))
    assert (verdict.level, verdict.holds, verdict.bad_classes, verdict.bad_records) == (0.5, False, 1, 2)
    start = "The largest share of the persons of a class that are in the data, each record taken for a person, is 0.5"
    assert verdict.text == f"{start}; at most 0.4 is allowed, and 1 class fails."
    assert DeltaPresence(delta_max=0.5).holds(among(ROWS, CROWD))


def test_absence_may_be_a_secret_too() -> None:
    one = DeltaPresence(delta_min=0.2, delta_max=0.5)
    assert one.holds(among(ROWS, CROWD))
    verdict = one.check(among(ROWS, [*CROWD, ("z", 1, 7), ("z", 2, 0)]))
    assert not verdict.holds and (verdict.bad_classes, verdict.bad_records) == (1, 0)
    assert "7 persons of the population are certainly not in the data" in verdict.text
    assert DeltaPresence(delta_max=0.5).holds(among(ROWS, [*CROWD, ("z", 1, 7)]))
    assert not one.holds(among(ROWS, [("x", 1, 4), ("y", 2, 50)]))


def test_more_records_than_persons_is_no_population() -> None:
    verdict = DeltaPresence(delta_max=1.0).check(among(ROWS, [("x", 1, 1), ("y", 2, 5)]))
    assert not verdict.holds and verdict.level is None
    assert verdict.text.startswith("1 class holds more records than the population table has persons")


def test_problems_promises_strictness() -> None:
    for wrong in ({}, {"delta_max": 0}, {"delta_max": 1.1}, {"delta_max": 0.5, "delta_min": 0.6}):
        with pytest.raises(SchleierError):
            DeltaPresence(**wrong)
    one = DeltaPresence(delta_max=0.5)
    assert one.monotone and not one.hereditary
    assert not DeltaPresence(delta_max=0.5, delta_min=0.1).monotone
    assert not DeltaPresence(delta_max=0.5, missing="wildcard").monotone
    assert DeltaPresence(delta_max=0.6).weaker_than(one)
    assert not DeltaPresence(delta_max=0.4, delta_min=0.1).weaker_than(one)


def test_an_empty_table_holds_nobody() -> None:
    verdict = DeltaPresence(delta_max=0.5, delta_min=0.1).check(among([], CROWD))
    assert verdict.level is None and verdict.holds and verdict.text == "The table is empty."


def test_records_are_persons_for_presence_and_units_for_absence() -> None:
    """Four records of a class with eight persons: at most half of them are in the data, and of two units a quarter."""
    schema = Schema(
        columns=[
            Column(name="place", role="quasi", scale="nominal"),
            Column(name="home", role="unit", scale="discrete"),
        ]
    )
    data = Dataset.from_frame(pa.table({"place": ["x"] * 4, "home": [1, 1, 1, 2]}), schema)
    crowd = Dataset.from_frame(pa.table({"place": ["x"] * 8}), schema.without(["home"]))
    data = replace(data, populations={"population": crowd})
    assert DeltaPresence(delta_max=0.5).check(data).level == 0.5
    assert not DeltaPresence(delta_max=0.49).holds(data)
    assert DeltaPresence(delta_max=0.5, delta_min=0.25).holds(data)
    verdict = DeltaPresence(delta_max=0.5, delta_min=0.3).check(data)
    assert not verdict.holds and "the smallest is 0.25" in verdict.text
    assert DeltaPresence(delta_max=0.5, delta_min=0.3).holds(replace(data, schema=schema.changed("home", role="plain")))
