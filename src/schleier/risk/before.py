"""The original next to the release: what can be compared when steps made new columns."""

from __future__ import annotations

from collections.abc import Sequence

from schleier.core.schema import Schema


def known(columns: Sequence[str], schema: Schema) -> tuple[str, ...]:
    """Those of the columns that a table has: a column that a step made is not in the original.

    >>> from schleier.core.schema import Column
    >>> known(["age", "years"], Schema(columns=[Column(name="age", scale="discrete")]))
    ('age',)
    """
    return tuple(name for name in columns if name in schema)
