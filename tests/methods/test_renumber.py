"""Renumbering: a bijection onto 1..m in an order nobody can guess."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Role, Scale, Schema
from schleier.methods.renumber import Renumber
from schleier.testing import example_schema

KEY = bytes(range(32))


def data(values: Any, role: Role = "unit", scale: Scale = "nominal", engine: Any = None) -> Dataset:
    return Dataset.from_frame(
        pa.table({"who": values}), Schema(columns=[Column(name="who", role=role, scale=scale)]), engine
    )


def renumbered(of: Dataset, key: bytes = KEY) -> list[Any]:
    result: list[Any] = Renumber(column="who").apply(of, Run(key=key)).to_arrow()["who"].to_pylist()
    return result


@given(st.lists(st.text(max_size=3) | st.none(), max_size=40))
def test_a_bijection_onto_running_numbers(values: list[str | None]) -> None:
    after = renumbered(data(pa.array(values, pa.string())))
    pairs = {(old, new) for old, new in zip(values, after, strict=True) if old is not None}
    assert sorted(new for _, new in pairs) == list(range(1, len(set(values) - {None}) + 1))
    assert [new is None for new in after] == [old is None for old in values]


def test_many_values_in_all_buckets() -> None:
    values = [i % 10_000 for i in range(30_000)]
    after = renumbered(data(values))
    assert len(set(zip(values, after, strict=True))) == 10_000
    assert sorted(set(after)) == list(range(1, 10_001))
    # the order is random: neighbours are a third of the range apart on average, sorted they would be one apart
    steps = [abs(a - b) for a, b in itertools.pairwise(after[:10_000])]
    assert 3000 < sum(steps) / len(steps) < 3700


def test_the_order_follows_from_the_key_and_the_value_only() -> None:
    values = [f"h{i}" for i in range(50)]
    here = dict(zip(values, renumbered(data(values)), strict=True))
    backwards = values[::-1]
    assert dict(zip(backwards, renumbered(data(backwards)), strict=True)) == here
    assert renumbered(data(values), bytes(32)) != renumbered(data(values))


def test_equal_draws_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two values with the same draw would become one unit."""
    import narwhals as nw

    true, purposes = Run.draw, []

    def draw(self: Run, of: Dataset, into: str, purpose: str = "draw", by: str | None = None) -> Dataset:
        purposes.append(purpose)
        drawn = true(self, of, into, purpose, by)
        if len(purposes) > 1:
            return drawn
        return replace(drawn, frame=drawn.frame.with_columns(**{into: nw.lit(0.5)}))

    monkeypatch.setattr(Run, "draw", draw)
    assert sorted(renumbered(data(["a", "b", "c"]))) == [1, 2, 3]
    assert purposes == ["order 1", "order 2"]


def test_roles() -> None:
    unit = Renumber(column="household").after(example_schema())
    assert (unit["household"].role, unit["household"].scale) == ("unit", "nominal")
    # a person among households: the number links records but is not the unit that thresholds count
    assert Renumber(column="person").after(example_schema())["person"].role == "plain"
    alone = example_schema().without(["household"])
    assert Renumber(column="person").after(alone)["person"].role == "unit"


def test_what_is_told() -> None:
    run = Run()
    step = Renumber(column="who")
    fitted = step.fit(data(["a", "b", "a", None]), run)
    fitted.apply(data(["a", "b", "a", None]), run)
    assert fitted == step
    assert [note.facts for note in run.notes] == [{"column": "who", "numbers": 2}]


@pytest.mark.parametrize(
    ("column", "codes"),
    [
        ("household", []),
        ("person", []),
        ("region", []),
        ("age", ["not-a-name"]),
        ("income", ["not-a-name"]),
        ("born", ["not-a-name"]),
        ("schooling", ["not-a-name"]),
        ("housholds", ["unknown-column"]),
    ],
)
def test_problems(column: str, codes: list[str]) -> None:
    assert [problem.code for problem in Renumber(column=column).problems(example_schema())] == codes


def test_a_number_of_a_unit_may_be_declared_discrete() -> None:
    of = data([7, 7, 9], scale="discrete")
    assert list(Renumber(column="who").problems(of.schema)) == []
    assert len(set(renumbered(of))) == 2


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    engine = get("engine", "spark")()
    values = [None if i % 11 == 0 else i % 40 for i in range(200)]
    assert renumbered(data(values, engine=engine)) == renumbered(data(values))
    engine.close()
