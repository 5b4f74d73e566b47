"""Small random tables, and who looks alike in them as anybody would count it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema

COLUMNS = (
    Column(name="sex", role="quasi", scale="nominal"),
    Column(name="age", role="quasi", scale="nominal"),
    Column(name="ill", role="sensitive", scale="nominal"),
    Column(name="pay", role="sensitive", scale="continuous"),
    Column(name="home", role="unit", scale="nominal"),
    Column(name="w", role="weight", scale="continuous"),
)
SCHEMA = Schema(columns=COLUMNS)
TYPES = {"pay": pa.float64(), "w": pa.float64()}

letters = st.sampled_from(["a", "b", None])
rows = st.tuples(
    letters,
    letters,
    st.sampled_from(["x", "y", None]),
    st.sampled_from([100.0, 104.0, 300.0, None]),
    st.sampled_from(["h1", "h2", "h3"]),
    st.sampled_from([1.0, 2.5, 4.0]),
)
many = st.lists(rows, min_size=1, max_size=14)


def dataset(people: list[tuple[Any, ...]], schema: Schema = SCHEMA) -> Dataset:
    """The rows as a dataset."""
    names = [column.name for column in schema]
    columns = list(zip(*people, strict=True)) if people else [()] * len(names)
    table = {name: pa.array(each, TYPES.get(name, pa.string())) for name, each in zip(names, columns, strict=True)}
    return Dataset.from_frame(pa.table(table), schema)


def alike(one: tuple[Any, ...], other: tuple[Any, ...], missing: str, keys: int = 2) -> bool:
    """Whether two rows look alike in their first columns."""
    pairs = list(zip(one[:keys], other[:keys], strict=True))
    if missing == "wildcard":
        return all(a is None or b is None or a == b for a, b in pairs)
    return all(a == b for a, b in pairs)


def kept(people: list[tuple[Any, ...]], missing: str, keys: int = 2) -> list[tuple[Any, ...]]:
    """The rows that are looked at."""
    return [row for row in people if missing != "exclude" or None not in row[:keys]]


def sizes(people: list[tuple[Any, ...]], missing: str) -> list[int]:
    """For each row looked at, how many look like it."""
    seen = kept(people, missing)
    return [sum(alike(one, other, missing) for other in seen) for one in seen]
