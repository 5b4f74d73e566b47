"""Individual risk told from the values of the keys: the default, its weights, and intervals that know other worlds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.population.link_intervals import OFF
from schleier.risk.individual_risk import IndividualRisk

STORED = Path(__file__).parents[2] / "bench" / "population_models.json"
KEYS = [Column(name=name, role="quasi", scale="discrete") for name in "abc"]
WEIGHT = Column(name="w", role="weight", scale="continuous")


def people(rng: np.random.Generator, many: int = 40_000) -> np.ndarray[Any, Any]:
    """Persons with three keys, two of which hang together."""
    first = rng.choice(30, many, p=(w := 1 / np.arange(1, 31)) / w.sum())
    second = (first // 3 + rng.geometric(0.4, many)) % 25
    return np.stack([first, second, rng.choice(60, many, p=(v := 1 / np.arange(2, 62)) / v.sum())], axis=1)


def data(rows: np.ndarray[Any, Any], weights: Any = None) -> Dataset:
    columns: dict[str, Any] = {name: rows[:, place] for place, name in enumerate("abc")}
    if weights is None:
        return Dataset.from_frame(pa.table(columns), Schema(columns=KEYS))
    return Dataset.from_frame(pa.table({**columns, "w": weights}), Schema(columns=[*KEYS, WEIGHT]))


def measured(sample: Dataset, **parameters: Any) -> Finding:
    return IndividualRisk(**parameters).measure(Case(sample, sample), Run(key=bytes(32)))


def truth(rows: np.ndarray[Any, Any], drawn: np.ndarray[Any, Any]) -> float:
    """Mean of 1/F over the records drawn."""
    _, index, persons = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return float((1 / persons[index.ravel()[drawn]]).mean())


def test_the_default_is_the_model_with_the_smallest_error() -> None:
    """Of the models that could be asked about all samples of the study; the intervals use what the study found."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert set(stored["links"]) == set(OFF)
    errors = {m: one["pooled"]["rmse"] for m, one in stored["links"].items() if one["pooled"]["samples"] == 480}
    assert set(OFF) - set(errors) == {"log_linear"}, "it holds all combinations, which were too many"
    assert IndividualRisk().model == stored["best"]["links"] == min(errors, key=lambda model: errors[model])
    assert {model: list(values[:-1]) for model, values in OFF.items()} == stored["off"]["links"]


def test_the_intervals_of_the_study_held() -> None:
    """95 % of the time, as promised, with the sampling error of six cases of 20 samples that hang together."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for model, found in stored["links"].items():
        assert found["pooled"]["coverage"] >= 0.93, model
        assert all(found[part]["coverage"] >= 0.85 for part in found), model


@pytest.mark.parametrize("fraction", [0.02, 0.2])
def test_a_known_population(fraction: float) -> None:
    rng = np.random.default_rng(11)
    rows = people(rng)
    drawn = rng.random(len(rows)) < fraction
    finding, wanted = measured(data(rows[drawn]), fraction=fraction), truth(rows, drawn)
    assert finding.low is not None and finding.high is not None
    assert finding.low < wanted < finding.high < 3 * finding.low
    assert finding.value == pytest.approx(wanted, rel=0.15)
    assert finding.detail["cautions"] == [] and set(finding.detail["fit"]) == {"shift", "slope", "lean", "spread"}
    old = measured(data(rows[drawn]), fraction=fraction, model="negative_binomial")
    assert old.value < 0.8 * wanted and old.low is not None and old.high is not None
    assert old.low < wanted < old.high, "wrong, but it says how wrong it may be"


def test_weights_tell_who_was_drawn_how_often() -> None:
    rng = np.random.default_rng(12)
    rows = people(rng)
    part = np.where(rows[:, 0] % 2, 0.02, 0.3)
    drawn = rng.random(len(rows)) < part
    finding, wanted = measured(data(rows[drawn], 1 / part[drawn])), truth(rows, drawn)
    assert finding.low is not None and finding.high is not None and finding.low < wanted < finding.high
    assert finding.value == pytest.approx(wanted, rel=0.1)
    unweighted = finding.detail["after"]["unweighted"]
    assert unweighted["mean"] == finding.detail["unweighted_share"] != pytest.approx(finding.value, rel=0.1)
    assert 0 < finding.detail["after"]["population_uniques"] < unweighted["records"]


def test_even_weights_change_nothing() -> None:
    rows = people(np.random.default_rng(13), 800)
    finding, bare = measured(data(rows, np.full(800, 20.0))), measured(data(rows), fraction=0.05)
    assert finding.value == pytest.approx(bare.value, rel=1e-9)
    assert finding.low == pytest.approx(bare.low) and finding.high == pytest.approx(bare.high)
    assert finding.detail["after"]["unweighted"]["expected"] == pytest.approx(finding.detail["expected"])


def test_what_is_not_to_be_trusted_is_said() -> None:
    rows = people(np.random.default_rng(14), 800)
    assert measured(data(rows), fraction=0.01).detail["cautions"] == []
    assert measured(data(rows), fraction=0.0005).detail["cautions"] == ["small_fraction"]
    assert measured(data(rows), fraction=0.01, keys=["a"]).detail["cautions"] == ["one_key"]
    assert measured(data(rows[:12]), fraction=0.01).detail["cautions"] == ["few"]
    assert measured(data(rows), fraction=0.01, model="negative_binomial").detail["cautions"] == ["off"]
    assert measured(data(rows), fraction=0.9, model="negative_binomial").detail["cautions"] == []
    assert measured(data(rows), fraction=1.0, keys=["a"]).detail["cautions"] == []


def test_wildcards_are_refused_with_the_way_out() -> None:
    (problem,) = IndividualRisk(fraction=0.1, missing="wildcard").problems(Schema(columns=KEYS))
    assert problem.code == "overlapping-classes" and "margins" in problem.message
    assert '"negative_binomial"' in problem.hint and '"poisson"' in problem.hint


def test_large_classes_have_narrow_intervals() -> None:
    """Whatever the models were off elsewhere: that was about classes with few records."""
    rows = np.random.default_rng(15).integers(0, 2, (4000, 3))
    for model in ("margins", "negative_binomial", "poisson"):
        finding = measured(data(rows), fraction=0.01, model=model)
        assert finding.value == pytest.approx(8 * 0.01 / 4000, rel=0.01)
        assert finding.low is not None and finding.high is not None
        assert finding.high - finding.low < 0.1 * finding.value and finding.detail["cautions"] == []
