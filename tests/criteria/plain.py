"""Small tables, and their classes found by looking at every row: what the criteria are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from schleier.core.classes import Classes
from schleier.core.criterion import Criterion, Verdict
from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Schema

SCHEMA = Schema(
    columns=(
        Column(name="place", role="quasi", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="illness", role="sensitive", scale="nominal", hierarchy="illness"),
        Column(name="pay", role="plain", scale="discrete"),
    ),
    hierarchies={
        "illness": parse(
            {"tree": {"lungs": {"infection": ["flu", "cough"], "vessels": ["clot"]}, "belly": {"stomach": ["ulcer"]}}}
        )
    },
)
LEAVES = {
    "flu": ("infection", "lungs"),
    "cough": ("infection", "lungs"),
    "clot": ("vessels", "lungs"),
    "ulcer": ("stomach", "belly"),
}
TYPES = pa.schema({"place": pa.string(), "age": pa.int64(), "illness": pa.string(), "pay": pa.int64()})
ILLNESS, PAY = 2, 3

Row = tuple[str | None, int | None, str | None, int | None]
people: st.SearchStrategy[list[Row]] = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", None]),
        st.sampled_from([1, 1, 2, None]),
        st.sampled_from([*LEAVES, "flu", "flu", None]),
        st.sampled_from([10, 20, 20, 70, 100, None]),
    ),
    min_size=1,
    max_size=25,
)
policies = st.sampled_from(["category", "wildcard", "exclude"])
gaps = st.sampled_from(["value", "ignore"])


def dataset(rows: Sequence[Row], schema: Schema = SCHEMA) -> Dataset:
    columns = [[row[j] for row in rows] for j in range(len(TYPES))]
    return Dataset.from_frame(pa.table(columns, schema=TYPES), schema)


def groups(rows: Sequence[Row], missing: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows of each class."""

    def could_be(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        """A gap of its own may be anything; one of the other hides it."""
        return all(a is None or a == b for a, b in zip(one, other, strict=True))

    keys = {row[:2] for row in rows if missing != "exclude" or None not in row[:2]}
    if missing == "wildcard":
        return {key: [row for row in rows if could_be(key, row[:2])] for key in keys}
    return {key: [row for row in rows if row[:2] == key] for key in keys}


def cells(classes: Classes) -> list[tuple[Any, ...]]:
    """The key values of each class."""
    return [
        tuple(None if code < 0 else values[int(code)].as_py() for code, values in zip(row, classes.values, strict=True))
        for row in classes.codes
    ]


def judged(one: Criterion, data: Dataset) -> tuple[dict[tuple[Any, ...], bool], Verdict]:
    """Which classes a criterion calls bad, and its verdict."""
    (request,) = one.needs(data.schema)
    classes = data.classes(request)
    return dict(zip(cells(classes), one.bad(classes).tolist(), strict=True)), one.judge([classes])


def values(rows: Sequence[Row], column: int, policy: str) -> list[Any]:
    """The sensitive values of some rows, a missing one as a value or left out."""
    return [row[column] for row in rows if policy == "value" or row[column] is not None]


def agrees(
    one: Any,
    rows: Sequence[Row],
    column: int,
    level: Callable[[list[Any], list[Any]], float],
    fails: Callable[..., bool],
) -> None:
    """The criterion tells of every class, and of the worst, what its definition tells."""
    everything = values(rows, column, one.gaps)
    found = {key: values(part, column, one.gaps) for key, part in groups(rows, one.missing).items()}
    bad, verdict = judged(one, dataset(rows))
    assert bad == {key: fails(part, everything) for key, part in found.items()}
    reached = [level(part, everything) for part in found.values()]
    if not reached:
        assert verdict.level is None and verdict.holds
        return
    worst = (max if one.worse == "higher" else min)(reached)
    if worst == float("inf"):
        assert verdict.level is None
    else:
        assert verdict.level is not None and abs(verdict.level - worst) < 1e-8
    assert verdict.holds == (not any(bad.values()))
    assert verdict.bad_classes == sum(bad.values())
