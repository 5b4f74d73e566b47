"""All models side by side: intervals that hold, and doubts that are said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.population.models import (
    FRACTIONS,
    MODELS,
    OFF,
    Model,
    UniqueCount,
    chances_by_class,
    count_population_uniques,
    interval,
)
from schleier.kernels.population.uniques import estimate, frequencies

SIZES = np.array([1] * 60 + [2] * 20 + [5] * 10)
CODES = np.stack([np.arange(90) % 9, np.arange(90) % 13], axis=1).astype(np.int32)


@given(st.floats(0, 1), st.integers(1, 10**6), st.floats(0, 6))
def test_an_interval_holds_its_estimate_and_what_is_possible(part: float, of: int, spread: float) -> None:
    low, high = interval(part * of, of, spread)
    assert 0 <= low <= part * of <= high <= of


def test_the_interval_holds_chance() -> None:
    """Who is unique is drawn with the chances of the model: 95 %, less at most four standard errors of 500 draws."""
    rng = np.random.default_rng(1)
    for of, chance in ((50, 0.05), (400, 0.3), (30, 0.95)):
        low, high = interval(of * chance, of, 0.0)
        drawn = rng.binomial(of, chance, 500)
        assert ((low <= drawn) & (drawn <= high)).mean() > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 500)
        assert high - low < 6 * math.sqrt(of * chance * (1 - chance)) + 3


@pytest.mark.parametrize("model", MODELS)
def test_wider_where_the_model_has_been_wrong(model: Model) -> None:
    found = count_population_uniques(CODES, SIZES, 0.01, model)
    assert found.low <= found.expected <= found.high
    sampled = interval(found.expected, 60, 0.0)
    assert found.high - found.low > sampled[1] - sampled[0]
    assert ("off" in found.doubts) == (OFF[model][1] > math.log(2))


@pytest.mark.parametrize("model", [model for model in MODELS if model != "margins"])
def test_models_of_sizes_are_the_known_ones(model: Model) -> None:
    wanted = estimate(*frequencies(SIZES), 0.2, model)  # type: ignore[arg-type]
    found = count_population_uniques(CODES, SIZES, 0.2, model)
    assert found.expected == pytest.approx(wanted.share * 150) and found.used == wanted.model


@pytest.mark.parametrize("model", MODELS)
def test_counted_where_nothing_is_to_be_estimated(model: Model) -> None:
    everything = count_population_uniques(CODES, SIZES, 1.0, model)
    assert (everything.expected, everything.low, everything.high, everything.doubts) == (60, 60, 60, ())
    nobody = count_population_uniques(CODES, SIZES + 1, 0.1, model)
    assert (nobody.expected, nobody.high) == (0, 0)
    empty = count_population_uniques(CODES[:0], SIZES[:0], 0.1, model)
    assert empty.expected == 0


def test_doubts() -> None:
    assert count_population_uniques(CODES, SIZES, 0.05, "margins").doubts == ()
    assert count_population_uniques(CODES[:, :1], SIZES, 0.05, "margins").doubts == ("one_key",)
    assert count_population_uniques(CODES, SIZES, 0.0001, "margins").doubts == ("small_fraction",)
    few = np.array([1] * 19 + [2] * 71)
    assert count_population_uniques(CODES, few, 0.05, "margins").doubts == ("few",)
    failed = count_population_uniques(CODES[:60], SIZES[:60], 0.05, "pitman")
    assert math.isnan(failed.expected) and (failed.low, failed.high) == (0, 60) and failed.doubts == ("not_fitted",)


def test_each_class_by_itself() -> None:
    found = count_population_uniques(CODES, SIZES, 0.05, "margins")
    each = chances_by_class(found, SIZES)
    assert each.sum() == pytest.approx(found.expected) and not each[SIZES > 1].any()
    assert len(np.unique(each[SIZES == 1])) > 10, "classes differ"
    same = chances_by_class(found, SIZES, 20.0 * SIZES)
    assert same == pytest.approx(each)
    heavy = chances_by_class(found, SIZES, 200.0 * SIZES)
    assert (heavy[:60] < each[:60]).all(), "who stands for many has many who look alike"
    assert (chances_by_class(found, SIZES, np.full(90, 0.5))[:60] == 1).all()
    assert chances_by_class(UniqueCount("pitman", float("nan"), 0, 60), SIZES).sum() == 60, (
        "what is not known is not safe"
    )


def test_every_model_has_a_number_for_every_fraction() -> None:
    assert set(OFF) == set(MODELS)
    for values in OFF.values():
        assert len(values) == len(FRACTIONS) and values[-1] == 0
