"""Small population tables, and what every class of a table shares with them by looking at every person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from criteria.plain import SCHEMA, Row, dataset
from schleier.core.data import Dataset
from schleier.core.schema import Column

Person = tuple[str | None, int | None, int]
"""Place, age, and how many persons there are like that."""
crowds: st.SearchStrategy[list[Person]] = st.lists(
    st.tuples(st.sampled_from(["x", "y", "z", None]), st.sampled_from([1, 2, 3, None]), st.integers(0, 6)),
    min_size=1,
    max_size=12,
)
COUNT = Column(name="persons", role="weight", scale="discrete")
PEOPLE = SCHEMA.model_copy(update={"columns": (SCHEMA["place"], SCHEMA["age"], COUNT)})


def crowd(people: Sequence[Person]) -> Dataset:
    types = pa.schema({"place": pa.string(), "age": pa.int64(), "persons": pa.int64()})
    return Dataset.from_frame(pa.table([list(c) for c in zip(*people, strict=True)] or [[]] * 3, schema=types), PEOPLE)


def among(rows: Sequence[Row], people: Sequence[Person]) -> Dataset:
    """A dataset with its population; the same table serves as gazetteer."""
    found = crowd(people)
    return replace(dataset(rows), populations={"population": found, "gazetteer": found})


def same(one: Sequence[Any], other: Sequence[Any], missing: str) -> bool:
    """Whether a class matches a person; only a gap of the class may be anything."""
    if missing == "wildcard":
        return all(a is None or a == b for a, b in zip(one, other, strict=True))
    return tuple(one) == tuple(other)


def matching(key: Sequence[Any], people: Sequence[Person], missing: str) -> int:
    """Persons in a class."""
    return sum(person[2] for person in people if same(key, person[: len(key)], missing))
