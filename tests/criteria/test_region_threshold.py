"""Every region that can be told from the released columns has enough inhabitants."""

from __future__ import annotations

from dataclasses import replace

import narwhals as nw
import pyarrow as pa
import pytest
from hypothesis import given, settings

from criteria.crowd import Person, among, crowds, matching
from criteria.plain import SCHEMA, Row, groups, judged, people, policies
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.region_threshold import RegionThreshold

REGIONS = Schema(
    columns=(
        Column(name="land", role="quasi", scale="place"),
        Column(name="type", role="plain", scale="place"),
        Column(name="income", role="sensitive", scale="discrete"),
    )
)
PLACES = Schema(columns=(*REGIONS.columns[:2], Column(name="people", role="weight", scale="discrete")))


def regions() -> Dataset:
    table = pa.table({"land": ["A", "A", "B"], "type": ["city", "town", "town"], "income": [1, 2, 3]})
    places = {"land": ["A", "A", "A", "B", "B"], "type": ["city", "city", "town", "town", "city"]}
    found = Dataset.from_frame(pa.table({**places, "people": [300, 250, 400, 90, 10]}), PLACES)
    return replace(Dataset.from_frame(table, REGIONS), populations={"gazetteer": found})


@settings(deadline=None, max_examples=40)
@given(people, crowds, policies)
def test_agrees_with_counting_every_inhabitant(rows: list[Row], them: list[Person], missing: str) -> None:
    one = RegionThreshold(columns=["place", "age"], threshold=4, missing=missing)
    bad, verdict = judged(one, among(rows, them))
    wanted = {key: matching(key, them, missing) for key in groups(rows, missing)}
    assert bad == {key: n < 4 for key, n in wanted.items()}
    assert verdict.level == min(wanted.values(), default=None)


def test_all_regional_columns_are_combined() -> None:
    """Every land and every type alone is large enough; the towns of B are not."""
    one = RegionThreshold(threshold=100)
    verdict = one.check(regions())
    assert verdict.keys == (("land", "type"),) and (verdict.level, verdict.bad_classes) == (90, 1)
    text = (
        "The smallest region told by 'land', 'type' has 90 inhabitants; at least 100 are required, and 1 class fails."
    )
    assert verdict.text == text
    assert RegionThreshold(columns=["land"], threshold=100).holds(regions())
    assert RegionThreshold(columns=["type"], threshold=100).holds(regions())


def test_a_region_nobody_knows_is_said() -> None:
    data = regions()
    known = data.populations["gazetteer"]
    few = replace(data, populations={"gazetteer": known.filter(nw.col("land") == "A")})
    verdict = RegionThreshold(threshold=100).check(few)
    assert verdict.level == 0 and "1 region is not in the gazetteer, or nobody lives there" in verdict.text


def test_problems_promises_strictness() -> None:
    assert [p.code for p in RegionThreshold(threshold=2).problems(SCHEMA)] == ["no-region"]
    assert [p.code for p in RegionThreshold(threshold=2, columns=["lend"]).problems(REGIONS)] == ["unknown-column"]
    for wrong in ({}, {"threshold": 1}):
        with pytest.raises(SchleierError):
            RegionThreshold(**wrong)
    one = RegionThreshold(threshold=5)
    assert one.monotone and one.hereditary and one.needs(REGIONS)[0].populations == ("gazetteer",)
    assert not RegionThreshold(threshold=5, missing="wildcard").hereditary
    assert one.weaker_than(RegionThreshold(threshold=6))
