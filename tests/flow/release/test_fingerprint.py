"""The fingerprint of rows: the same for the same rows, another one for anything else."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Scale, Schema
from schleier.flow.release.fingerprint import SHORT, fingerprint, row_sums

LONG = "x" * SHORT
COLUMNS: dict[str, tuple[Scale, pa.Array]] = {
    "whole": ("discrete", pa.array([1, 2, None, -1, 2**62], pa.int64())),
    "small": ("discrete", pa.array([1, 0, None, -1, 7], pa.int8())),
    "number": ("continuous", pa.array([0.1, -1.5, None, 1e300, 5e-324])),
    "text": ("nominal", pa.array(["a", "", None, "ä", "ab"])),
    "long": ("text", pa.array([LONG, LONG + "a", None, LONG + "b", "a" + LONG])),
    "code": ("nominal", pa.array(["n", "s", None, "w", "e"]).dictionary_encode()),
    "yes": ("nominal", pa.array([True, False, None, True, False])),
    "day": ("time", pa.array([datetime.date(1969, 1, n) for n in range(1, 4)] + [None, datetime.date(2024, 2, 29)])),
    "moment": ("time", pa.array([1, -1, None, 0, 10**15], pa.timestamp("us"))),
    "items": ("nominal", pa.array([["a", "b"], ["ab"], None, [], ["b", "a"]])),
}
TABLE = pa.table({"id": [f"r{n}" for n in range(5)], **{name: values for name, (_, values) in COLUMNS.items()}})
SCHEMA = Schema(row_key="id", columns=[Column(name=name, scale=scale) for name, (scale, _) in COLUMNS.items()])
RUN = Run(key=bytes(range(32)))


def found(table: pa.Table = TABLE, schema: Schema = SCHEMA, run: Run = RUN, *, exact: bool = False) -> str:
    return fingerprint(Dataset.from_frame(table, schema), run, exact=exact)


def put(name: str, values: list[Any]) -> pa.Table:
    """The table with other values in a column."""
    kind = TABLE.schema.field(name).type
    array = pa.array(values, kind.value_type if pa.types.is_dictionary(kind) else kind)
    return TABLE.set_column(TABLE.column_names.index(name), name, array)


def test_order_does_not_matter_and_the_key_does() -> None:
    assert found() == found(TABLE.take([4, 2, 0, 1, 3])) == found(TABLE.combine_chunks())
    assert found() != found(run=Run(key=bytes(32)))
    assert len(found()) == 64


@pytest.mark.parametrize("name", ["id", *COLUMNS])
def test_every_cell_matters_and_where_it_is(name: str) -> None:
    values = TABLE[name].to_pylist()
    seen = {found()}
    for i in range(4):  # what changes places changes the fingerprint, also with what is missing
        moved = [*values]
        moved[i], moved[i + 1] = moved[i + 1], moved[i]
        seen.add(found(put(name, moved)))
    assert len(seen) == 5


@pytest.mark.parametrize("name", [name for name in COLUMNS if name != "items"])
def test_missing_is_not_nothing(name: str) -> None:
    nothing: dict[str, Any] = {"number": 0.0, "text": "", "long": "", "code": "", "yes": False}
    empty = nothing.get(name, datetime.date(1970, 1, 1) if name == "day" else 0)
    values = [empty if value is None else value for value in TABLE[name].to_pylist()]
    assert found(put(name, values)) != found()


def test_rows_names_and_kinds_matter() -> None:
    texts = Schema(columns=[Column(name="a", scale="text")])
    one = found(pa.table({"a": ["1", "2"]}), texts)
    others = [
        found(pa.table({"a": ["1"]}), texts),
        found(pa.table({"a": ["1", "2", "2"]}), texts),
        found(pa.table({"a": [1, 2]}), texts),
        found(pa.table({"b": ["1", "2"]}), Schema(columns=[Column(name="b", scale="text")])),
    ]
    assert len({one, *others}) == 5


def test_decimals_count_as_declared_unless_every_bit_is_asked_for() -> None:
    schema = Schema(columns=[Column(name="x", scale="continuous", decimals=2)])
    one, two = pa.table({"x": [1.001]}), pa.table({"x": [1.002]})
    assert found(one, schema) == found(two, schema)
    assert found(one, schema, exact=True) != found(two, schema, exact=True)
    whole = pa.table({"x": [1, 2]})
    assert found(whole, schema) == found(pa.table({"x": [1.0, 2.0]}), schema)  # whatever stores them


def test_no_rows_have_a_fingerprint() -> None:
    data = Dataset.from_frame(TABLE, SCHEMA)
    import narwhals as nw

    nobody = data.filter(nw.col("whole") > nw.col("whole"))
    assert len(fingerprint(nobody, RUN)) == 64 and fingerprint(nobody, RUN) != found()


def test_numbers_are_numbers_however_wide() -> None:
    wide = TABLE.set_column(TABLE.column_names.index("small"), "small", TABLE["small"].cast(pa.int64()))
    plain = TABLE.set_column(TABLE.column_names.index("code"), "code", TABLE["code"].cast(pa.large_string()))
    assert found(wide) == found(plain) == found()


@given(
    texts=st.lists(st.one_of(st.none(), st.text(max_size=SHORT + 9)), min_size=1, max_size=12), cut=st.integers(0, 12)
)
def test_sums_add_up_over_any_cut(texts: list[str | None], cut: int) -> None:
    table = pa.table({"id": range(len(texts)), "a": pa.array(texts, pa.string())})
    batch = table.combine_chunks().to_batches()[0]
    whole = row_sums(batch, bytes(32), {})
    parts = [row_sums(part, bytes(32), {}) for part in (batch.slice(0, cut), batch.slice(cut)) if part.num_rows]
    assert np.array_equal(np.sum(parts, axis=0, dtype=np.uint64), whole)


@pytest.mark.parametrize("word", [lambda n: f"p{n}", lambda n: f"{n:070d}", lambda n: n], ids=["text", "long", "whole"])
def test_thousands_of_rows_are_told_apart(word: Callable[[int], object]) -> None:
    """Each row alone has a sum of its own, and no bit of it is idle."""
    batch = pa.record_batch({"id": pa.array([word(n) for n in range(4000)])})
    sums = np.array([row_sums(batch.slice(n, 1), bytes(32), {})[1:] for n in range(4000)])
    assert len(np.unique(sums[:, 0])) == len(np.unique(sums[:, 1])) == 4000
    bits = np.unpackbits(sums.view(np.uint8).reshape(4000, -1), axis=1).mean(axis=0)
    assert bits.shape == (128,) and np.abs(bits - 0.5).max() < 0.05  # six deviations
