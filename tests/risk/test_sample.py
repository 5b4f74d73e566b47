"""A file as a sample of a population."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk._sample import SampledFile, SampledMeasure

SCHEMA = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
WEIGHTED = Schema(columns=[*SCHEMA.columns, Column(name="w", role="weight", scale="continuous")])


class Plain(SampledMeasure):
    """The smallest measure of its kind."""

    def measure(self, case: Case, run: Run) -> Finding:
        """Nothing."""
        raise NotImplementedError


def data(weights: list[Any] | None = None) -> Dataset:
    if weights is None:
        return Dataset.from_frame(pa.table({"age": [1, 2, 2, 3]}), SCHEMA)
    table = pa.table({"age": list(range(len(weights))), "w": pa.array(weights, pa.float64())})
    return Dataset.from_frame(table, WEIGHTED)


def codes(one: SampledMeasure, schema: Schema) -> list[str]:
    return [problem.code for problem in one.problems(schema)]


def test_size_of_the_population_must_be_told_once() -> None:
    assert codes(Plain(), SCHEMA) == ["no-fraction"]
    assert codes(Plain(), WEIGHTED) == []
    assert codes(Plain(fraction=0.1), SCHEMA) == []
    assert codes(Plain(population=10), SCHEMA) == []
    assert codes(Plain(fraction=0.1, population=10), SCHEMA) == ["two-fractions"]


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.0001, 100.0])
def test_fraction_is_a_share(fraction: float) -> None:
    assert codes(Plain(fraction=fraction), SCHEMA) == ["bad-fraction"]


def test_everything_wrong_is_said_at_once() -> None:
    empty = Schema(columns=[Column(name="age", scale="discrete")])
    assert codes(Plain(fraction=3.0, population=0), empty) == [
        "no-keys",
        "two-fractions",
        "bad-fraction",
        "nobody-there",
    ]


def test_sample_by_fraction_population_and_weights() -> None:
    assert Plain(fraction=0.5).sample(data()) == SampledFile(4, 8.0)
    assert Plain(population=16).sample(data()) == SampledFile(4, 16.0)
    weighted = Plain().sample(data([1.25, 2.5, 4.25]))
    assert weighted == SampledFile(3, 8.0, "w")
    assert weighted.fraction == 3 / 8
    assert Plain(population=30).sample(data([1.25, 2.5, 4.25])) == SampledFile(3, 30.0, "w", 3.75)
    assert Plain(fraction=1.0).sample(data()).fraction == 1.0


def test_weights_that_cannot_be_are_counted_together() -> None:
    with pytest.raises(DataError) as caught:
        Plain().sample(data([1.0, None, 0.0, 0.0, None, 9.5]))
    assert [problem.code for problem in caught.value.problems] == ["missing-weights", "bad-weights"]
    assert [problem.message[0] for problem in caught.value.problems] == ["2", "2"]
    assert "9.5" not in str(caught.value)


def test_negative_weights_are_refused_when_read() -> None:
    with pytest.raises(DataError) as caught:
        data([1.0, -3.0])
    assert [problem.code for problem in caught.value.problems] == ["negative-weight"]


@pytest.mark.parametrize(
    "one, weights", [(Plain(population=3), None), (Plain(), [0.5, 0.5]), (Plain(population=1), [9.0, 9.0])]
)
def test_population_is_not_smaller_than_its_sample(one: SampledMeasure, weights: list[float] | None) -> None:
    with pytest.raises(DataError) as caught:
        one.sample(data(weights))
    assert [problem.code for problem in caught.value.problems] == ["few-persons"]


def test_empty_file_is_its_own_population() -> None:
    assert Plain(population=5).sample(data([])) == SampledFile(0, 5.0, "w")
    assert SampledFile(0, 0.0).fraction == 1.0


def test_sums_of_weights_are_not_said() -> None:
    with pytest.raises(DataError) as caught:
        Plain().sample(data([0.375, 0.25]))
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("few-persons", "w")
    assert "0.6" not in str(caught.value) and "2 records" in problem.message


def test_persons_of_classes_follow_the_parameters() -> None:
    file = data([1.0, 3.0, 6.0])
    classes = file.classes(Plain().request(WEIGHTED, weight="w"))
    for one, persons in (
        (Plain(), [1.0, 3.0, 6.0]),
        (Plain(population=20), [2.0, 6.0, 12.0]),
        (Plain(fraction=1), None),
    ):
        found = one.sample(file).stand_for(classes, "category")
        assert persons is None if found is None else found.tolist() == persons


def test_weights_too_large_to_be_squared_are_weights() -> None:
    file = data([1e8, 1e9])
    assert file.classes(Plain().request(WEIGHTED, weight="w")).weights.tolist() == [1e8, 1e9]


def test_infinite_weights_are_refused() -> None:
    with pytest.raises(DataError) as caught:
        data([1.0, float("inf")])
    assert [problem.code for problem in caught.value.problems] == ["large-weight"]
