"""What holds for every kind of hierarchy."""

from __future__ import annotations

import datetime as dt
import doctest
import importlib
import pkgutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
import tomli_w

import schleier.core.hierarchy as package
from core.hierarchy.reducing import nested, same_after_reduce
from schleier.core.hierarchy import Hierarchy, kinds, parse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NUMBERS = pa.array([-7.5, -0.0, 0.1, 3.0, 19.99, 20.0, 1e6, float("nan"), float("inf"), -float("inf")])
DAYS = pa.array([dt.datetime(1969, 12, 31, 23, 59), dt.datetime(2020, 1, 1), dt.datetime(2024, 12, 30, 5)])
CODES = pa.array(["53117", "53121", "1", "", "äöüß€", "👩🏽‍🚀x"])
ADDRESSES = pa.array(["203.0.113.7", "203.0.64.1", "2001:db8::1", "::1", "none"])
BREAKS = [[-1.5, 0.0, 20], [0.0]]
EXAMPLES: list[tuple[dict[str, object], pa.Array]] = [
    ({"intervals": [5, 10, 20]}, NUMBERS),
    ({"intervals": [0.1, 0.3], "origin": 0.05, "outside": "root"}, NUMBERS),
    ({"prefix": [4, 3, 1, 0]}, CODES),
    ({"prefix": [2]}, CODES),
    ({"rows": [["53117", "Bonn", "*"], ["53121", "Bonn", "*"], ["1", "Kiel", "*"]]}, CODES),
    ({"tree": {"West": {"Bonn": ["53117", "53121"]}, "North": ["1"]}}, CODES),
    ({"network": [64, 24, 18]}, ADDRESSES),
    ({"dates": ["day", "month", "quarter", "half", "year", "decade"]}, DAYS),
    ({"dates": ["day", "week"]}, DAYS),
    ({"balanced": [4, 2], "breaks": BREAKS}, NUMBERS),
]
every_kind = pytest.mark.parametrize(("recipe", "values"), EXAMPLES, ids=[next(iter(r)) for r, _ in EXAMPLES])


def test_every_kind_has_an_example() -> None:
    assert {type(parse(recipe)) for recipe, _ in EXAMPLES} == set(kinds().values())


@every_kind
def test_is_sound_and_survives_toml(recipe: dict[str, object], values: pa.Array) -> None:
    hierarchy = parse(recipe)
    assert list(hierarchy.problems("here")) == []
    assert hierarchy.to_toml() == recipe
    again = parse(tomllib.loads(tomli_w.dumps(hierarchy.to_toml())))
    assert again == hierarchy
    assert type(hierarchy).model_validate_json(hierarchy.model_dump_json()) == hierarchy


@every_kind
def test_levels_nest_and_reducing_changes_nothing(recipe: dict[str, object], values: pa.Array) -> None:
    nested(parse(recipe), values)
    same_after_reduce(parse(recipe), values)


@every_kind
def test_labels_are_null_exactly_where_not_covered(recipe: dict[str, object], values: pa.Array) -> None:
    hierarchy = parse(recipe)
    covered = hierarchy.covers(values)
    assert covered.dtype == np.bool_ and covered.any()
    for level in range(1, hierarchy.depth + 1):
        labels = hierarchy.labels(values, level)
        assert labels.type == pa.string()
        assert labels.is_valid().to_pylist() == covered.tolist()


@every_kind
@pytest.mark.parametrize("strange", [pa.array([b"x"]), pa.array([[1]]), pa.nulls(0), pa.array([dt.time(3)])])
def test_strange_types_are_not_covered(recipe: dict[str, object], values: pa.Array, strange: pa.Array) -> None:
    hierarchy = parse(recipe)
    assert not hierarchy.covers(strange).any()
    for level in range(1, hierarchy.depth + 1):
        assert hierarchy.labels(strange, level).to_pylist() == [None] * len(strange)


@every_kind
def test_dictionary_encoding_makes_no_difference(recipe: dict[str, object], values: pa.Array) -> None:
    hierarchy = parse(recipe)
    assert hierarchy.labels(values.dictionary_encode(), 1) == hierarchy.labels(values, 1)
    assert hierarchy.groups(values.dictionary_encode(), 0).tolist() == hierarchy.groups(values, 0).tolist()


@every_kind
@pytest.mark.spark
def test_spark_reduces_alike(recipe: dict[str, object], values: pa.Array, spark: SparkSession) -> None:
    def in_spark(table: pa.Table) -> nw.LazyFrame[Any]:
        frame: nw.LazyFrame[Any] = nw.from_native(spark.createDataFrame(table))
        return frame

    same_after_reduce(parse(recipe), values, in_spark)


@every_kind
def test_levels_that_do_not_exist_are_refused(recipe: dict[str, object], values: pa.Array) -> None:
    hierarchy = parse(recipe)
    for level in (0, -1, hierarchy.depth + 1):
        with pytest.raises(ValueError, match="is not between 1 and"):
            hierarchy.labels(values, level)


@every_kind
def test_fitting_and_locating_leave_complete_hierarchies_alone(
    recipe: dict[str, object], values: pa.Array, tmp_path: Path
) -> None:
    hierarchy: Hierarchy = parse(recipe)
    assert hierarchy.located(tmp_path) is hierarchy
    assert hierarchy.fit(values, np.ones(len(values), dtype=np.int64)) is hierarchy


def test_groups_are_ranks_of_labels_whatever_the_order_of_values() -> None:
    hierarchy = parse({"rows": [["a", "z", "*"], ["b", "y", "*"], ["c", "z", "*"]]})
    assert hierarchy.groups(pa.array(["a", "b", "c", "unknown"]), 1).tolist() == [1, 0, 1, -1]
    assert hierarchy.groups(pa.array(["b", "a"]), 1).tolist() == [0, 1]
    assert hierarchy.groups(pa.array(["c", "a", "b"]), 0).tolist() == [2, 0, 1]
    assert hierarchy.groups(pa.array([], pa.string()), 1).tolist() == []
    assert hierarchy.groups(pa.array(["a"]), 1).dtype == np.int32


@pytest.mark.parametrize("name", [entry.name for entry in pkgutil.iter_modules(package.__path__)])
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"{package.__name__}.{name}")).failed == 0
