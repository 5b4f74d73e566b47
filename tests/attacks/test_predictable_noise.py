"""Predictable noise: generators as their makers run them, seeds that fall and keyed draws that do not."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks.predictable_noise import PredictableNoise
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.inference.generators import GENERATORS, Generator, Law, first_draws

KEY = bytes(range(32))
SEEDS = np.array([0, 1, 42, 10**6, 2**31 - 1])
AGES = np.random.default_rng(9).integers(18, 90, 200)


def people(ages: Any, scale: Any = "continuous", decimals: int | None = None, engine: Any = None) -> Dataset:
    column = Column(name="age", role="sensitive", scale=scale, decimals=decimals)
    table = pa.table({"id": pa.array(range(len(ages)), pa.int64()), "age": ages})
    return Dataset.from_frame(table, Schema(row_key="id", columns=[column]), engine)


def tried(shown: Any, decimals: int | None = None, **how: Any) -> Finding:
    before = people(AGES, "discrete")
    attack = PredictableNoise(**{"sensitive": "age", "scale": 2.0, "grid": 1, "seeds": 2000, "within": 1e-6, **how})
    return attack.measure(Case(before, people(shown, decimals=decimals, engine=before.engine)), Run(key=KEY))


@pytest.mark.parametrize("law", ["normal", "uniform"])
def test_numbers_are_those_of_the_generators(law: Law) -> None:
    normal = law == "normal"
    old = [np.random.RandomState(int(s)) for s in SEEDS]
    numpy = [one.standard_normal(700) if normal else one.uniform(-1, 1, 700) for one in old]
    assert np.array_equal(first_draws("numpy", law, SEEDS, 700), np.array(numpy))
    plain = [random.Random(int(s)) for s in SEEDS]
    python = [[one.gauss(0, 1) if normal else one.uniform(-1, 1) for _ in range(701)] for one in plain]
    assert np.allclose(first_draws("python", law, SEEDS, 701), np.array(python), rtol=0, atol=1e-14)
    new = [np.random.default_rng(int(s)) for s in SEEDS]
    pcg = [one.standard_normal(900) if normal else one.uniform(-1, 1, 900) for one in new]
    assert np.allclose(first_draws("numpy_new", law, SEEDS, 900), np.array(pcg), rtol=0, atol=1e-13)


def test_numbers_are_those_of_r() -> None:
    """What R prints for set.seed(42); rnorm(5), for seed 123, and for runif(3)."""
    told = first_draws("r", "normal", np.array([42, 123]), 5).round(8).tolist()
    assert told[0] == [1.37095845, -0.56469817, 0.36312841, 0.63286260, 0.40426832]
    assert told[1] == [-0.56047565, -0.23017749, 1.55870831, 0.07050839, 0.12928774]
    assert (first_draws("r", "uniform", np.array([42]), 3) / 2 + 0.5).round(7).tolist() == [
        [0.914806, 0.9370754, 0.2861395]
    ]


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_seed_that_can_be_guessed_gives_everything_away(generator: Generator) -> None:
    noise = 2 * first_draws(generator, "normal", np.array([42]), 200)[0]
    told = tried(AGES + noise, generators=[generator])
    assert (told.value, told.detail["claims"], told.detail["rebuilt"]) == (1.0, 200, True)
    assert told.detail["as_it_stands"] < 0.05


def test_rounded_noise_factors_and_seeds_of_their_own_fall_too() -> None:
    drawn = first_draws("numpy", "normal", np.array([1234]), 200)[0]
    assert tried(np.round(AGES + 2 * drawn, 2), decimals=2).value == 1.0
    even = first_draws("numpy", "uniform", np.array([7]), 200)[0]
    assert tried(AGES * (1 + 0.1 * even), form="factor", law="uniform", scale=0.1).value == 1.0
    own = first_draws("numpy_new", "normal", np.arange(200), 1)[:, 0]
    assert tried(AGES + 2 * own, seeds=1, generators=["numpy_new"]).value == 1.0


def test_the_time_of_the_file_is_tried() -> None:
    noise = 2 * first_draws("numpy", "normal", np.array([1_700_000_123]), 200)[0]
    how: dict[str, Any] = {"seeds": 1, "generators": ["numpy"]}
    assert tried(AGES + noise, **how).detail["claims"] == 0
    assert tried(AGES + noise, around=1_700_000_000, **how).value == 1.0


def test_keyed_draws_do_not_fall() -> None:
    noise = 2 * Run(key=bytes(range(1, 33))).rng("noise").standard_normal(200)
    told = tried(AGES + noise)
    assert (told.detail["claims"], told.detail["rebuilt"]) == (0, False)
    # Rounded to whole years every seed would fit: no proof, so nothing is rebuilt.
    coarse = tried(np.round(AGES + noise), decimals=0)
    assert not coarse.detail["rebuilt"] and coarse.value < 0.4


def test_gaps_say_nothing() -> None:
    noise = 2 * first_draws("numpy", "normal", np.array([42]), 200)[0]
    shown = pa.array(np.where(np.arange(200) % 5 == 0, np.nan, AGES + noise), from_pandas=True)
    told = tried(shown, generators=["numpy"])
    assert (told.detail["claims"], told.value) == (160, 1.0)


def test_it_must_be_clear_what_is_possible() -> None:
    schema = people(AGES).schema
    assert [p.code for p in PredictableNoise(sensitive="age", scale=2.0).problems(schema)] == ["no-steps"]
    assert [p.code for p in PredictableNoise(sensitive="age", scale=2.0, grid=1).problems(schema)] == []
