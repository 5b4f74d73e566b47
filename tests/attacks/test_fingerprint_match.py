"""Whole units: households and panels, a slow oracle, coarse cells, noise, outsiders, members, and no names."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.exact_match import ExactMatch
from schleier.attacks.fingerprint_match import FingerprintMatch
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.linkage.fingerprints import Fingerprints, Members
from schleier.kernels.linkage.penalties import Numbers, Words

KEY = bytes(range(32))


def households(units: int = 250, seed: int = 2, engine: Any = None, first: int = 0, **shown: Any) -> Dataset:
    """Invented households of one to five, each member by age and sex only."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(units), rng.integers(1, 6, units)) + first
    columns = {"age": rng.integers(0, 90, len(who)), "sex": rng.choice(["f", "m"], len(who))}
    columns |= {name: change(columns[name]) for name, change in shown.items()}
    table = {"id": pa.array(np.arange(len(who)) + first), "household": [f"h{one}" for one in who], **columns}
    scale: Any = "discrete" if "age" not in shown else "ordinal"
    described = [
        Column(name="household", role="unit", scale="nominal"),
        Column(name="age", role="quasi", scale=scale),
        Column(name="sex", role="quasi", scale="nominal"),
    ]
    return Dataset.from_frame(pa.table(table), Schema(row_key="id", columns=described), engine)


def panel(units: int = 150, seed: int = 3, engine: Any = None, moved: float = 0.0) -> Dataset:
    """Invented persons in six waves, each wave by two coarse columns; ``moved`` is noise on one of them."""
    rng = np.random.default_rng(seed)
    rows = units * 6
    score = rng.integers(0, 6, rows) + moved * np.random.default_rng(8).normal(size=rows)
    table = {
        "id": pa.array(np.arange(rows)),
        "person": [f"p{i // 6}" for i in range(rows)],
        "year": pa.array([2000 + i % 6 for i in range(rows)]),
        "job": rng.choice(["a", "b", "c"], rows),
        "score": score,
    }
    described = [
        Column(name="person", role="unit", scale="nominal"),
        Column(name="year", role="plain", scale="discrete"),
        Column(name="job", role="quasi", scale="nominal"),
        Column(name="score", role="quasi", scale="continuous"),
    ]
    return Dataset.from_frame(pa.table(table), Schema(row_key="id", columns=described), engine)


def tried(case: Case, **how: Any) -> Finding:
    return FingerprintMatch(**{"targets": "all", **how}).measure(case, Run(key=KEY))


@pytest.fixture(scope="module")
def file() -> Dataset:
    return households()


def test_households_find_those_who_hide_one_by_one(file: Dataset) -> None:
    single = ExactMatch(targets="all").measure(Case(file, file), Run(key=KEY))
    told = tried(Case(file, file, control=households(60, 5, file.engine, 10**6)))
    assert single.value < 0.2 and told.value > 0.85 and told.detail["false_share"] == 0
    assert told.detail["records"] == 250 and told.detail["control_targets"] == 60
    members = told.detail["member_correct"] / told.detail["member_targets"]
    assert members > 0.85  # of households that are found, all but twins


def test_coarse_ages_and_gaps(file: Dataset) -> None:
    decades = households(engine=file.engine, age=lambda age: [f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in age])
    gaps = households(
        engine=file.engine, sex=lambda sex: pa.array([None if i % 4 == 0 else s for i, s in enumerate(sex)])
    )
    assert tried(Case(file, decades)).value > 0.45
    assert tried(Case(file, gaps)).value > 0.8


def test_waves_of_a_panel_and_noise_on_them() -> None:
    data = panel()
    noisy = panel(engine=data.engine, moved=0.5)
    by_wave = tried(Case(data, noisy), order="year")
    assert by_wave.value > 0.95 and by_wave.detail["member_correct"] > 0.95 * by_wave.detail["member_targets"]
    assert tried(Case(data, data), order="year", within=0.01).value > 0.95
    assert tried(Case(data, noisy), order="year", ahead=5.0).detail["claims"] == 0


def test_a_release_about_others_is_at_chance(file: Dataset) -> None:
    data = panel()
    told = tried(Case(data, panel(seed=44, engine=data.engine)), order="year")
    assert told.detail["contained"] == 150
    assert told.detail["correct"] <= 8  # one is expected; 9 or more: 1e-6


CELL = st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 2))


def _units(rows: list[Any]) -> tuple[list[Any], list[list[int]]]:
    rows = sorted(rows)
    names = sorted({row[0] for row in rows})
    return rows, [[i for i, row in enumerate(rows) if row[0] == name] for name in names]


@settings(max_examples=150, deadline=None)
@given(st.lists(CELL, min_size=1, max_size=7), st.lists(CELL, min_size=1, max_size=9), st.booleans(), st.booleans())
def test_distances_equal_the_slow_way(mine: Any, theirs: Any, complete: bool, waves: bool) -> None:
    if waves:  # one record of a unit in each wave
        mine, theirs = (list({(r[0], r[3]): r for r in rows}.values()) for rows in (mine, theirs))
    (mine, targets), (theirs, units) = _units(mine), _units(theirs)

    def members(rows: Any, of: Any) -> Members:
        unit = np.concatenate([np.full(len(one), i) for i, one in enumerate(of)])
        return Members(unit.astype(np.int64), np.array([r[3] if waves else -1 for r in rows]))

    known, seen = (np.array([r[2] for r in rows]) for rows in (mine, theirs))
    word = Words(np.array([r[1] for r in mine]), np.array([r[1] for r in theirs]), 0.5 * (1 - np.eye(2)))
    columns = [word, Numbers(known, seen, seen, weight=0.5)]
    found = Fingerprints(columns, members(mine, targets), members(theirs, units), complete).nearest()

    def cost(i: int, r: int) -> float:
        return 0.5 * (mine[i][1] != theirs[r][1]) + 0.5 * abs(mine[i][2] - theirs[r][2])

    for t, own in enumerate(targets):
        every = []
        for unit in units:
            few, many = sorted((own, unit), key=len)
            extra = max(len(own) - len(unit), 0) + (max(len(unit) - len(own), 0) if complete else 0)
            if waves:
                same = [(i, r) for i in own for r in unit if mine[i][3] == theirs[r][3]]
                left = len(own) - len(same) + (len(unit) - len(same) if complete else 0)
                every.append(sum(cost(i, r) for i, r in same) + left)
                continue
            turned = len(own) > len(unit)
            sums = (
                sum(cost(b, a) if turned else cost(a, b) for a, b in zip(few, some, strict=True))
                for some in permutations(many, len(few))
            )
            every.append(min(sums) + extra)
        best, *rest = sorted(every)
        assert found.distance[t] == pytest.approx(best, abs=1e-5)
        assert every[found.unit[t]] == pytest.approx(best, abs=1e-5)
        if rest and rest[0] - best > 1e-4:
            assert found.second[t] == pytest.approx(rest[0], abs=1e-5)


def test_it_needs_units_and_is_tried_where_they_are(file: Dataset) -> None:
    alone = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
    assert [p.code for p in FingerprintMatch().problems(alone)] == ["no-unit"]
    assert len(FingerprintMatch.fitting(Case(file, file))) == 1


def test_no_person_is_told(file: Dataset) -> None:
    run = Run(key=KEY)
    marked = households(30, sex=lambda sex: [f"MARKER-{i}" for i in range(len(sex))])
    told = FingerprintMatch(targets=20).measure(Case(marked, marked), run)
    assert "MARKER" not in told.model_dump_json() + repr(run.notes)
