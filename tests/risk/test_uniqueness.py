"""Uniqueness before and after."""

from __future__ import annotations

import pyarrow as pa

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.recode import Recode
from schleier.risk.uniqueness import Uniqueness

SCHEMA = Schema(columns=(Column(name="age", role="quasi", scale="discrete"), Column(name="x", scale="nominal")))
DATA = Dataset.from_frame(pa.table({"age": [20, 21, 21, 40, None], "x": ["a", "b", "b", "a", "a"]}), SCHEMA)


def test_before_and_after() -> None:
    released = Recode(column="age", breaks=[30]).apply(DATA, Run())
    finding = Uniqueness().measure(Case(DATA, released), Run())
    assert finding.detail["before"]["unique"] == 3
    assert finding.detail["after"]["unique"] == 2  # the one over thirty, and the one without an age
    assert finding.value == 2 / 5
    assert finding.detail["after"]["in_pairs"] == 0
    assert finding.detail["before"]["in_pairs"] == 2


def test_missing_may_be_anything_or_nothing() -> None:
    def unique(missing: str) -> float:
        return Uniqueness(missing=missing).measure(Case(DATA, DATA), Run()).detail["after"]["unique"]

    assert unique("category") == 3
    assert unique("wildcard") == 0  # the row without an age could be any of the others
    assert unique("exclude") == 2


def test_no_keys_is_a_problem() -> None:
    assert [p.code for p in Uniqueness().problems(SCHEMA.without(["age"]))] == ["no-keys"]
