"""Targeted record swapping: who is at risk, who exchanges with whom, what stays the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import KEY, codes, data, refusal, released
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.kernels.change.households import pair_households, risky
from schleier.methods.swap_households import SwapHouseholds

AREAS = ("land", "town")


def town(households: int = 300, seed: int = 1) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 4, households)
    who = np.repeat(np.arange(households), size)
    land = rng.integers(0, 2, households)
    place = land * 10 + rng.integers(0, 4, households)
    return {
        "unit": who.tolist(),
        "land": [f"L{v}" for v in land[who]],
        "town": [f"T{v:02d}" for v in place[who]],
        "street": [f"S{v}" for v in place[who] * 7],
        "age": rng.integers(0, 12, len(who)).tolist(),
        "sex": ["fm"[v] for v in rng.integers(0, 2, len(who))],
    }


def step(**more: Any) -> SwapHouseholds:
    given = {"areas": AREAS, "risk": ["age", "sex"], "similar": ["sex"], "k": 3, "carry": ["street"]}
    return SwapHouseholds(**(given | more))


def exchanged(table: dict[str, list[Any]], **more: Any) -> tuple[dict[str, list[Any]], Run]:
    run = Run(key=KEY)
    return released(step(**more), data(table, unit=("unit",)), run), run


def levels(run: Run) -> dict[str, dict[str, int]]:
    facts = next(note.facts for note in run.notes if note.visibility == "restricted")
    return {level["area"]: level for level in facts["levels"]}


def test_tables_of_areas_by_profile_are_exact() -> None:
    before = town()
    after, _ = exchanged(before, rate=0.2)
    assert after["town"] != before["town"]
    for area in AREAS:
        assert Counter(zip(after[area], after["sex"], strict=True)) == Counter(
            zip(before[area], before["sex"], strict=True)
        )
        assert Counter(dict(zip(after["unit"], after[area], strict=True)).values()) == Counter(
            dict(zip(before["unit"], before[area], strict=True)).values()
        )
    assert after["age"] == before["age"] and after["sex"] == before["sex"]


def test_households_move_as_a_whole_and_take_everything_of_the_place() -> None:
    before = town()
    after, _ = exchanged(before, rate=0.2)
    places = set(zip(before["land"], before["town"], before["street"], strict=True))
    where = defaultdict(set)
    for unit, *place in zip(after["unit"], after["land"], after["town"], after["street"], strict=True):
        where[unit].add(tuple(place))
    assert all(len(found) == 1 for found in where.values())
    assert {next(iter(found)) for found in where.values()} <= places


def test_everybody_at_risk_is_moved_or_counted() -> None:
    before = town()
    after, run = exchanged(before)
    told = levels(run)
    moved = {u for u, old, new in zip(before["unit"], before["town"], after["town"], strict=True) if old != new}
    rare = Counter(zip(before["town"], before["age"], before["sex"], strict=True))
    at_risk = {
        unit
        for unit, *key in zip(before["unit"], before["town"], before["age"], before["sex"], strict=True)
        if rare[tuple(key)] < 3
    }
    assert len(at_risk - moved) == sum(level["found_nobody"] for level in told.values())
    assert len(at_risk) > 50


def test_who_is_at_risk_in_a_town_only_stays_in_the_land() -> None:
    before = town(600)
    after, run = exchanged(before)
    told = levels(run)
    assert told["land"]["at_risk"] == 0 < told["town"]["at_risk"]
    assert after["land"] == before["land"] and after["town"] != before["town"]


def test_the_rate_is_met_in_every_town() -> None:
    before = town(2000, seed=4)
    after, _ = exchanged(before, k=2, risk=["sex"], rate=0.25)
    first = {unit: i for i, unit in reversed(list(enumerate(before["unit"])))}
    size, moved = Counter(), Counter()
    for i in first.values():
        size[before["town"][i]] += 1
        moved[before["town"][i]] += before["town"][i] != after["town"][i]
    assert all(moved[name] >= 0.25 * count for name, count in size.items())
    assert sum(moved.values()) < 0.6 * sum(size.values())


def test_single_persons_and_persons_without_household() -> None:
    before = town()
    lonely = before | {"unit": [None if i % 2 else v for i, v in enumerate(before["unit"])]}
    lonely |= {name: [f"A{i % 5}" for i in range(len(before["unit"]))] for name in ("town", "street")}
    apart = {name: column for name, column in lonely.items() if name != "unit"}
    after = released(step(areas=["town"], whole_units=False), data(apart))
    assert Counter(after["town"]) == Counter(apart["town"]) and after["town"] != apart["town"]


def test_missing_areas_stay() -> None:
    before = town()
    gone = {unit for unit in before["unit"] if unit % 5 == 0}
    before["town"] = [None if u in gone else t for u, t in zip(before["unit"], before["town"], strict=True)]
    after, _ = exchanged(before, rate=0.3)
    assert [t is None for t in after["town"]] == [t is None for t in before["town"]]


def test_refusals() -> None:
    before = town()
    before["town"][0] = "elsewhere" if before["unit"][0] == before["unit"][1] else before["town"][0]
    before["unit"][1] = before["unit"][0]
    before["town"][0] = "elsewhere"
    assert refusal(step(), data(before, unit=("unit",))) == "unit-crosses-areas"
    assert "no-unit" in codes(step(), data({name: c for name, c in before.items() if name != "unit"}))
    with pytest.raises(SchleierError, match="must differ"):
        step(carry=["town"])
    with pytest.raises(SchleierError, match="must differ"):
        step(risk=["town"])


def test_only_one_area_leaves_everything() -> None:
    before = town(30) | {"land": ["L"] * len(town(30)["unit"])}
    after, run = exchanged(before, areas=["land"], carry=[], rate=0.5)
    assert after == before
    told = levels(run)
    assert told["land"]["at_risk"] == told["land"]["found_nobody"] > 0


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30), st.integers(0, 9))
def test_pairs_are_of_one_pool_and_different_areas(cells: list[tuple[int, int]], seed: int) -> None:
    pool, area = (np.array(column) for column in zip(*cells, strict=True))
    rng = np.random.default_rng(seed)
    wanting = rng.permutation(len(pool))[: len(pool) // 2 + 1]
    partner = np.arange(len(pool))
    alone = pair_households(wanting, pool, area, partner, rng.random(len(wanting)))
    assert np.array_equal(partner[partner], np.arange(len(pool)))
    moved = partner != np.arange(len(pool))
    assert (pool[partner] == pool).all() and (area[partner] != area)[moved].all()
    left = [i for i in wanting if not moved[i]]
    assert len(left) == alone
    for i in left:  # nobody free was overlooked
        assert not any(pool[j] == pool[i] and area[j] != area[i] and not moved[j] for j in range(len(pool)))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=30))
def test_risk_is_counted_within_the_area(rows: list[tuple[int, int, int]]) -> None:
    area, key, home = (np.array(column) for column in zip(*rows, strict=True))
    counts = Counter((a, b) for a, b, _ in rows)
    wanted = [any(counts[a, b] < 3 for a, b, h in rows if h == who) for who in range(6)]
    assert risky(area, key, home, 6, 3).tolist() == wanted
