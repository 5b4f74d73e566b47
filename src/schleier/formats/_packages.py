"""Files of statistical packages, read by ReadStat: what SPSS, Stata and SAS have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.errors import DataError, EngineError, Problem, Problems, stop
from schleier.core.format import Format, Kind
from schleier.formats._checks import check_file, check_names
from schleier.formats._clocks import Clock
from schleier.formats._values import tags_of, to_arrow
from schleier.formats._variables import Nature, Variable, variable_of

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.dictionary import Entry
    from schleier.core.schema import Column, Layout, Schema

CELLS, PARTS = 4_000_000, 16
"""Values read at once, and into how many parts a file is cut at most: each part passes over those before it."""
DENSEST = 1_100
"""Values one byte of a file can hold, packed as tightly as any package packs; a file that claims more is damaged."""
ENCODING = ("encoding", "charset", "character set", "convert string")


class Package(Format, ABC):
    """A format read by ReadStat; a package says how its formats are to be understood."""

    reading = "batches"
    explains = True
    title: ClassVar[str]
    """The name of the package in messages."""
    clock: ClassVar[Clock]

    @abstractmethod
    def nature(self, storage: str, form: str) -> Nature:
        """What storage type and format of a variable tell."""

    @abstractmethod
    def ability(self, path: Path) -> str:
        """Name of the function of pyreadstat for this file."""

    def options(self, path: Path, *, tags: bool) -> dict[str, Any]:
        """Options of that function; with ``tags`` extended missing values are told apart."""
        return {"user_missing": tags}

    def check(self, path: Path) -> None:
        """Stop at files the library cannot read, for a reason that can be seen from outside."""
        check_file(path)

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> dict[str, Kind]:
        """Names of the variables and their kinds, from the dictionary of the file."""
        return {name: variable.kind for name, variable in self._variables(path)[0].items()}

    def dictionary(self, path: Path, part: str = "") -> dict[str, Entry]:
        """Labels of variables and values, codes for missing, and measures."""
        return {name: variable.entry for name, variable in self._variables(path)[0].items()}

    def batches(self, path: Path, described: Schema | None = None, part: str = "") -> Iterator[pa.RecordBatch]:
        """The rows in file order; only described columns, of the types their scales ask for."""
        import pyarrow as pa

        variables, rows = self._variables(path)
        wanted = None if described is None else {*described.names, described.key}
        variables = {name: v for name, v in variables.items() if wanted is None or name in wanted}
        columns = {} if described is None else {column.name: column for column in described}
        if described is not None and described.row_key:
            columns[described.row_key] = _key(described.row_key)
        tagged = {name for name, variable in variables.items() if tags_of(variable, columns.get(name))}
        # Without a schema the values decide between whole and broken, so all of them are looked at together.
        step = rows or 0 if described is None else _step(rows, len(variables))
        for start in range(0, rows or 1, step or rows or 1):
            values = self._values(path, [*variables], start, step, tagged)
            found = Problems()
            arrays = [
                to_arrow(values[name], variable, columns.get(name), self.clock, start, found)
                for name, variable in variables.items()
            ]
            found.raise_as(DataError)
            yield pa.record_batch(arrays, names=[*variables])

    def _variables(self, path: Path) -> tuple[dict[str, Variable], int | None]:
        """The variables of a file, and its number of rows where it tells."""
        self.check(path)
        _, told = self._ask(path, metadataonly=True, **self.options(path, tags=True))
        names = told.column_names
        if None in names:
            raise self.damaged(path)
        # The library renames what repeats.
        check_names([name.split("_duplicated")[0] if _twice(name, names) else name for name in names], str(path))
        rows = told.number_rows
        if (rows or 0) * len(names) > DENSEST * path.stat().st_size:
            raise self.damaged(path)
        labels, gaps, measures = told.variable_value_labels, told.missing_ranges, told.variable_measure
        found = {}
        for name, title in zip(names, told.column_labels, strict=True):
            nature = self.nature(told.readstat_variable_types[name], told.original_variable_types[name] or "")
            more = (labels.get(name, {}), gaps.get(name, ()), measures.get(name, ""))
            found[name] = variable_of(name, nature, title or "", *more)
        return found, rows

    def _values(self, path: Path, names: Sequence[str], start: int, limit: int, tagged: set[str]) -> dict[str, Any]:
        """Values of some rows, column by column; extended missing values as letters in the ``tagged`` columns only."""
        part = {"usecols": list(names), "row_offset": start, "row_limit": limit}
        values, told = self._ask(path, **part, **self.options(path, tags=bool(tagged)))
        for name in {*told.missing_user_values} - tagged:
            values[name] = [None if isinstance(value, str) else value for value in values[name]]
        return dict(values)

    def _ask(self, path: Path, **options: Any) -> tuple[Any, Any]:
        """Let the library read; what it says of a damaged file may quote bytes and is never passed on."""
        import warnings

        read = getattr(library(), self.ability(path))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns of names that repeat, which we refuse
                return read(str(path), output_format="dict", disable_datetime_conversion=True, **options)  # type: ignore[no-any-return]
        except MemoryError:
            raise
        except Exception as error:
            text = str(error).lower()
            encoding = isinstance(error, UnicodeError) or any(word in text for word in ENCODING)
        if encoding:
            message = f"this {self.title} file holds text that is not in the character encoding it names"
            stop(DataError, "bad-encoding", str(path), message, f"save it again as Unicode (UTF-8) in {self.title}")
        raise self.damaged(path)

    def damaged(self, path: Path) -> DataError:
        """The error that a file is not what it should be."""
        message = f"this {self.title} file cannot be read: it is damaged, cut short, or something else under this name"
        return DataError(Problem("broken-file", str(path), message, "get a fresh copy, or save it again"))


def library() -> Any:
    """The library that knows these formats; it comes with the optional extra ``io``."""
    try:
        return import_module("pyreadstat")
    except ImportError:
        message = "files of statistical packages need pyreadstat"
        stop(EngineError, "not-installed", "data", message, 'pip install "schleier[io]"')


def _step(rows: int | None, columns: int) -> int:
    """Rows to read at once; 0 for all of a file that does not count its rows.

    >>> _step(1_000_000, 10), _step(1_600_000_000, 10), _step(None, 10)
    (400000, 100000000, 0)
    """
    return max(-(-rows // PARTS), CELLS // max(columns, 1), 1) if rows else 0


def _twice(name: str, names: Sequence[str]) -> bool:
    """Whether the library gave this name to a variable because another one has it."""
    first, mark, _ = name.partition("_duplicated")
    return bool(mark) and first in names


def _key(name: str) -> Column:
    """The row key as a column: whole numbers or text."""
    from schleier.core.schema import Column

    return Column(name=name, scale="nominal")
