"""The share of population uniques as a criterion: where the fraction comes from, what decides, failing closed."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.criteria.population_uniqueness import PopulationUniqueness
from schleier.kernels.population_uniques import estimate

SCHEMA = Schema(
    columns=[Column(name="x", role="quasi", scale="discrete"), Column(name="w", role="weight", scale="continuous")]
)
BARE = Schema(columns=[Column(name="x", role="quasi", scale="discrete")])
SIZES = [1] * 60 + [2] * 20 + [5] * 10


def data(sizes: list[int], weight: float | None = 20.0) -> Dataset:
    x = np.repeat(np.arange(len(sizes)), sizes)
    return Dataset.from_frame(pa.table({"x": x, "w": pa.array([weight] * len(x), pa.float64())}), SCHEMA)


@pytest.mark.parametrize("model", ["dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"])
def test_it_reports_the_estimate(model: str) -> None:
    wanted = estimate(np.array([1.0, 2, 5]), np.array([60.0, 20, 10]), 0.25, model)  # type: ignore[arg-type]
    assert wanted.low is not None and wanted.high is not None
    verdict = PopulationUniqueness(threshold=0.5, fraction=0.25, model=model).check(data(SIZES))
    assert verdict.estimate and verdict.records == 150
    assert verdict.level == pytest.approx(wanted.share, abs=1e-8)
    assert (verdict.low, verdict.high) == pytest.approx((wanted.low, wanted.high), abs=1e-8)
    assert verdict.holds == (wanted.share <= 0.5) == (verdict.bad_classes == 0)


def test_weights_tell_the_fraction() -> None:
    one = PopulationUniqueness(threshold=0.2)
    assert one.check(data(SIZES)).level == PopulationUniqueness(threshold=0.2, fraction=0.05).check(data(SIZES)).level
    assert "sampling fraction 0.05," in one.check(data(SIZES)).text


@pytest.mark.parametrize("weight", [0.5, 1.0, None])
def test_weights_that_stand_for_too_few_are_read_strictly(weight: float | None) -> None:
    verdict = PopulationUniqueness(threshold=0.2).check(data(SIZES, weight))
    assert (verdict.level, verdict.estimate, verdict.holds) == (0.4, False, False)


def test_a_full_enumeration_is_counted() -> None:
    verdict = PopulationUniqueness(threshold=0.4, fraction=1).check(data(SIZES))
    assert (verdict.level, verdict.low, verdict.high, verdict.holds) == (0.4, None, None, True)
    assert verdict.text == "40 % of the records are unique in the population; at most 40 % is allowed."


def test_among_uniques() -> None:
    of_all = PopulationUniqueness(threshold=0.2, fraction=0.05, model="poisson_gamma").check(data(SIZES))
    of_uniques = PopulationUniqueness(threshold=0.2, fraction=0.05, model="poisson_gamma", among="uniques")
    verdict = of_uniques.check(data(SIZES))
    assert of_all.level is not None and verdict.level == pytest.approx(of_all.level * 150 / 60)
    assert verdict.bad_classes == 0 and "unique in the file" in verdict.text


def test_the_upper_end_decides_when_asked() -> None:
    relaxed = PopulationUniqueness(threshold=0.035, fraction=0.05, model="poisson_gamma")
    strict = relaxed.model_copy(update={"confident": True})
    verdict = relaxed.check(data(SIZES))
    assert verdict.holds and verdict.high is not None and verdict.high > 0.035
    failed = strict.check(data(SIZES))
    assert not failed.holds and (failed.bad_classes, failed.bad_records) == (60, 60)
    assert relaxed.weaker_than(strict) and not strict.weaker_than(relaxed)


@pytest.mark.parametrize("sizes", [[1] * 40, [1, 3, 3]])
def test_what_cannot_be_estimated_fails(sizes: list[int]) -> None:
    one = PopulationUniqueness(threshold=0.99, fraction=0.3, model="slide_negative_binomial")
    verdict = one.check(data(sizes))
    assert not verdict.holds and verdict.level is None and verdict.bad_classes >= 1
    assert "cannot be estimated" in verdict.text and "no class has two records" in verdict.text


def test_nobody_alone() -> None:
    for among in ("records", "uniques"):
        one = PopulationUniqueness(threshold=0.001, fraction=0.01, among=among, confident=True)
        verdict = one.check(data([2, 3, 4]))
        assert verdict.holds and verdict.level == 0 and not verdict.estimate
        assert verdict.text.startswith("No record is unique in the file")


def test_the_worst_combination_decides_and_an_empty_table_holds() -> None:
    schema = Schema(columns=[Column(name=name, role="quasi", scale="discrete") for name in "ab"])
    table = pa.table({"a": list(range(20)), "b": [1] * 20})
    one = PopulationUniqueness(threshold=0.5, fraction=1, keys=[["b"], ["a"]])
    verdict = one.check(Dataset.from_frame(table, schema))
    assert (verdict.level, verdict.bad_classes) == (1, 20)
    empty = one.check(Dataset.from_frame(table.slice(0, 0), schema))
    assert empty.holds and empty.level is None and empty.text == "The table is empty."


def test_problems_and_refusals() -> None:
    assert [p.code for p in PopulationUniqueness(threshold=0.1).problems(BARE)] == ["no-fraction"]
    assert not list(PopulationUniqueness(threshold=0.1).problems(SCHEMA))
    assert not list(PopulationUniqueness(threshold=0.1, fraction=0.2).problems(BARE))
    for wrong in ({"threshold": 0}, {"fraction": 0}, {"fraction": 1.1}, {"missing": "wildcard"}, {"model": "x"}):
        with pytest.raises(ValidationError):
            PopulationUniqueness(**{"threshold": 0.1, **wrong})
    with pytest.raises(ValidationError, match="threshold"):
        PopulationUniqueness(fraction=0.1)


def test_it_promises_nothing_to_a_search() -> None:
    one = PopulationUniqueness(threshold=0.1, fraction=0.2)
    assert not one.monotone and not one.hereditary
    classes = data(SIZES).classes(one.needs(SCHEMA)[0])
    assert not one.bad(classes).any()


def test_it_is_fast() -> None:
    """30,000 records in thousands of classes; far below the limit of 0.1 s, which a loaded machine may need."""
    rng = np.random.default_rng(1)
    sizes = rng.geometric(0.2, 8_000)
    one = PopulationUniqueness(threshold=0.1, fraction=0.05)
    classes = data(sizes.tolist()).classes(one.needs(SCHEMA)[0])
    one.judge([classes])
    best = min(_timed(lambda: one.judge([classes])) for _ in range(3))
    assert best < 0.5


def _timed(run: object) -> float:
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return time.perf_counter() - start
