"""A small file, what an attacker holds about the same persons, and who is who."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.schema import Column, Schema

COLUMNS = (
    Column(name="age", role="quasi", scale="discrete"),
    Column(name="sex", role="quasi", scale="nominal"),
    Column(name="town", role="quasi", scale="nominal"),
)
PEOPLE: dict[str, list[Any]] = {
    "id": ["p1", "p2", "p3", "p4", "p5"],
    "age": [30, 40, 50, None, 60],
    "sex": ["f", "m", "f", "m", None],
    "town": ["A", "B", "A", "C", "C"],
}
HELD: dict[str, list[Any]] = {
    "entry": [11, 12, 13, 14, 15, 16],
    "age": [30, 41, 50, 70, 60, 30],
    "sex": ["f", "m", "f", "m", None, "f"],
    "town": ["A", "C", "A", "C", None, "A"],
}
WHO = {"id": ["p1", "p2", "p3", "p4", "p5", "gone"], "entry": [11, 12, 13, 14, 15, 16]}
"""p1 and p3 are recorded alike; p2 differs in age and town, p4 and p5 where one file has a gap."""


def case(
    people: dict[str, list[Any]] | None = None, who: dict[str, list[Any]] | None = None, on: Any = None, **more: Any
) -> Case:
    """The example, or another file with its columns."""
    original = Dataset.from_frame(pa.table(people or PEOPLE), Schema(columns=COLUMNS, row_key="id"), on)
    known = Dataset.from_frame(pa.table(HELD), Schema(columns=COLUMNS, row_key="entry"), original.engine)
    pairs = Schema(columns=[Column(name="id", scale="text"), Column(name="entry", scale="discrete")])
    truth = Dataset.from_frame(pa.table(who or WHO), pairs, original.engine).frame.select("id", "entry")
    return Case(original, more.pop("released", original), known=known, truth=truth, **more)
