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
from schleier.flow.release.edge import canonical
from schleier.testing import ROW_KEY, example_schema, example_table

from .conftest import KEY, made, ours, result, shapes, to_do

Load = Callable[..., Dataset]


def test_same_key_same_result(method: str, load: Load) -> None:
    step = made("method", method)
    told = "two runs with one key differ: take draws from run.draw and run.rng alone, and sort before numbering rows"
    assert result(step, load()) == result(step, load(anew=True)), to_do("method", method, told)


def test_other_key_other_result_when_random(method: str, load: Load) -> None:
    step = made("method", method)
    same = result(step, load()) == result(step, load(anew=True), bytes(32))
    told = "declare random = True when it draws, and only then; the example must change something in 240 rows"
    assert same != step.random, to_do("method", method, told)


def test_input_is_unchanged(method: str, load: Load) -> None:
    data = load(anew=True)
    before = data.to_arrow()
    made("method", method).apply(data, Run(key=KEY))
    told = to_do("method", method, "apply() changed the dataset it was given: return a new one, data.mutate(...)")
    assert data.to_arrow().equals(before), told
    assert data.schema == example_schema(), told


def test_other_columns_and_rows_are_untouched(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    after = result(step, data)
    before = data.engine.arrays(data.frame.sort(ROW_KEY)).to_pydict()
    if step.promises().get("rows") == "exact":
        told = 'rows are lost, added or renamed: then keeps must not claim "rows": "exact"'
        assert after[ROW_KEY] == before[ROW_KEY], to_do("method", method, told)
    if step.promises().get("other columns") == "exact":
        untouched = [name for name in after if name in before and name not in step.changes(data.schema)]
        place = {key: i for i, key in enumerate(before[ROW_KEY])}
        rows = [place[key] for key in after[ROW_KEY]]
        told = 'a column changed that changes() does not name: name it there, or do not keep "other columns" exact'
        kept = {n: [before[n][i] for i in rows] for n in untouched}
        assert {n: after[n] for n in untouched} == kept, to_do("method", method, told)


def test_added_records_are_marked(method: str, load: Load) -> None:
    """Nobody stands behind a record that a step added, so that no criterion may count it."""
    data = load()
    after = made("method", method).apply(data, Run(key=KEY))
    before = set(data.engine.arrays(data.frame.select(ROW_KEY))[ROW_KEY].to_pylist())
    left = after.engine.arrays(after.genuine().frame.select(ROW_KEY))[ROW_KEY].to_pylist()
    told = "it adds records without saying which: put their row keys into Dataset.added"
    assert set(left) <= before and len(left) == len(set(left)), to_do("method", method, told)


def test_a_rule_knows_its_own_result(method: str, load: Load) -> None:
    """``verify`` applies published rules once more: to what they left nothing happens, to other values something."""
    step, data, run = made("method", method), load(), Run(key=KEY)
    fitted = step.fit(data, run)
    after = canonical(fitted.apply(data, run))
    again = fitted.repeated(after, data.schema, run)
    if again is None:
        told = "a published rule must know its own result: repeated() treats a finished file once more"
        assert not fitted.declares("rule"), to_do("method", method, told)
        return
    told = "repeated() changes what the step itself left: a release would be refused by verify"
    assert canonical(again).to_arrow().equals(after.to_arrow()), to_do("method", method, told)
    raw = data.described(after.schema)
    names = [name for name in fitted.changes(data.schema) if name in after.schema]
    once = canonical(fitted.repeated(raw, data.schema, run)).to_arrow().select(names)
    told = "repeated() leaves values as they are that the step would have changed"
    assert once.to_pydict() != raw.to_arrow().select(names).to_pydict(), to_do("method", method, told)


def test_permuting_rows_changes_nothing(method: str, load: Load) -> None:
    step, table = made("method", method), example_table()
    order = np.random.default_rng(7).permutation(len(table))
    told = "the result depends on the order of rows: draw by the row key, and sort by it before counting rows"
    assert result(step, load(table.take(pa.array(order)))) == result(step, load(table)), to_do("method", method, told)


def test_after_tells_the_schema(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    after = step.apply(data, Run(key=KEY))
    told = to_do("method", method, "after(schema) must tell the columns apply() returns, and numbers must be numbers")
    assert after.schema == step.after(data.schema), told
    types = {name: logical(kind) for name, kind in after.frame.collect_schema().items()}
    assert set(after.schema.names) <= set(types), told
    for column in after.schema:
        if column.numeric:
            assert types[column.name] in ("integer", "number"), told


def test_fitting_first_changes_nothing(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    run = Run(key=KEY)
    with run.within(step.label(data.schema)):
        fitted = step.fit(data, run)
    told = to_do("method", method, "fit() first and apply() at once differ: apply() of an unfitted step fits itself")
    assert result(fitted, data) == result(step, data), told
    # and a fitted step survives being written down
    told = to_do("method", method, "a learned value does not survive JSON: use plain values in its field")
    assert type(fitted).model_validate_json(fitted.model_dump_json()) == fitted, told


@pytest.mark.parametrize("shape", shapes())
def test_survives_every_shape(method: str, shape: str, load: Load) -> None:
    """A result or a clear refusal, never a crash."""
    step, data = made("method", method), load(shapes()[shape])
    try:
        after = result(step, data)
    except SchleierError as error:
        told = f"refuse a table that is '{shape}' with an InfeasibleError or a DataError"
        assert error.exit_code in (3, 4), to_do("method", method, told)
        return
    if step.promises().get("rows") == "exact":
        told = f"rows are lost from a table that is '{shape}', and keeps claims all of them"
        assert len(after[ROW_KEY]) == len(shapes()[shape]), to_do("method", method, told)


def test_missing_values_stay_missing_or_are_filled_on_purpose(method: str, load: Load) -> None:
    step, data = made("method", method), load()
    after = result(step, data)
    kept = data.filter(nw.col(ROW_KEY).is_in(after[ROW_KEY]))  # a method may leave rows out
    before = data.engine.arrays(kept.frame.sort(ROW_KEY)).to_pydict()
    held = set(before[ROW_KEY])  # or add some
    known = [i for i, key in enumerate(after[ROW_KEY]) if key in held]
    for name in set(after) & set(before) - set(step.uses(data.schema)):
        told = to_do("method", method, f"gaps of '{name}' changed, which uses() does not name")
        assert [after[name][i] is None for i in known] == [value is None for value in before[name]], told


@pytest.mark.spark
def test_equal_on_spark(method: str, load: Load, distributed: Any) -> None:
    step = made("method", method)
    if step.scales == "memory":
        pytest.skip("needs all rows in memory: refused on Spark")
    told = to_do("method", method, "Spark and DuckDB differ: sums of floats depend on the order, use integers")
    assert result(step, load(on=distributed)) == result(step, load()), told


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
    told = to_do("method", method, "a note or an error quotes a value or the key: name columns and count records")
    assert marker not in said, told
    assert "987654321" not in said, told
    assert KEY.hex() not in said, told


def test_says_how_it_protects(method: str) -> None:
    """Höhne 2.2: what it prevents, and where it takes hold."""
    if not ours("method", method):
        pytest.skip("not ours")
    kind = get("method", method)
    effects = "effects: ClassVar[tuple[str, ...]] from E1 no unique match, E2 nothing gained, E3 it is unreliable"
    assert kind.effects and set(kind.effects) <= {"E1", "E2", "E3"}, to_do("method", method, f"declare {effects}")
    places = "approaches: ClassVar[tuple[str, ...]] from A1 columns, A2 records, A3 conspicuous values, A4 all values"
    fit = kind.approaches and set(kind.approaches) <= {"A1", "A2", "A3", "A4"}
    assert fit, to_do("method", method, f"declare {places}")
    natures = 'nature is "contamination", "censoring" or empty'
    assert kind.nature in ("", "contamination", "censoring"), to_do("method", method, natures)


def test_the_page_shows_before_and_after(method: str) -> None:
    if not ours("method", method):
        pytest.skip("not ours")
    picture, page = f"pictures/methods/{method}.svg", f"docs/methods/{method}.md"
    docs = Path(__file__).parents[2] / "docs"
    assert (docs / picture).is_file(), to_do("method", method, "is missing: run make pictures", f"docs/{picture}")
    text = (docs / "methods" / f"{method}.md").read_text(encoding="utf-8")
    assert picture in text, to_do("method", method, "does not show its picture: run make pictures", page)
