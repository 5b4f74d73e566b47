"""What the tests of partitions share: tables with keys of every kind, and a slow reading of labels."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

KEY = bytes(range(32))
TOWNS = {"Bonn": "west", "Köln": "west", "Essen": "west", "Kiel": "north", "Husum": "north", "Ulm": "south"}
PLACES = parse({"rows": [[town, area, "*"] for town, area in TOWNS.items()]})
SCHEMA = Schema(
    columns=(
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="job", role="quasi", scale="nominal"),
        Column(name="town", role="quasi", scale="place", hierarchy="town"),
        Column(name="disease", role="sensitive", scale="nominal"),
    ),
    hierarchies={"town": PLACES},
)
TYPES = {"age": pa.int64(), "job": pa.string(), "town": pa.string(), "disease": pa.string()}
KEYS = ("age", "job", "town")
Row = tuple[Any, ...]


def rows_of(*, gaps: bool = True, least: int = 1, most: int = 40) -> st.SearchStrategy[list[Row]]:
    """Rows with few different values, so that there are ties; some are missing."""

    def maybe(values: list[Any]) -> st.SearchStrategy[Any]:
        return st.sampled_from([*values, None] if gaps else values)

    row = st.tuples(
        maybe([1, 2, 3, 5, 8, 13, 21]), maybe(["cook", "smith", "pilot"]), maybe([*TOWNS]), st.sampled_from("abc")
    )
    return st.lists(row, min_size=least, max_size=most)


def data_of(rows: list[Row], schema: Schema = SCHEMA) -> Dataset:
    columns = {name: pa.array([row[j] for row in rows], TYPES[name]) for j, name in enumerate(TYPES)}
    return Dataset.from_frame(pa.table(columns), schema)


def released(step: Any, data: Dataset, key: bytes = KEY) -> list[Row]:
    """The rows after a step, in the order of the original."""
    run = Run(key)
    with run.within("step"):
        return rows(step.apply(data, run))


def rows(data: Dataset) -> list[Row]:
    return list(zip(*data.to_arrow().to_pydict().values(), strict=True))


def covers(label: str | None, value: Any, column: str) -> bool:
    """Whether a label says the truth about a value: read from its text alone."""
    if label == "*":
        return True
    if label is None or value is None:
        return label is None and value is None
    if label == str(value):
        return True
    if column == "town":
        return TOWNS[value] == label
    if column == "job":
        return label.startswith("{") and str(value) in label.strip("{}").split(", ")
    if match := re.fullmatch(r"(\d+)-(\d+)", label):
        return int(match[1]) <= value <= int(match[2])
    if match := re.fullmatch(r"<(\d+)", label):
        return bool(value < int(match[1]))
    match = re.fullmatch(r">=(\d+)", label)
    return bool(match and value >= int(match[1]))


def truthful(before: list[Row], after: list[Row]) -> bool:
    """Whether every label covers the value it stands for, and everything else is as it was."""
    return len(before) == len(after) and all(
        all(covers(label, value, column) for label, value, column in zip(new, old, KEYS, strict=False))
        and new[len(KEYS) :] == old[len(KEYS) :]
        for new, old in zip(after, before, strict=True)
    )


def smallest(rows: list[Row]) -> int:
    """Records of the rarest combination of keys."""
    return min(Counter(row[: len(KEYS)] for row in rows).values())


def least_diverse(rows: list[Row]) -> int:
    """Diseases in the least diverse class."""
    classes: dict[Row, set[str]] = {}
    for row in rows:
        classes.setdefault(row[: len(KEYS)], set()).add(row[-1])
    return min(map(len, classes.values()))
