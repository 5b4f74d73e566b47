"""The combinations of some columns of any file with their counts, for a plan that starts from a table or pilot."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from schleier.core.errors import DataError, Problem, SchemaError, SchleierError, stop
from schleier.core.schema import Column, Schema
from schleier.flow.run.reader import read

Row = tuple[tuple[str | None, ...], Fraction | None]
"""The answers of a combination, missing ones as nothing, and its count or share."""


def read_counts(file: Path, columns: Sequence[str], count: str | None = None, where: str = "data") -> list[Row]:
    """Each combination as text with its number of rows, or each row with the number in the column ``count``.

    >>> from tempfile import mkdtemp
    >>> pilot = Path(mkdtemp()) / "pilot.csv"
    >>> _ = pilot.write_text("sex,age\\nf,1\\nf,1\\nm,2\\n")
    >>> sorted(read_counts(pilot, ["sex", "age"]))
    [(('f', '1'), Fraction(2, 1)), (('m', '2'), Fraction(1, 1))]
    """
    import narwhals as nw

    try:
        described = [Column(name=name, role="quasi", scale="nominal") for name in columns]
        if count is not None:
            described.append(Column(name=count, scale="continuous"))
        schema = Schema(columns=tuple(described), others="drop")
    except SchemaError:
        message = "these questions cannot be columns of one file: two are called the same, or a name is reserved"
        stop(DataError, "bad-parameter", where, message, "names may not begin and end with an underscore, nor be *")
    try:
        data = read(file, schema)
        table = data.grouped(list(columns), {"_n_": nw.len()}) if count is None else data.to_arrow()
    except SchleierError as error:
        raise DataError([Problem(p.code, where, f"{file.name}: {p.message}", p.hint) for p in error.problems]) from None
    numbers = table.column(count or "_n_").to_pylist()
    answers = zip(*(map(_text, table.column(name).to_pylist()) for name in columns), strict=True)
    return list(zip(answers, map(_fraction, numbers), strict=True))


def _text(value: Any) -> str | None:
    """A value as text; whole numbers without a point, whatever the file keeps them as."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)


def _fraction(value: Any) -> Fraction | None:
    """A number as it is written."""
    try:
        return None if value is None else Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, OverflowError):
        return None
