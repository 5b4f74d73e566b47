"""Population uniques as a finding: every model, weights, before and after, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.population.models import MODELS, count_population_uniques
from schleier.risk.population_uniques import PopulationUniques

STORED = Path(__file__).parents[2] / "bench" / "population_models.json"
KEYS = [Column(name="a", role="quasi", scale="discrete"), Column(name="b", role="quasi", scale="nominal")]
BARE = Schema(columns=KEYS)
SCHEMA = Schema(columns=[*KEYS, Column(name="w", role="weight", scale="continuous")])
ROWS = 400


def data(weights: Any = None, schema: Schema | None = None, coarse: int = 1) -> Dataset:
    rng = np.random.default_rng(3)
    table = {"a": rng.integers(0, 40, ROWS) // coarse, "b": rng.choice(list("uvwxyz"), ROWS)}
    if weights is not None:
        table["w"] = pa.array(np.full(ROWS, weights) if np.isscalar(weights) else weights, pa.float64())
    return Dataset.from_frame(pa.table(table), schema or (BARE if weights is None else SCHEMA))


def look(sample: Dataset, original: Dataset | None = None, **parameters: Any) -> Finding:
    return PopulationUniques(**parameters).measure(Case(original or sample, sample), Run())


def test_the_default_is_the_model_with_the_smallest_error() -> None:
    """Of all samples of the study, pooled."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    errors = {model: found["pooled"]["rmse"] for model, found in stored["uniques"].items()}
    assert set(errors) == set(MODELS)
    best = min(errors, key=lambda model: errors[model])
    assert PopulationUniques(fraction=0.1).model == stored["best"]["uniques"] == best
    assert all(found["pooled"]["samples"] == 480 for found in stored["uniques"].values())


@pytest.mark.parametrize("model", MODELS)
def test_every_model_beside_the_chosen_one(model: str) -> None:
    sample = data()
    finding = look(sample, fraction=0.05, model=model)
    classes = sample.classes(PopulationUniques().request(BARE))
    assert list(finding.detail["models"]) == list(MODELS)
    for name, told in finding.detail["models"].items():
        wanted = count_population_uniques(classes.codes, classes.sizes, 0.05, name)
        assert told["expected"] == wanted.expected and told["share"] == wanted.expected / ROWS
        assert told["in_population"] == pytest.approx(told["share"] * ROWS / 0.05)
        assert told["given_unique"] == pytest.approx(wanted.expected / finding.detail["unique"])
        assert told["trusted"] == (not wanted.doubts)
    chosen = finding.detail["models"][model]
    assert (finding.value, finding.low, finding.high) == (chosen["share"], chosen["low"], chosen["high"])
    assert finding.detail["cautions"] == chosen["doubts"]
    assert sum(finding.detail["chances"]["records"]) == finding.detail["unique"]


def test_before_and_after() -> None:
    fine, coarse = data(), data(coarse=5)
    finding = look(coarse, fine, fraction=0.05)
    assert finding.detail["before"]["share"] == look(fine, fraction=0.05).value > finding.value
    other = data(schema=Schema(columns=[KEYS[1], Column(name="a", scale="discrete")]))
    lost = Schema(columns=[KEYS[1], Column(name="c", role="quasi", scale="discrete")])
    made = Dataset.from_frame(pa.table({"b": ["x", "y"], "c": [1, 2]}), lost)
    assert look(made, other, keys=["b", "c"], fraction=0.05).detail["before"] is None


def test_weights_tell_the_fraction_and_who_is_rare() -> None:
    even = look(data(20.0))
    assert even.detail["fraction"] == 0.05
    assert even.value == look(data(), fraction=0.05).value
    assert even.detail["weighted_share"] == pytest.approx(even.value)
    assert even.detail["weighted_in_population"] == pytest.approx(even.detail["in_population"])
    uneven = look(data(np.where(np.arange(ROWS) % 2, 1.5, 38.5)))
    assert uneven.detail["fraction"] == 0.05 and uneven.value == even.value
    assert uneven.detail["weighted_share"] != pytest.approx(uneven.value, rel=0.05)
    simple = look(data(np.where(np.arange(ROWS) % 2, 1.5, 38.5)), model="pitman")
    assert 0 < simple.detail["weighted_share"] < 1
    assert "weighted_share" not in look(data(), fraction=0.05).detail
    known = look(data(1.0), population=ROWS * 20)
    assert known.detail["weighted_in_population"] == pytest.approx(known.detail["in_population"])


def test_the_population_is_known() -> None:
    assert look(data(), population=8000).value == look(data(), fraction=0.05).value
    counted = look(data(), fraction=1)
    assert counted.value == counted.detail["unique_share"] and counted.low is None and "counted" in counted.text


def test_what_cannot_be_estimated_is_not_taken_for_safe() -> None:
    schema = Schema(columns=KEYS[:1])
    alone = Dataset.from_frame(pa.table({"a": np.arange(50)}), schema)
    finding = look(alone, fraction=0.1, model="pitman")
    assert finding.value == 1 and finding.detail["cautions"] == ["not_fitted"]
    assert not finding.detail["models"]["pitman"]["trusted"] and "not to be trusted" in finding.text


def test_nobody_alone_and_nobody_at_all() -> None:
    schema = Schema(columns=KEYS[:1])
    for values in (np.repeat(np.arange(5), 3), np.arange(0)):
        finding = look(Dataset.from_frame(pa.table({"a": values}), schema), fraction=0.1)
        assert finding.value == 0 and finding.detail["expected"] == 0


def test_cells_are_those_of_the_poisson_gamma_model() -> None:
    free, known = (look(data(), fraction=0.1, cells=cells).detail["models"] for cells in (None, 240))
    assert free["poisson_gamma"]["share"] != known["poisson_gamma"]["share"]
    assert free["margins"] == known["margins"]


def test_missing_keys_are_a_value_or_left_out() -> None:
    table = data().to_arrow()
    holes = pa.array([None if i % 10 == 0 else v for i, v in enumerate(table.column("b").to_pylist())])
    sample = Dataset.from_frame(pa.table({"a": table.column("a"), "b": holes}), BARE)
    kept, left = look(sample, fraction=0.1), look(sample, fraction=0.1, missing="exclude")
    assert kept.detail["unique"] > left.detail["unique"]


def test_records_are_for_the_audit_only() -> None:
    run, sample = Run(), data()
    with run.within("risk"):
        finding = PopulationUniques(fraction=0.05).measure(Case(sample, sample), run)
    frame = sample.engine.arrays(run.by_record["risk"]())
    each = frame["population_unique"].to_pylist()
    assert len(each) == ROWS and sum(each) == pytest.approx(finding.detail["expected"])
    assert max(len(value) for value in finding.detail.values() if isinstance(value, list)) <= 3


@pytest.mark.parametrize(
    ("weights", "codes"),
    [
        (np.where(np.arange(ROWS) < 3, np.nan, 10.0), {"missing-weights"}),
        (np.where(np.arange(ROWS) < 3, 0.0, 10.0), {"bad-weights"}),
        (np.where(np.arange(ROWS) < 3, -1.0, 10.0), {"negative-weight"}),
        (0.5, {"few-persons"}),
    ],
)
def test_weights_that_cannot_be(weights: Any, codes: set[str]) -> None:
    column = weights if np.isscalar(weights) else [None if np.isnan(w) else w for w in weights]
    with pytest.raises(DataError) as caught:
        look(data(column))
    assert {problem.code for problem in caught.value.problems} == codes


def test_problems_and_refusals() -> None:
    def codes(**parameters: Any) -> list[str]:
        return sorted(problem.code for problem in PopulationUniques(**parameters).problems(BARE))

    assert codes() == ["no-fraction"] and codes(fraction=0.1) == []
    assert codes(fraction=1.1) == ["bad-fraction"] and codes(fraction=0.1, population=9) == ["two-fractions"]
    assert codes(fraction=0.1, keys=["nowhere"]) == ["unknown-column"]
    with pytest.raises(DataError, match="fewer than"):
        look(data(), population=ROWS - 1)
    for wrong in ({"missing": "wildcard"}, {"model": "best"}, {"cells": 0}):
        with pytest.raises(SchleierError):
            PopulationUniques(fraction=0.1, **wrong)
