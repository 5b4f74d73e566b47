"""A hierarchy written out in a table, in the layout of ARX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import model_validator

from schleier.core.errors import Problem, RecipeError, stop
from schleier.core.hierarchy import lookup
from schleier.core.hierarchy.contract import Hierarchy
from schleier.core.hierarchy.lookup import Label
from schleier.core.limits import small_text
from schleier.core.sql import Typed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class Table(Hierarchy):
    """Every value with its coarser labels, leaf first; the last column is the root, whatever it is called.

    >>> import pyarrow as pa
    >>> region = Table(rows=(("Bonn", "NRW", "*"), ("Kiel", "SH", "*")))
    >>> region.labels(pa.array(["Kiel", "Bonn", "Rome"]), 1).to_pylist()
    ['SH', 'NRW', None]
    """

    keys: ClassVar[tuple[str, ...]] = ("table", "rows")

    table: str | None = None
    """CSV file without header, separated by ; or , (UTF-8); relative to the folder of the recipe."""
    rows: tuple[tuple[Label, ...], ...] | None = None
    """The rows themselves: what a resolved recipe stores in place of the file."""

    @model_validator(mode="after")
    def _file_or_rows(self) -> Self:
        if (self.table is None) == (self.rows is None):
            raise ValueError("give either 'table' or 'rows'")
        return self

    @property
    def depth(self) -> int:
        """Columns right of the leaf."""
        return max(map(len, self._read()), default=1) - 1

    def problems(self, where: str) -> Iterator[Problem]:
        """What keeps the rows from being one tree."""
        if self.rows is None:
            yield self._unread(where)
        else:
            yield from lookup.problems(self.rows, where)

    def located(self, folder: Path, where: str = "") -> Hierarchy:
        """The same hierarchy with the rows of the file."""
        if self.table is None:
            return self
        return Table(rows=_load(folder / self.table, self.table, where), outside=self.outside)

    def domain(self, values: pa.Array) -> pa.Array:
        """The leaves."""
        return lookup.leaves(self._read())

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Values that are leaves of the table."""
        return lookup.covers(self._read(), values)

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """The label in the column of the level."""
        return lookup.labels(self._read(), values, level)

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        return lookup.may_be_label(self._read(), words, level)

    def sql(self, value: Typed, level: int) -> str | None:
        """The label of the level for each leaf."""
        return lookup.labels_sql(self._read(), value, level)

    def _read(self) -> tuple[tuple[str, ...], ...]:
        if self.rows is None:
            raise RecipeError(self._unread(""))
        return self.rows

    def _unread(self, where: str) -> Problem:
        return Problem("hierarchy-unread", where, f"the file '{self.table}' has not been read yet")


def _load(path: Path, name: str, where: str) -> tuple[tuple[str, ...], ...]:
    try:
        content = small_text(path, RecipeError, where, "utf-8-sig")
        rows = max((_split(content, separator) for separator in ";,"), key=_shape)
    except FileNotFoundError:
        stop(RecipeError, "hierarchy-file", where, f"there is no file '{name}'", "paths start at the recipe")
    except UnicodeDecodeError:
        stop(RecipeError, "hierarchy-file", where, f"the file '{name}' is not encoded as UTF-8")
    except (OSError, ValueError):
        stop(RecipeError, "hierarchy-file", where, f"the file '{name}' cannot be read")
    if not rows:
        hint = "it holds nothing, or quotes that never close" if content.strip() else ""
        stop(RecipeError, "hierarchy-file", where, f"the file '{name}' has no rows", hint)
    return rows


def _split(content: str, separator: str) -> tuple[tuple[str, ...], ...]:
    """The rows, or none if the text makes no sense with this separator."""
    try:
        lines = csv.reader(io.StringIO(content), delimiter=separator, strict=True)
        return tuple(tuple(row) for row in lines if row)
    except csv.Error:
        return ()


def _shape(rows: tuple[tuple[str, ...], ...]) -> tuple[bool, int]:
    """How much the rows look like a table: equally long, with more than one column."""
    lengths = {len(row) for row in rows}
    return len(lengths) == 1 and lengths != {1}, sum(len(row) for row in rows)
