"""The original next to the release: what can be compared when steps made new columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from schleier.core.errors import DataError
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.measure import Measure

T = TypeVar("T")


def known_columns(columns: Sequence[str], schema: Schema) -> tuple[str, ...]:
    """Those of the columns that a table has: a column that a step made is not in the original.

    >>> from schleier.core.schema import Column
    >>> known_columns(["age", "years"], Schema(columns=[Column(name="age", scale="discrete")]))
    ('age',)
    """
    return tuple(name for name in columns if name in schema)


def estimated_before(same: Measure, original: Dataset, tell: Callable[[Dataset], T]) -> T | None:
    """What a measure with the keys of the release tells of the original; nothing where it cannot be estimated.

    The release is what the finding is about: that the original lacks a key, or has no weights yet, stops nothing.
    """
    if any(same.problems(original.schema)):
        return None
    try:
        return tell(original)
    except DataError:
        return None
