"""Changed cells: missing on one side only is a change, a dropped column is told apart."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.utility.changed_cells import ChangedCells

SCHEMA = Schema(
    row_key="id",
    columns=(Column(name="a", scale="discrete"), Column(name="b", scale="nominal"), Column(name="c", scale="nominal")),
)
DATA = Dataset.from_frame(
    pa.table({"id": [1, 2, 3, 4], "a": [1, 2, None, 4], "b": ["x", None, None, "y"], "c": ["1", "2", "3", "4"]}), SCHEMA
)


def test_nothing_changed() -> None:
    finding = ChangedCells().measure(Case(DATA, DATA), Run())
    assert finding.value == 0
    assert finding.detail["columns"] == {"a": 0.0, "b": 0.0, "c": 0.0}


def test_missing_on_one_side_is_a_change() -> None:
    released = DATA.mutate(b=nw.when(nw.col("id") == 1).then(None).otherwise(nw.lit("y")))
    finding = ChangedCells(columns=["b"]).measure(Case(DATA, released), Run())
    assert finding.value == 0.75
    assert finding.text == "75.00% of the cells in 1 column were changed; 0 records were left out."
    fewer = ChangedCells(columns=["a", "b"]).measure(Case(DATA, released.filter(nw.col("id") < 4)), Run())
    assert fewer.text.endswith("in 2 columns were changed; 1 record was left out.")


def test_a_change_of_type_is_seen_by_its_text() -> None:
    released = DATA.mutate(a=nw.col("a").cast(nw.String))
    assert ChangedCells(columns=["a"]).measure(Case(DATA, released), Run()).value == 0


@pytest.mark.parametrize("kind", [pa.float32(), pa.int16(), pa.float64(), pa.int64()])
def test_a_number_is_the_same_however_it_is_stored(kind: pa.DataType) -> None:
    schema = Schema(columns=(Column(name="x", scale="continuous"),))
    values = pa.array([1, 2, None, 3], kind) if pa.types.is_integer(kind) else pa.array([1.1, 0.3, None, 3.0], kind)
    before = Dataset.from_frame(pa.table({"x": values}), schema)
    for other in (nw.Float64(), nw.Int64()) if pa.types.is_integer(kind) else (nw.Float64(),):
        released = before.mutate(x=nw.col("x").cast(other))
        assert ChangedCells().measure(Case(before, released), Run()).value == 0
    moved = before.mutate(x=nw.col("x").cast(nw.Float64) + 1)
    assert ChangedCells().measure(Case(before, moved), Run()).value == 0.75


def test_many_columns_are_compared_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    released = DATA.mutate(b=nw.lit("y"))
    whole = ChangedCells().measure(Case(DATA, released), Run())
    monkeypatch.setattr("schleier.utility.changed_cells.PORTION", 2)
    assert ChangedCells().measure(Case(DATA, released), Run()) == whole
    assert whole.detail["columns"] == {"a": 0.0, "b": 0.75, "c": 0.0}


def test_dropped_columns_and_rows_are_told_apart() -> None:
    released = DATA.drop("c").filter(nw.col("id") > 1)
    finding = ChangedCells().measure(Case(DATA, released), Run())
    assert finding.value == 0
    assert finding.detail["columns_left_out"] == ["c"]
    assert finding.detail["records_left_out"] == 1
    assert finding.detail["columns"] == pytest.approx({"a": 0.0, "b": 0.0})
    assert all(isinstance(share, float) for share in finding.detail["columns"].values())


@pytest.mark.parametrize(
    ("changed", "told"), [(0, 0.0), (1, 10 / 60), (25, 20 / 60), (26, 30 / 60), (59, 50 / 60), (60, 1.0)]
)
def test_fewer_than_ten_are_told_as_ten(changed: int, told: float) -> None:
    """One in sixty says that there was somebody with a value that is there no more."""
    schema = Schema(columns=(Column(name="job", scale="nominal"),), row_key="id")
    before = pa.table({"id": range(60), "job": ["b"] * changed + ["a"] * (60 - changed)})
    after = pa.table({"id": range(60), "job": ["a"] * 60})
    case = Case(Dataset.from_frame(before, schema), Dataset.from_frame(after, schema))
    run, measure = Run(bytes(32)), ChangedCells()
    exact = measure.measure(case, run)
    public = measure.disclose(case, run, exact)
    assert exact.detail["columns"] == {"job": pytest.approx(changed / 60)}
    assert public is not None and public.detail["columns"] == {"job": pytest.approx(told)}
    assert 0 <= public.value - told < 0.2  # upwards to a step of twelve records


def test_nothing_is_told_of_few_records() -> None:
    schema = Schema(columns=(Column(name="job", scale="nominal"),), row_key="id")
    sides = [pa.table({"id": range(19), "job": [word] * 19}) for word in "ab"]
    case = Case(*(Dataset.from_frame(side, schema) for side in sides))
    run, measure = Run(bytes(32)), ChangedCells()
    assert measure.disclose(case, run, measure.measure(case, run)) is None
