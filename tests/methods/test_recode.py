"""Recoding by map, breaks and level; what is not covered is counted, never shown."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.hierarchy import parse
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.recode import Recode

MARKER = "zzz-planted"


def data(values: list[Any], scale: str = "nominal", hierarchy: dict[str, Any] | None = None) -> Dataset:
    name = "h" if hierarchy else None
    schema = Schema(
        columns=[Column(name="x", scale=scale, role="quasi", hierarchy=name)],
        hierarchies={"h": parse(hierarchy)} if hierarchy else {},
    )
    return Dataset.from_frame(pa.table({"x": values}), schema)


def recoded(source: Dataset, **parameters: Any) -> list[Any]:
    return Recode(column="x", **parameters).apply(source, Run()).to_arrow().column("x").to_pylist()


def test_by_map() -> None:
    assert recoded(data(["a", "b", None]), map={"a": "A", "b": "B"}) == ["A", "B", None]
    assert recoded(data(["a", "c"]), map={"a": "A"}, others="keep") == ["A", "c"]
    assert recoded(data([1, 2], "discrete"), map={"1": "one", "2": "two"}) == ["one", "two"]


def test_by_breaks() -> None:
    assert recoded(data([17, 18, 64, 65, None], "discrete"), breaks=[18, 65]) == ["<18", "18-64", "18-64", ">=65", None]
    named = recoded(data([1.0, 2.5, 9.0], "continuous"), breaks=[2, 5], labels=["low", "middle", "high"])
    assert named == ["low", "middle", "high"]


@pytest.mark.parametrize("values", [[1, 2, 3, None], [1.0, 2.0, 3.0, None], [1.0, 2.4999999, 2.5, None]])
def test_breaks_may_lie_between_whole_numbers(values: list[Any]) -> None:
    scale = "discrete" if isinstance(values[0], int) else "continuous"
    named = recoded(data(values, scale), breaks=[1.5, 2.5], labels=["low", "middle", "high"])
    assert named == ["low", "middle", "high", None]


def test_by_level_and_missing_joins_the_root() -> None:
    source = data([3, 17, None], "discrete", {"intervals": [5, 10]})
    assert recoded(source, level=1) == ["0-4", "15-19", None]
    assert recoded(source, level=2) == ["0-9", "10-19", None]
    assert recoded(source, level=3) == ["*", "*", "*"]


def test_learned_breaks_are_fixed_in_the_fitted_step() -> None:
    source = data([float(i) for i in range(100)], "continuous", {"balanced": [4, 2]})
    fitted = Recode(column="x", level=1).fit(source, Run())
    assert fitted.hierarchy is not None
    assert "hierarchy" in fitted.parameters() and "hierarchy" not in fitted.parameters(public=True)
    assert len(set(recoded(source, level=1))) == 4
    # other rows are cut at the same places
    other = data([0.0, 99.0, 1000.0], "continuous", {"balanced": [4, 2]})
    words = fitted.apply(other, Run()).to_arrow().column("x").to_pylist()
    assert words[1] == words[2] and words[0] != words[1]


def test_values_outside_are_counted_and_never_shown() -> None:
    rows = {"rows": [["a", "g", "*"], ["b", "g", "*"]]}
    source = data(["a", MARKER, MARKER, "b"], hierarchy=rows)
    with pytest.raises(DataError) as caught:
        recoded(source, level=1)
    assert "1 values of column 'x' (2 rows)" in str(caught.value)
    assert MARKER not in str(caught.value)
    lenient = data(["a", MARKER, "b"], hierarchy=rows | {"outside": "root"})
    assert recoded(lenient, level=1) == ["g", "*", "g"]
    with pytest.raises(DataError, match="map"):
        recoded(data(["a", "c"]), map={"a": "A"})


def test_the_schema_afterwards() -> None:
    schema = data([1], "discrete", {"intervals": [5]}).schema
    after = Recode(column="x", level=1).after(schema)
    assert (after["x"].scale, after["x"].hierarchy, after["x"].role) == ("ordinal", None, "quasi")


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"level": 1, "breaks": [1]},
        {"breaks": [3, 1]},
        {"labels": ["a"]},
        {"breaks": [1], "labels": ["a", "a"]},
        {"level": 0},
    ],
)
def test_contradictions_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        Recode(column="x", **parameters)


def test_problems_before_any_row_is_read() -> None:
    schema = data(["a"]).schema
    assert [p.code for p in Recode(column="x", level=1).problems(schema)] == ["no-hierarchy"]
    assert [p.code for p in Recode(column="x", breaks=[1]).problems(schema)] == ["not-numeric"]
    deep = data([1], "discrete", {"intervals": [5]}).schema
    assert [p.code for p in Recode(column="x", level=9).problems(deep)] == ["no-such-level"]


def test_what_comes_after_goes_on_from_the_new_values() -> None:
    schema = Schema(
        columns=[Column(name="x", scale="place", role="quasi", hierarchy="first")],
        hierarchies={"first": parse({"prefix": [3]}), "second": parse({"prefix": [1]})},
    )
    source = Dataset.from_frame(pa.table({"x": ["53117", "53121", "50667"]}), schema)
    once = Recode(column="x", level=1, then="second").apply(source, Run())
    assert once.to_arrow().column("x").to_pylist() == ["531*", "531*", "506*"]
    twice = Recode(column="x", level=1).apply(once, Run())
    assert twice.to_arrow().column("x").to_pylist() == ["5*", "5*", "5*"]
    assert twice.schema["x"].hierarchy is None


def test_what_comes_after_must_be_declared() -> None:
    source = data(["a"], hierarchy={"prefix": [1]})
    (problem,) = Recode(column="x", level=1, then="absent").problems(source.schema)
    assert (problem.code, problem.where) == ("unknown-hierarchy", "then")
