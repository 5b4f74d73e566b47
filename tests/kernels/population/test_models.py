"""All models side by side: intervals that hold, and doubts that are said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from schleier.kernels.population.models import (
    MODELS,
    Model,
    UniqueCount,
    chances_by_class,
    count_by_models,
    count_population_uniques,
    highest,
)
from schleier.kernels.population.unique_intervals import learned
from schleier.kernels.population.uniques import estimate, frequencies

SIZES = np.array([1] * 60 + [2] * 20 + [5] * 10)
CODES = np.stack([np.arange(90) % 9, np.arange(90) % 13], axis=1).astype(np.int32)


@pytest.mark.parametrize("model", MODELS)
def test_the_interval_is_the_one_learned(model: Model) -> None:
    found = count_population_uniques(CODES, SIZES, 0.01, model)
    assert found.low <= found.expected <= found.high
    assert (found.low, found.high) == learned(model).interval(found.expected, 60, 0.01)
    assert ("off" in found.doubts) == (learned(model).off_by(0.01) > math.log(2))


def test_the_higher_one_is_taken_where_models_contradict_each_other() -> None:
    def said(model: Model, expected: float, low: float, high: float) -> UniqueCount:
        return UniqueCount(model, expected, low, high, ("few",), used=model)

    near, far = said("pitman", 30, 20, 50), said("zayatz", 90, 41, 99)
    failed = UniqueCount("dankar", math.nan, 0.0, 100.0, ("not_fitted",))
    low = said("margins", 10, 5, 20)
    assert highest({"margins": low, "pitman": near, "dankar": failed}, "margins") is low, "they meet at 20"
    taken = highest({"margins": low, "pitman": near, "zayatz": far}, "margins")
    assert (taken.model, taken.used, taken.expected, taken.high) == ("margins", "zayatz", 90, 99)
    assert taken.doubts == ("few", "disagree")
    assert highest({"margins": low, "zayatz": far}, "zayatz") is far, "a lower one does not count"


def test_two_values_that_fill_a_table_evenly_are_a_contradiction() -> None:
    """Classes that are all alike by their values, yet many are alone: the sizes say more than the values allow."""
    rng = np.random.default_rng(2)
    sizes = np.where(rng.random(900) < 0.4, 1, 40)
    codes = np.stack([np.arange(900) % 30, np.arange(900) // 30], axis=1).astype(np.int32)
    found = count_by_models(codes, sizes, 0.3)
    above = [one for one in found.values() if one.low > found["margins"].high]
    taken = highest(found, "margins")
    assert ("disagree" in taken.doubts) == bool(above) and taken.high >= found["margins"].high


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
    assert "small_fraction" in count_population_uniques(CODES, SIZES, 0.0001, "margins").doubts
    assert count_population_uniques(CODES, SIZES, 0.7, "margins").doubts == ("large_fraction",)
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
