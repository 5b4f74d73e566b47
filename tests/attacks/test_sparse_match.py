"""A few items find all: a slow oracle, coarse and missing cells, noise, outsiders, wrong knowledge, and no names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.sparse_match import SparseMatch
from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.linkage.baskets import Basket, Likeness, best_units, weighed

KEY = bytes(range(32))
FILMS = 300


def ratings(units: int = 300, per: int = 20, seed: int = 1, engine: Any = None, first: int = 0) -> Dataset:
    """Invented ratings: some films are seen by many, most by few."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, FILMS + 1)
    n = units * per
    table = pa.table(
        {
            "id": pa.array(np.arange(n) + first),
            "customer": [f"c{i // per + first}" for i in range(n)],
            "film": [f"f{one:03d}" for one in rng.choice(FILMS, n, p=shares / shares.sum())],
            "rating": pa.array(rng.integers(1, 6, n)),
            "day": pa.array(rng.integers(10_000, 12_000, n).astype(np.int32)).cast(pa.date32()),
        }
    )
    columns = [
        Column(name="customer", role="unit", scale="nominal"),
        Column(name="film", role="quasi", scale="nominal", hierarchy="film"),
        Column(name="rating", role="quasi", scale="discrete"),
        Column(name="day", role="quasi", scale="time", hierarchy="day"),
    ]
    hierarchies = {"film": parse({"prefix": [3, 0]}), "day": parse({"dates": ["month", "year"]})}
    return Dataset.from_frame(table, Schema(row_key="id", columns=columns, hierarchies=hierarchies), engine)


def attack(**how: Any) -> SparseMatch:
    usual = {"item": "film", "known": ["rating", "day"], "near": {"rating": 1.5, "day": 30}, "items": 6}
    return SparseMatch(**{**usual, "targets": 200, **how})


@pytest.fixture(scope="module")
def file() -> Dataset:
    return ratings()


def tried(case: Case, **how: Any) -> Finding:
    return attack(**how).measure(case, Run(key=KEY))


def test_a_few_ratings_known_roughly_find_the_rest(file: Dataset) -> None:
    told = tried(Case(file, file, control=ratings(100, seed=9, engine=file.engine, first=10**6)), off={"day": 14})
    assert told.value > 0.95 and told.detail["false_share"] < 0.03
    assert told.detail["records"] == 300 and told.detail["baseline"] == pytest.approx(1 / 300)
    assert told.detail["control_targets"] == 100 and told.detail["control_claims"] < 0.6


def test_scales_are_found_where_none_is_named(file: Dataset) -> None:
    assert tried(Case(file, file), near={}).value > 0.9


def test_wrong_knowledge_is_borne(file: Dataset) -> None:
    told = tried(Case(file, file), items=8, wrong=2, off={"rating": 1, "day": 14})
    assert told.value > 0.9 and told.detail["false_share"] < 0.05
    assert tried(Case(file, file), items=2, wrong=1, off={"day": 700}).value < 0.3


def test_a_release_about_something_else_is_no_better_than_guessing(file: Dataset) -> None:
    """The same customers, but items, ratings and days are drawn anew."""
    noise = ratings(seed=77, engine=file.engine)
    told = tried(Case(file, noise), eccentricity=0, targets="all")
    assert told.detail["contained"] == 300
    assert told.detail["correct"] <= 9  # one is expected by chance; 10 or more: 1e-7


@pytest.mark.parametrize(
    ("steps", "least"),
    [
        ([("recode", {"column": "day", "level": 1})], 0.95),
        ([("recode", {"column": "film", "level": 1}), ("recode", {"column": "day", "level": 1})], 0.15),
        ([("suppress_rare", {"columns": ["film"], "min_count": 12})], 0.8),
    ],
)
def test_coarse_and_missing_cells(file: Dataset, steps: Any, least: float) -> None:
    from schleier.core.registry import get

    released, run = file, Run(key=KEY)
    for word, how in steps:
        released = get("method", word)(**how).apply(released, run)
    told = tried(Case(file, released))
    assert told.value > least and told.detail["false_share"] < 0.1


def test_noisy_cells(file: Dataset) -> None:
    import narwhals as nw

    noisy = file.mutate(rating=nw.col("rating").cast(nw.Float64) + (nw.col("id") % 7).cast(nw.Float64) / 7 - 0.4)
    assert tried(Case(file, noisy)).value > 0.9


def test_a_new_number_for_each_record_leaves_single_records(file: Dataset) -> None:
    """A unit that is a target's is right, however small; blind guessing has as many chances as there are of them."""
    import narwhals as nw

    cut = file.mutate(customer=nw.concat_str(nw.lit("r"), nw.col("id").cast(nw.String)))
    told = tried(Case(file, cut)).detail
    assert told["records"] == 6_000 and told["contained"] == 200
    assert told["baseline"] == pytest.approx(20 / 6_000)


def test_nothing_is_left_of_items_that_may_be_anything(file: Dataset) -> None:
    from schleier.core.registry import get

    gone = get("method", "recode")(column="film", level=2).apply(file, Run(key=KEY))
    assert tried(Case(file, gone)).detail["claims"] == 0


def test_a_file_of_known_persons(file: Dataset) -> None:
    """Entries of somebody's own file, with links to the records they are about."""
    table = file.engine.arrays(file.frame.select("id", "customer", "film", "rating", "day"))
    part = table.filter(pa.array(np.arange(len(table)) % 3 == 0)).rename_columns(
        ["entry", "customer", "film", "rating", "day"]
    )
    schema = file.schema.model_copy(update={"row_key": "entry"})
    known = Dataset.from_frame(part, schema, file.engine)
    link = pa.table({"id": part["entry"], "entry": part["entry"]})
    pair = Schema(columns=[Column(name=name, scale="text") for name in ("id", "entry")])
    truth = Dataset.from_frame(link, pair, file.engine).frame.select("id", "entry")
    told = tried(Case(file, file, known=known, truth=truth), knowledge="file")
    assert told.value > 0.9


CELLS = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3), st.sampled_from([1.0, 2.0, 5.0])), max_size=12)


@settings(max_examples=100, deadline=None)
@given(CELLS, CELLS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, max_size=8))
def test_scores_equal_the_slow_way(mine: Any, theirs: Any, meets: Any) -> None:
    def basket(rows: Any) -> Basket:
        rows = sorted(rows)
        numbers = np.array([[row[2] for row in rows]], dtype=np.float64).reshape(1, len(rows))
        words = np.array([[int(row[2] > 1) for row in rows]], dtype=np.int64).reshape(1, len(rows))
        first = np.array([row[0] for row in rows], dtype=np.int64)
        return Basket(first, np.array([row[1] for row in rows], dtype=np.int64), numbers, numbers, words)

    item, cell = (np.array([pair[i] for pair in meets], dtype=np.int64) for i in range(2))
    pairs = weighed(item, cell, np.array([1, 1, 2, 3]), np.array([1, 2, 3, 9]))
    weights = {(int(i), int(c)): w for i, c, w in zip(pairs.item, pairs.cell, pairs.weight, strict=True)}
    like = Likeness(np.array([1.5]), [np.eye(2, dtype=np.bool_)])
    found = best_units(basket(mine), basket(theirs), pairs, like, 4, 4)
    for target in range(4):
        scores = []
        for unit in range(4):
            total = 0.0
            for _, wanted, number in (row for row in mine if row[0] == target):
                fits = [
                    weights[wanted, got] * (np.exp(-abs(number - other) / 1.5) + ((number > 1) == (other > 1)))
                    for who, got, other in theirs
                    if who == unit and (wanted, got) in weights
                ]
                total += max(fits, default=0.0)
            scores.append(total)
        best, second = sorted(scores, reverse=True)[:2]
        assert found.best[target] == pytest.approx(best) and found.second[target] == pytest.approx(second)
        assert found.spread[target] == pytest.approx(np.std(scores), abs=1e-7)
        assert best == 0 or scores[found.unit[target]] == pytest.approx(best)


def test_wrong_parameters_are_named(file: Dataset) -> None:
    codes = [p.code for p in attack(near={"film": 1}, off={"price": 1}, items=2, wrong=2).problems(file.schema)]
    assert codes == ["not-a-key", "not-a-key", "all-wrong"]
    alone = Schema(columns=[Column(name="film", role="quasi", scale="nominal")])
    assert [p.code for p in SparseMatch(item="film", known=["film"]).problems(alone)] == ["no-unit"]


def test_it_is_tried_where_persons_have_many_records(file: Dataset) -> None:
    assert [one.item for one in SparseMatch.fitting(Case(file, file))] == ["film"]
    few = ratings(50, per=2)
    assert SparseMatch.fitting(Case(few, few)) == []


def test_no_person_is_told(file: Dataset) -> None:
    run = Run(key=KEY)
    told = attack(targets=20).measure(Case(file, file), run).model_dump_json() + repr(run.notes)
    assert "f00" not in told and "c1" not in told
