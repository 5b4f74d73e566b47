"""Learnt matches: made-up persons, vectors of pairs, and what is found with mistakes, sets of values and noise."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks._simulated import commons_of, simulated, vectors
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.learned_match import LearnedMatch
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.sides import Numbers, Sides, Words

KEY = bytes(range(32))
WIDTHS = {"sex": 2, "job": 30, "town": 40, "school": 6, "age": 70, "kids": 5}
COUNTED = ("age", "kids")


def sides(
    known: list[int], cells: list[int], meets: Any, ages: list[float], low: list[float], high: list[float]
) -> Sides:
    columns = {
        "job": Words(np.array(known, dtype=np.int32), np.array(cells, dtype=np.int32), np.array(meets, dtype=np.bool_)),
        "age": Numbers(np.array(ages), np.array(ages), np.array(low), np.array(high)),
    }
    return Sides(columns, pa.array(range(len(known))), pa.array(range(len(cells))))


SMALL = sides(
    [0, 1, -1],
    [0, 1, 2, -1],
    [[1, 0, 1], [0, 1, 1], [1, 1, 1], [1, 1, 1]],  # the third cell is both values, the last row a gap
    [30.0, 40.0, 50.0],
    [30.0, 40.0, 20.0, -np.inf],
    [30.0, 40.0, 49.0, np.inf],
)


def test_made_up_persons_without_errors_fit_their_records() -> None:
    tiny = dict.fromkeys(SMALL.columns, 1e-12)
    for seed in range(20):
        made, own = simulated(SMALL, tiny, 4, np.random.default_rng(seed))
        assert own.tolist() == [0, 1, 2, 3]
        job, age = made.columns["job"], made.columns["age"]
        assert isinstance(job, Words) and isinstance(age, Numbers)
        assert job.meets[job.cells[own], job.known].all()
        assert ((age.low[own] <= age.upto) & (age.known <= age.high[own])).all()
        assert np.isfinite(age.known[3])  # what the release does not tell he knows nevertheless


def test_errors_come_as_often_as_expected() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 50, 4000)
    ages = rng.integers(0, 90, 4000).astype(np.float64)
    many = sides(codes.tolist(), codes.tolist(), np.eye(51), ages.tolist(), ages.tolist(), ages.tolist())
    made, own = simulated(many, {"job": 0.3, "age": 0.1}, 4000, rng)
    assert np.mean(made.columns["job"].known != codes[own]) == pytest.approx(0.3 * 49 / 50, abs=0.04)
    off = np.abs(made.columns["age"].known - ages[own])
    assert np.mean(off > 0) == pytest.approx(0.1, abs=0.03)
    assert 0.3 < np.mean(off[off > 0] <= 26 * 0.3) < 0.8  # half are slips of some years, the others any age


def test_vectors_tell_what_agrees_how_rare_it_is_and_who_else_is_there() -> None:
    commons = commons_of(SMALL)
    target, record = np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)
    found = vectors(SMALL, commons, {}, target, record)
    job, rare, age = found[:, 0].reshape(3, 4), found[:, 1].reshape(3, 4), found[:, 2].reshape(3, 4)
    assert job[0, :3].tolist() == [0, 1, 0] and np.isnan(job[0, 3]) and np.isnan(job[2]).all()
    assert rare[0, 0] > rare[0, 2] >= 0 > rare[0, 1]  # one value tells more than both
    assert age[0, 0] == age[0, 2] == 0 < age[0, 1] and np.isnan(age[0, 3])
    margin = found[:, 5].reshape(3, 4)
    assert margin[0, 0] > 0 and (margin[0, 1:] < 0).all()


def test_equal_records_have_equal_vectors() -> None:
    twice = sides([0, 1], [0, 0, 1], np.eye(3), [30.0, 40.0], [30.0, 30.0, 40.0], [30.0, 30.0, 40.0])
    found = vectors(twice, commons_of(twice), {}, np.array([0, 0, 0]), np.array([0, 1, 2]))
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
    assert found[0, 5] == 0 and found[0, 6] == 2  # no better than the other one; two are the best


def world(mistakes: float, rows: int = 800, targets: int = 200, seed: int = 3, *, strangers: bool = False) -> Case:
    """A file, what somebody knows of some of the same persons with mistakes (or of others), and who is who."""
    rng = np.random.default_rng(seed)
    true = {name: rng.integers(0, width, rows) for name, width in WIDTHS.items()}
    who = rng.permutation(rows)[:targets]
    share = 1.0 if strangers else mistakes
    said = {
        n: np.where(rng.random(targets) < share, rng.integers(0, WIDTHS[n], targets), v[who]) for n, v in true.items()
    }
    columns = [Column(name=n, role="quasi", scale="discrete" if n in COUNTED else "nominal") for n in WIDTHS]

    def texts(values: Any) -> dict[str, Any]:
        return {n: v if n in COUNTED else [f"{n}{one}" for one in v] for n, v in values.items()}

    ids, entries = [f"i{i}" for i in range(rows)], [f"e{i}" for i in range(targets)]
    file = Dataset.from_frame(pa.table({"id": ids, **texts(true)}), Schema(row_key="id", columns=columns))
    known = Dataset.from_frame(
        pa.table({"entry": entries, **texts(said)}), Schema(row_key="entry", columns=columns), file.engine
    )
    pair = Schema(columns=[Column(name=name, scale="text") for name in ("id", "entry")])
    link = Dataset.from_frame(pa.table({"id": [ids[i] for i in who], "entry": entries}), pair, file.engine)
    return Case(file, file, known=known, truth=link.frame.select("id", "entry"))


def test_with_as_many_claims_it_finds_as_many_as_the_nearest_record() -> None:
    case = world(0.12)
    near = DistanceMatch(targets="all", knowledge="file", metric="hamming").measure(case, Run(key=KEY)).detail
    found = LearnedMatch(targets="all", knowledge="file", threshold=0.02).measure(case, Run(key=KEY)).detail
    assert found["claims"] <= near["claims"] + 10
    assert found["correct"] >= 0.95 * near["correct"] > 100


@pytest.mark.parametrize("rule", ["best", "greedy", "mutual", "assignment"])
def test_it_is_seldom_wrong_where_it_is_sure(rule: Any) -> None:
    found = LearnedMatch(targets="all", knowledge="file", rule=rule).measure(world(0.12), Run(key=KEY)).detail
    assert found["correct"] > 0.75 * 200
    assert found["false_share"] <= 0.05


def test_noise_is_no_better_than_guessing() -> None:
    found = LearnedMatch(targets="all", knowledge="file", threshold=0.05)
    assert found.measure(world(0.0, strangers=True), Run(key=KEY)).detail["correct"] <= 4  # 0.25 expected; 5: 1e-5


def test_everybody_who_is_alone_is_found_in_the_open_file() -> None:
    case = world(0.0)
    found = LearnedMatch(targets="all", knowledge="file").measure(case, Run(key=KEY)).detail
    assert found["correct"] >= 0.99 * 200


def test_too_few_records_to_learn_from_claim_nothing() -> None:
    columns = [Column(name="sex", role="quasi", scale="nominal")]
    file = Dataset.from_frame(pa.table({"sex": ["f", "m", "f"]}), Schema(columns=columns))
    found = LearnedMatch(targets="all").measure(Case(file, file), Run(key=KEY)).detail
    assert found["claims"] == 0


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(SchleierError, match=r"schleier\[ml\]"):
        LearnedMatch(targets="all", knowledge="file").measure(world(0.1), Run(key=KEY))


def test_errors_are_for_known_columns() -> None:
    schema = Schema(columns=[Column(name="sex", role="quasi", scale="nominal")])
    assert [one.where for one in LearnedMatch(errors={"age": 0.1}).problems(schema)] == ["errors"]


@pytest.mark.parametrize("wrong", [{"threshold": 1}, {"errors": {"a": 0}}, {"candidates": 1}, {"simulated": 3}])
def test_bad_parameters(wrong: Any) -> None:
    with pytest.raises((SchleierError, ValueError)):
        LearnedMatch(**wrong)
