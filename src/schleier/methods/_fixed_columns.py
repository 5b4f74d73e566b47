"""Columns whose values belong to their records: changing them breaks the design of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schleier.core.component import listed
from schleier.core.errors import Problem
from schleier.core.schema import Schema


def fixed_columns(schema: Schema, names: Sequence[str], where: str = "columns") -> Iterator[Problem]:
    """The problem that weights or units would be changed: what a record stands for, and whom it is about.

    >>> from schleier.core.schema import Column
    >>> schema = Schema(columns=[Column(name="w", role="weight", scale="continuous")])
    >>> [problem.code for problem in fixed_columns(schema, ["w"])]
    ['fixed-column']
    """
    fixed = [name for name in names if name in schema and schema[name].role in ("unit", "weight")]
    if fixed:
        message = f"weights and units belong to their records: {listed(fixed)}"
        yield Problem("fixed-column", where, message, "leave them out")
