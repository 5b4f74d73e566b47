"""Dropping columns: the first step of every release."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.drop import Drop

SCHEMA = Schema(columns=[Column(name="a", scale="discrete"), Column(name="b", scale="nominal")])


def test_the_column_is_gone_from_rows_and_schema() -> None:
    data = Dataset.from_frame(pa.table({"a": [1, 2], "b": ["x", "y"]}), SCHEMA)
    after = Drop(columns=["b"]).apply(data, Run())
    assert after.schema.names == ("a",)
    assert "b" not in after.frame.collect_schema().names()
    assert after.to_arrow().to_pydict() == {"a": [1, 2]}


def test_an_unknown_column_is_named() -> None:
    assert [p.code for p in Drop(columns=["c"]).problems(SCHEMA)] == ["unknown-column"]
    with pytest.raises(SchleierError):
        Drop(columns=[])
