"""What every method must honour."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.normal import logical
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.testing import ROW_KEY, example_schema, example_table

from .conftest import KEY, made, result, shapes

Load = Callable[..., Dataset]


def test_same_key_same_result(method: str, load: Load) -> None:
    step = made("method", method)
    assert result(step, load()) == result(step, load())


def test_other_key_other_result_when_random(method: str, load: Load) -> None:
    step = made("method", method)
    same = result(step, load()) == result(step, load(), bytes(32))
    assert same != step.random


def test_input_is_unchanged(method: str, load: Load) -> None:
    data = load()
    before = data.to_arrow()
    made("method", method).apply(data, Run(key=KEY))
    assert data.to_arrow().equals(before)
    assert data.schema == example_schema()


def test_other_columns_and_rows_are_untouched(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    after = result(step, data)
    before = data.engine.arrays(data.frame.sort(ROW_KEY)).to_pydict()
    if step.promises().get("rows") == "exact":
        assert after[ROW_KEY] == before[ROW_KEY]
    if step.promises().get("other columns") == "exact":
        untouched = [name for name in after if name in before and name not in step.changes(data.schema)]
        place = {key: i for i, key in enumerate(before[ROW_KEY])}
        rows = [place[key] for key in after[ROW_KEY]]
        assert {n: after[n] for n in untouched} == {n: [before[n][i] for i in rows] for n in untouched}


def test_permuting_rows_changes_nothing(method: str, load: Load) -> None:
    step, table = made("method", method), example_table()
    order = np.random.default_rng(7).permutation(len(table))
    assert result(step, load(table.take(pa.array(order)))) == result(step, load(table))


def test_after_tells_the_schema(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    after = step.apply(data, Run(key=KEY))
    assert after.schema == step.after(data.schema)
    types = {name: logical(kind) for name, kind in after.frame.collect_schema().items()}
    assert set(after.schema.names) <= set(types)
    for column in after.schema:
        if column.numeric:
            assert types[column.name] in ("integer", "number")


def test_fitting_first_changes_nothing(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    run = Run(key=KEY)
    with run.within(step.label(data.schema)):
        fitted = step.fit(data, run)
    assert result(fitted, data) == result(step, data)
    # and a fitted step survives being written down
    assert type(fitted).model_validate_json(fitted.model_dump_json()) == fitted


@pytest.mark.parametrize("shape", shapes())
def test_survives_every_shape(method: str, shape: str, load: Load) -> None:
    """A result or a clear refusal, never a crash."""
    step, data = made("method", method), load(shapes()[shape])
    try:
        after = result(step, data)
    except SchleierError as error:
        assert error.exit_code in (3, 4)
        return
    if step.promises().get("rows") == "exact":
        assert len(after[ROW_KEY]) == len(shapes()[shape])


def test_missing_values_stay_missing_or_are_filled_on_purpose(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    after = result(step, data)
    kept = data.filter(nw.col(ROW_KEY).is_in(after[ROW_KEY]))  # a method may leave rows out
    before = data.engine.arrays(kept.frame.sort(ROW_KEY)).to_pydict()
    held = set(before[ROW_KEY])  # or add some
    known = [i for i, key in enumerate(after[ROW_KEY]) if key in held]
    for name in set(after) & set(before) - set(step.uses(data.schema)):
        assert [after[name][i] is None for i in known] == [value is None for value in before[name]]


@pytest.mark.spark
def test_equal_on_spark(method: str, load: Load, spark: Any) -> None:
    step = made("method", method)
    if step.scales == "memory":
        pytest.skip("needs all rows in memory: refused on Spark")
    engine = get("engine", "spark")()
    try:
        assert result(step, load(on=engine)) == result(step, load())
    finally:
        engine.close()


def test_tells_no_protected_value(method: str, load: Load) -> None:
    """Markers planted in protected columns appear in no note, and in no error when the step must refuse."""
    table = example_table()
    marker = "zzz-planted-marker"
    for name in ("person", "household", "sex", "region", "disease"):
        values = table.column(name).to_pylist()
        values[3] = marker
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    for name in ("age", "income"):
        values = table.column(name).to_pylist()
        values[3] = 987654321
        table = table.set_column(table.column_names.index(name), name, pa.array(values, table.schema.field(name).type))
    step, run = made("method", method), Run(key=KEY)
    said = ""
    try:
        step.apply(load(table), run)
    except SchleierError as error:
        said = str(error) + repr(error)
    said += json.dumps([note.facts for note in run.notes], default=str)
    assert marker not in said
    assert "987654321" not in said
    assert KEY.hex() not in said


def ours(method: str) -> Any:
    """The class of a method; what others offer has no such page, and need not say so much."""
    kind = get("method", method)
    if not kind.__module__.startswith("schleier."):
        pytest.skip("not ours")
    return kind


def test_says_how_it_protects(method: str) -> None:
    """Höhne 2.2: what it prevents, and where it takes hold."""
    kind = ours(method)
    assert kind.effects and set(kind.effects) <= {"E1", "E2", "E3"}
    assert kind.approaches and set(kind.approaches) <= {"A1", "A2", "A3", "A4"}
    assert kind.nature in ("", "contamination", "censoring")


def test_the_page_shows_before_and_after(method: str) -> None:
    ours(method)
    picture = f"pictures/methods/{method}.svg"
    docs = Path(__file__).parents[2] / "docs"
    assert picture in (docs / "methods" / f"{method}.md").read_text(encoding="utf-8")
    assert (docs / picture).is_file(), "make pictures"
