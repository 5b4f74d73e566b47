"""Linkability: joined by way of the release, at chance where nothing tells, false pairs counted, outsiders apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.linkability import OTHER, Linkability
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.trust.trustee import TARGET
from schleier.kernels.linkage.halves import Links, chance, nearest_drawn
from schleier.kernels.linkage.penalties import Words
from schleier.testing import example_schema, example_table

KEY = bytes(range(32))
HOW: dict[str, Any] = {"known": ["age", "sex", "region"], "linked": ["born", "income"], "targets": "all"}
PEOPLE = example_table(1800)


@pytest.fixture(scope="module")
def thirds() -> tuple[Dataset, Dataset, Dataset]:
    first = Dataset.from_frame(PEOPLE.slice(0, 600), example_schema())
    rest = [Dataset.from_frame(PEOPLE.slice(at, 600), example_schema(), first.engine) for at in (600, 1200)]
    return first, rest[0], rest[1]


def tried(case: Case, **how: Any) -> Finding:
    return Linkability(**{**HOW, **how}).measure(case, Run(key=KEY))


Thirds = tuple[Dataset, Dataset, Dataset]


def test_the_open_file_joins_those_with_different_keys(thirds: Thirds) -> None:
    inside, outside, _ = thirds
    told = tried(Case(inside, inside, control=outside))
    keys = [tuple(row.values()) for row in PEOPLE.slice(0, 600).select(["age", "sex", "region"]).to_pylist()]
    alone = sum(keys.count(key) == 1 for key in keys) / 600
    assert told.value >= alone - 0.01  # they are joined for certain, some of the others by luck
    assert told.detail["control_claims"] < 0.02 and told.detail["control_targets"] == 600


def test_a_release_of_other_people_joins_nobody_more_than_outsiders(thirds: Thirds) -> None:
    inside, outside, others = thirds
    told = tried(Case(inside, others, control=outside), nearest=20)
    spread = 4 * np.sqrt(2 * 0.25 / 600)
    assert abs(told.value - told.detail["control_claims"]) < spread
    assert told.detail["false_share"] > 0.9


def test_cells_that_stand_for_several_values(thirds: Thirds) -> None:
    from schleier.core.registry import get

    inside, _, _ = thirds
    step = get("method", "mondrian")(criteria=[{"criterion": "k_anonymity", "k": 2}])
    coarse = step.apply(inside, Run(key=KEY))
    told = tried(Case(inside, coarse))
    assert 0.2 < told.value < 0.9  # one of two or three


def test_records_near_to_everybody_join_nobody() -> None:
    """All records are alike: which one is taken is drawn for each file, or else everybody would be joined."""
    alike = Words(np.zeros(800, dtype=np.int64), np.zeros(50, dtype=np.int64), np.zeros((1, 1)))
    links = Links(
        nearest_drawn([alike], 1, np.random.default_rng(1)), nearest_drawn([alike], 1, np.random.default_rng(2)), 50
    )
    assert links.correct <= 200  # of 800 by chance 16, in at most a quarter of the orders


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 5), st.integers(0, 10**6))
def test_links_equal_the_slow_way(many: int, targets: int, records: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (np.array([rng.permutation(9)[:many] % records for _ in range(targets)]) for _ in range(2))
    if seed % 3 == 0:
        first[0, -1] = -1
    near = [[{int(r) for r in row} - {-1} for row in part] for part in (first, second)]
    pairs = {(i, j) for i in range(targets) for j in range(targets) if near[0][i] & near[1][j]}
    links = Links(first, second, records)
    assert set(zip(*(part.tolist() for part in links.pairs()), strict=True)) == pairs
    right = sum(i == j for i, j in pairs)
    assert (links.correct, links.claimed) == (right, len({i for i, _ in pairs}))
    assert links.false_share == pytest.approx(1 - right / len(pairs) if pairs else 0.0)


def test_chance_is_that_of_two_draws() -> None:
    rng = np.random.default_rng(3)
    hits = [len({*rng.permutation(40)[:4]} & {*rng.permutation(40)[:4]}) > 0 for _ in range(4000)]
    assert abs(np.mean(hits) - chance(40, 4)) < 4 * np.sqrt(0.25 / 4000)


def test_claims_are_pairs_of_entries(thirds: Thirds) -> None:
    inside, _, _ = thirds
    attack = Linkability(**{**HOW, "targets": 50})
    trustee = attack.trustee(Case(inside, inside), Run(key=KEY))
    pairs = inside.engine.arrays(
        attack.claim(trustee.released, trustee.known, (*HOW["known"], *HOW["linked"]), Run(key=KEY))
    )
    same = sum(row[TARGET] == row[OTHER] for row in pairs.to_pylist())
    assert same / 50 == Linkability(**{**HOW, "targets": 50}).measure(Case(inside, inside), Run(key=KEY)).value


def test_wrong_parameters_are_named() -> None:
    schema = example_schema()
    codes = [p.code for p in Linkability(known=["age"], linked=["age", "income"]).problems(schema)]
    assert codes == ["both-files"]
    assert [p.code for p in Linkability(linked=["incom"]).problems(schema)] == ["unknown-column"]


def test_no_person_is_told() -> None:
    table = PEOPLE.slice(0, 60).set_column(
        PEOPLE.column_names.index("region"), "region", pa.array([f"MARKER-{i}" for i in range(60)])
    )
    data, run = Dataset.from_frame(table, example_schema()), Run(key=KEY)
    assert "MARKER" not in Linkability(**HOW).measure(Case(data, data), run).model_dump_json() + repr(run.notes)
