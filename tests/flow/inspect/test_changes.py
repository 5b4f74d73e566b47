"""Which changes would help most: what is promised must come true, and nothing better may be overlooked."""

from __future__ import annotations

import datetime
import tomllib
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.hierarchy import Hierarchy, parse
from schleier.core.schema import Column, Schema
from schleier.flow.inspect.changes import best as module
from schleier.flow.inspect.changes.best import Change, best_changes
from schleier.flow.inspect.changes.effects import BLANKED, risk_when_coarser
from schleier.flow.inspect.changes.options import leave_out, options
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.recipe.writing import entry, schema_table, toml
from schleier.kernels.classes.coarser import Coarser
from schleier.testing import example_schema, example_table

RNG = np.random.Generator(np.random.Philox(key=8))


def quasi(name: str, scale: Any, hierarchy: str | None = None) -> Column:
    return Column(name=name, role="quasi", scale=scale, hierarchy=hierarchy)


def people(rows: int = 2000) -> tuple[pa.Table, Schema]:
    """Keys of every kind, without and with hierarchies, some with gaps."""
    ages, days = RNG.integers(18, 95, rows), RNG.integers(0, 9000, rows)
    size = np.minimum(1 + RNG.poisson(1.5, rows), 9)
    table = pa.table(
        {
            "age": pa.array(ages, mask=RNG.random(rows) < 0.02),
            "entry": pa.array([datetime.date(2000, 1, 1) + datetime.timedelta(int(day)) for day in days]),
            "job": pa.array([f"{code:04d}" for code in RNG.integers(1000, 1200, rows)]),
            "size": pa.array(size),
            "colour": pa.array([f"c{int(c)}" for c in np.minimum(RNG.geometric(0.3, rows), 12)]),
            "wage": pa.array(np.round(RNG.lognormal(7, 0.5, rows), 2)),
            "place": pa.array([f"p{int(p)}" for p in RNG.integers(0, 30, rows)], mask=RNG.random(rows) < 0.05),
        }
    )
    districts = {"rows": [[f"p{i}", f"d{i // 5}", "*"] for i in range(30)]}
    columns = (
        quasi("age", "discrete"),
        quasi("entry", "time"),
        quasi("job", "nominal"),
        quasi("size", "discrete"),
        quasi("colour", "nominal"),
        quasi("wage", "continuous"),
        quasi("place", "place", "place"),
    )
    return table, Schema(columns=columns, hierarchies={"place": parse(districts)})


TABLE, SCHEMA = people()


def found(table: pa.Table, schema: Schema, *keys: str, most: int = 3) -> tuple[Change, ...]:
    schema = schema.without([name for name in schema.names if keys and name not in keys])
    data = Dataset.from_frame(table, schema.model_copy(update={"others": "drop"}))
    return best_changes(data.classes(Request(keys=schema.quasi)), schema, most)


def after(table: pa.Table, schema: Schema, changes: tuple[Change, ...]) -> tuple[int, float]:
    """The unique records and the average chance of a release made with the steps, by the measure itself."""
    schema = schema.without([name for name in schema.names if name not in schema.quasi])
    steps = {"steps": [step for change in changes for step in change.steps]}
    left = [name for name in schema.names if {"method": "drop", "columns": [name]} not in steps["steps"]]
    text = toml(schema_table(schema) | steps | {"measures": [{"measure": "uniqueness"}]} | {"engine": {"threads": 1}})
    finding = next(one for one in Recipe.from_toml(text).run(table).audit.findings if one.name == "uniqueness")
    assert left
    told = finding.detail["after"]
    return told["unique"], told["average"]


@pytest.mark.parametrize(
    "keys",
    [
        ("age", "entry", "colour"),
        ("age", "job", "place"),
        ("size", "colour", "place"),
        ("size", "colour"),
        ("wage", "size", "colour"),
        ("age", "size", "colour", "place"),
    ],
)
def test_what_is_promised_comes_true(keys: tuple[str, ...]) -> None:
    schema = SCHEMA.without([name for name in SCHEMA.names if name not in keys])
    table = TABLE.select(list(keys))
    changes = found(table, schema)
    assert changes and len({change.columns for change in changes}) == len(changes)
    for last in range(1, len(changes) + 1):
        together = changes[last - 1].together
        if not all(set(step.get("columns", ())) < set(keys) for c in changes[:last] for step in c.steps):
            continue  # nothing would be left to measure
        assert after(table, schema, changes[:last]) == (together.unique, pytest.approx(together.average))
    for change in changes:
        if change.alone is not None and change.kind not in ("drop", "blank"):
            assert after(table, schema, (change,)) == (change.alone.unique, pytest.approx(change.alone.average))
    assert [tomllib.loads(change.toml)["steps"] for change in changes] == [list(change.steps) for change in changes]


def test_the_risk_falls_from_change_to_change() -> None:
    averages = [c.together.average for c in found(TABLE, SCHEMA, "age", "size", "colour", "place")]
    assert len(averages) == 3 and averages == sorted(averages, reverse=True) and len(set(averages)) == 3
    first = found(TABLE, SCHEMA, "age", "size", "colour")[0]
    assert first.alone == first.together


def test_three_columns_are_the_best_three_or_nearly_so() -> None:
    """Against all triples of columns left out: what is proposed does at least the part it promises to do."""
    keys = SCHEMA.names
    data = Dataset.from_frame(TABLE, SCHEMA)
    classes = data.classes(Request(keys=keys))
    table = Coarser.of(classes.codes, classes.sizes, [len(values) for values in classes.values])
    before = risk_when_coarser(table).score

    def gone(*places: int) -> float:
        return before - risk_when_coarser(table, {j: leave_out("", table.values[j]).coarse for j in places}).score

    best = max(gone(*three) for three in combinations(range(len(keys)), 3))
    changes = found(TABLE, SCHEMA)
    chosen = gone(*(keys.index(change.columns[0]) for change in changes))
    assert chosen == best
    assert before - changes[-1].together.score >= module.ENOUGH * chosen


def test_the_milder_way_is_taken_where_it_does_as_much() -> None:
    """Two bands are enough to make everybody alike: the column is not left out."""
    schema = Schema(columns=(quasi("age", "discrete", "age"),), hierarchies={"age": parse({"intervals": [2, 10, 50]})})
    (change,) = found(pa.table({"age": list(range(100))}), schema)
    assert (change.kind, change.by, change.values) == ("bands", 10, (100, 10))
    assert change.steps == ({"method": "recode", "column": "age", "level": 2},)
    assert change.left_out is not None and change.left_out.average == 0.01
    assert change.kept == pytest.approx(0.5)


def test_two_columns_that_say_the_same_go_together() -> None:
    ages = RNG.integers(20, 90, 3000)
    table = pa.table({"age": ages, "born": 2020 - ages, "sex": RNG.integers(0, 2, 3000)})
    schema = Schema(columns=(quasi("age", "discrete"), quasi("born", "discrete"), quasi("sex", "nominal")))
    first = found(table, schema)[0]
    assert {first.columns[0], *first.dropped} == {"age", "born"} and len(first.dropped) == 1
    assert first.steps[0] == {"method": "drop", "columns": list(first.dropped)}
    assert after(table, schema, (first,)) == (first.together.unique, pytest.approx(first.together.average))


def test_columns_that_tell_everybody_apart_do_not_say_the_same() -> None:
    """A date and a wage know nothing of each other, although each of them leaves nothing of the other open."""
    keys = ("entry", "wage", "size")
    assert not any(change.dropped for change in found(TABLE, SCHEMA, *keys))
    assert {change.columns for change in found(TABLE, SCHEMA, *keys)} >= {("entry",), ("wage",)}
    twice = pa.concat_tables([TABLE, TABLE])  # each record comes twice: no date differs where the wage is the same
    assert not any(change.dropped for change in found(twice, SCHEMA, *keys))


def test_nothing_more_is_changed_when_nobody_is_easily_found() -> None:
    rows = ["clerk"] * 1990 + [f"j{i}" for i in range(10)]
    table = pa.table({"job": rows, "sex": ["f", "m"] * 1000})
    schema = Schema(columns=(quasi("job", "nominal"), quasi("sex", "nominal")))
    (change,) = found(table, schema)
    assert change.kind == "blank" and change.together.small
    for keys in (("size", "colour"), ("size", "place"), ("age",)):
        assert not any(change.together.small for change in found(TABLE, SCHEMA, *keys)[:-1])


def test_few_rare_records_are_blanked() -> None:
    rows = [(f"a{i % 7}", f"b{i % 7}") for i in range(2100)] + [
        (f"a{i}", f"b{(i + j) % 7}") for i in range(7) for j in (1, 3)
    ]
    table = pa.table({"one": [one for one, _ in rows], "two": [two for _, two in rows]})
    schema = Schema(columns=(quasi("one", "nominal"), quasi("two", "nominal")))
    first = found(table, schema)[0]
    assert (first.kind, first.columns, first.by) == ("blank", ("one", "two"), 5)
    assert first.blanked == 14 <= BLANKED * len(rows) and first.together.unique == 0
    assert after(table, schema, (first,)) == (0, pytest.approx(first.together.average))


def test_nothing_to_change() -> None:
    schema = Schema(columns=(quasi("one", "nominal"),))
    assert found(pa.table({"one": ["a"] * 9}), schema) == ()
    assert found(pa.table({"one": pa.array([None, None], pa.string())}), schema) == ()


def test_one_record() -> None:
    assert found(pa.table({"one": ["a"]}), Schema(columns=(quasi("one", "nominal"),))) == ()


def test_many_columns_are_still_compared() -> None:
    columns = {f"c{i:02d}": RNG.integers(0, 40, 500) for i in range(30)}
    schema = Schema(columns=tuple(quasi(name, "nominal") for name in columns))
    changes = found(pa.table(columns), schema)  # too wide for one packed number, and nothing helps
    assert changes == ()
    few = {name: values if i < 3 else values % 1 for i, (name, values) in enumerate(columns.items())}
    assert len(found(pa.table(few), schema)) >= 2


def test_a_value_outside_the_hierarchy_leaves_the_other_ways() -> None:
    hierarchies: dict[str, Hierarchy] = {"place": parse({"rows": [["a", "A", "*"], ["b", "A", "*"]]})}
    schema = Schema(columns=(quasi("place", "place", "place"),), hierarchies=hierarchies)
    (change,) = found(pa.table({"place": ["a", "b", "c"] * 2 + ["d"]}), schema)
    assert change.kind == "drop"


@pytest.mark.parametrize(
    ("values", "scale", "kinds"),
    [
        (pa.array([1.5, 2.5, float("nan")]), "continuous", set()),
        (pa.array([[1], [2]]), "nominal", set()),
        (pa.array(["x", "y"]), "text", set()),
        (pa.array([True, False]), "nominal", set()),
        (pa.array(range(1900, 2000)), "time", {"bands"}),
        (pa.array(["0815", "4711", "0816"]), "place", {"first"}),
        (pa.array([815, 4711]), "place", set()),
        (pa.array([datetime.datetime(2020, 1, i, 12) for i in range(1, 9)]), "time", set()),
        (pa.array([datetime.datetime(2020, i, 1, 12) for i in range(1, 9)]), "time", {"dates"}),
    ],
)
def test_ways_fit_what_the_column_holds(values: pa.Array, scale: Any, kinds: set[str]) -> None:
    counts = np.append(np.full(len(values), 3), 0)
    assert {way.kind for way in options(quasi("x", scale), values, counts, None)} == kinds


def test_a_cap_is_nobodys_own_limit() -> None:
    counts = np.append(np.full(200, 1), 0)
    caps = [way for way in options(quasi("x", "discrete"), pa.array(range(200)), counts, None) if way.kind == "cap"]
    assert caps and all(200 - 1 - int(way.by) >= 20 for way in caps if isinstance(way.by, int))
    few = np.append(np.full(19, 1), 0)
    assert not [way for way in options(quasi("x", "discrete"), pa.array(range(19)), few, None) if way.kind == "cap"]


def test_every_step_is_a_sound_step_of_a_recipe() -> None:
    from schleier.core import registry

    for change in (*found(TABLE, SCHEMA), *found(example_table(), example_schema())):
        for step in change.steps:
            method = registry.get("method", step["method"]).model_validate({k: step[k] for k in step if k != "method"})
            assert entry("method", method) == step
