"""What every attack must honour: it finds people in the open, nobody in noise, and tells no names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.testing import example_table

from .conftest import KEY, made, to_do

Load = Callable[..., Dataset]
KNOWLEDGE = {"exact", "file", "record", "member"}


def test_finds_people_in_an_unprotected_file(attack: str, load: Load) -> None:
    data = load()
    finding = made("attack", attack).measure(Case(data, data), Run(key=KEY))
    found = "on the open file its example must find more than blind guessing does, even at the low end of its interval"
    told = to_do("attack", attack, found)
    assert finding.low is not None and finding.high is not None, told
    assert finding.detail["baseline"] < finding.low <= finding.value <= finding.high, told


def test_same_key_same_finding(attack: str, load: Load) -> None:
    data, one = load(), made("attack", attack)
    told = to_do("attack", attack, "two runs with one key differ: take draws from run.draw and run.rng alone")
    assert one.measure(Case(data, data), Run(key=KEY)) == one.measure(Case(data, data), Run(key=KEY)), told


def test_order_of_rows_does_not_matter(attack: str, load: Load) -> None:
    one, table = made("attack", attack), example_table()
    order = pa.array(np.random.default_rng(7).permutation(len(table)))
    data, shuffled = load(table), load(table.take(order))
    told = to_do("attack", attack, "the finding depends on the order of rows: which of equal claims is made must not")
    assert one.measure(Case(shuffled, shuffled), Run(key=KEY)) == one.measure(Case(data, data), Run(key=KEY)), told


def test_answers_counts_only(attack: str, load: Load) -> None:
    data = load()
    detail = made("attack", attack).measure(Case(data, data), Run(key=KEY)).detail
    known = set(data.schema.names)
    for value in detail.values():
        words = value if isinstance(value, list) else [value]
        plain = all(word is None or isinstance(word, int | float) or word in known | KNOWLEDGE for word in words)
        assert plain, to_do("attack", attack, "the detail holds numbers and names of columns, nothing else")


def test_control_people_are_never_found(attack: str, load: Load) -> None:
    table = example_table()
    inside, outside = load(table.slice(0, 120)), load(table.slice(120))
    one = made("attack", attack)
    finding = one.measure(Case(inside, inside, control=outside), Run(key=KEY))
    told = to_do("attack", attack, "control_claims is the share of claims about people who are not in the release")
    if one.members_only:
        assert finding.detail.get("control_claims") is None, told
    else:
        assert 0 <= finding.detail["control_claims"] <= 1, told
    assert math.isfinite(finding.value), told


@pytest.mark.spark
def test_equal_on_spark(attack: str, load: Load, distributed: Any) -> None:
    one = made("attack", attack)
    here, there = load(), load(on=distributed)
    told = to_do("attack", attack, "Spark and DuckDB differ: which of equal claims is made must not depend on rows")
    assert one.measure(Case(there, there), Run(key=KEY)) == one.measure(Case(here, here), Run(key=KEY)), told
