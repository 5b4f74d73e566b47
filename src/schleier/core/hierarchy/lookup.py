"""Rows of labels, leaf first and coarser to the right: what tables and trees have in common."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator

from schleier.core.errors import Problem
from schleier.core.hierarchy.contract import is_text
from schleier.core.hierarchy.numbers import exact_number, number_text
from schleier.core.sql import NOTHING, Typed, choice, is_in, literal, word

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Rows = Sequence[Sequence[str]]


def value_text(value: object) -> object:
    """A value of a recipe as text, the way the same value of a column is; anything else stays as it is.

    >>> value_text(23), value_text(23.0), value_text(True), value_text("23")
    ('23', '23', 'true', '23')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(exact_number(value))
    return value.isoformat() if isinstance(value, date) and not isinstance(value, datetime) else value


def label_text(value: object) -> object:
    """A label as text; "nan" and "inf" are no numbers anybody means."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a number")
    return value_text(value)


Label = Annotated[str, BeforeValidator(label_text)]


def problems(rows: Rows, where: str) -> Iterator[Problem]:
    """What keeps the rows from being one tree, by count."""
    if not any(rows):
        yield Problem("hierarchy-empty", where, "there are no rows")
        return
    lengths = Counter(len(row) for row in rows)
    (usual, _), *others = lengths.most_common()
    if others:
        count = sum(count for _, count in others)
        yield Problem("hierarchy-ragged", where, f"rows that do not have {usual} columns like most: {count}")
    elif usual == 1:
        yield Problem("hierarchy-root", where, "there is one column only", "the last column is the root")
        return
    leaves = Counter(row[0] for row in rows if row)
    twice = sum(count > 1 for count in leaves.values())
    if twice:
        yield Problem("hierarchy-duplicate", where, f"leaves that are listed more than once: {twice}")
    yield from _label_problems(rows, where)


def _label_problems(rows: Rows, where: str) -> Iterator[Problem]:
    """What is wrong above the leaves."""
    parents: dict[tuple[int, str], set[str]] = {}
    for row in rows:
        for level, (child, parent) in enumerate(pairwise(row)):
            parents.setdefault((level, child), set()).add(parent)
    torn = sum(len(found) > 1 for found in parents.values())
    if torn:
        hint = "a label may occur below one coarser label only: give one of them another name"
        yield Problem("hierarchy-not-nested", where, f"labels with more than one parent: {torn}", hint)
    roots = len({row[-1] for row in rows if row})
    if roots != 1:
        hint = "add a last column that is * in every row"
        yield Problem("hierarchy-root", where, f"not exactly one root but {roots}", hint)
    blank = sum(not label for row in rows for label in row[1:])
    if blank:
        yield Problem("hierarchy-blank", where, f"labels that are empty: {blank}")


def find(rows: Rows, values: pa.Array) -> pa.Array:
    """Row of each value, null where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(_text(values), value_set=pa.array([row[0] for row in rows], pa.string()))


def leaves(rows: Rows) -> pa.Array:
    """All leaves, as text."""
    import pyarrow as pa

    return pa.array([row[0] for row in rows], pa.string())


def covers(rows: Rows, values: pa.Array) -> NDArray[np.bool_]:
    """Which values are leaves."""
    found: NDArray[np.bool_] = find(rows, values).is_valid().to_numpy(zero_copy_only=False)
    return found


def labels(rows: Rows, values: pa.Array, level: int) -> pa.Array:
    """The label in the column of the level; null where the value is no leaf."""
    import pyarrow as pa

    return pa.array([row[level] for row in rows], pa.string()).take(find(rows, values))


def may_be_label(rows: Rows, words: pa.Array, level: int) -> NDArray[np.bool_]:
    """Which words stand in the column of the level."""
    import numpy as np

    known = {row[level] for row in rows}
    return np.array([word in known for word in words.to_pylist()], dtype=np.bool_)


def labels_sql(rows: Rows, value: Typed, level: int) -> str | None:
    """``labels`` in SQL: one arm for each label, with the leaves below it."""
    if value.kind in ("time", "zoned"):
        return None  # how a point in time is written differs from engine to engine
    below: dict[str, list[str]] = {}
    for row in rows:
        leaf = literal(_read(row[0], value.kind), value.kind)
        if leaf is not None:
            below.setdefault(row[level], []).append(leaf)
    return choice(((is_in(value.text, leaves), word(label)) for label, leaves in below.items()), NOTHING)


def _read(leaf: str, kind: str) -> object:
    """The one value of a kind that is written like the leaf; nothing when there is none."""
    try:
        match kind:
            case "integer":
                value: object = int(leaf)
            case "number":
                value = float(leaf)
            case "date":
                value = date.fromisoformat(leaf)
            case "boolean":
                value = {"true": True, "false": False}[leaf]
            case _:
                return leaf
    except (ValueError, KeyError):
        return None
    return value if value_text(value) == leaf else None


def _text(values: pa.Array) -> pa.Array:
    """The values as text: 23 and 23.0 are "23"; null where a value has no plain text."""
    import pyarrow as pa
    from pyarrow import types

    kind = values.type
    if types.is_floating(kind):
        numbers = values.cast(pa.float64()).to_pylist()
        return pa.array([number_text(exact_number(x)) for x in numbers], pa.string())
    if types.is_decimal(kind):
        return pa.array([number_text(x) for x in values.to_pylist()], pa.string())
    simple = (types.is_integer, types.is_boolean, types.is_date, types.is_timestamp)
    if is_text(kind) or any(is_a(kind) for is_a in simple):
        return values.cast(pa.string())
    return pa.nulls(len(values), pa.string())
