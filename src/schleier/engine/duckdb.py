"""The embedded engine: DuckDB in this process, spilling to disk when memory is short."""

from __future__ import annotations

import atexit
import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.engine import Kernel, Resources, Source, Summand, draw_prefix
from schleier.core.errors import DataError, stop
from schleier.core.failures import guard_verbs
from schleier.core.leftovers import private_folder, remove
from schleier.core.limits import size_of
from schleier.core.sql import quoted
from schleier.engine._groups import added_up, arrow_type, consecutive_groups, in_turn, run_kernel
from schleier.engine._later import let_pandas_wait
from schleier.engine._stage import is_table, staged, with_ordinal

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    from schleier.core.errors import Problem
    from schleier.core.schema import Schema

DRAW_BITS = 52
GROUP_BATCH = 200_000
FOLD_CELLS, FOLD_ROWS = 1_000_000, 2_000
"""Cells handed over at a time in ``fold``, but no fewer than so many rows."""
ROW_NUMBER = "file_row_number"
"""What DuckDB calls the ordinal of a row in its Parquet file."""
BESIDES = 300_000_000
"""Bytes a run was seen to need beside what DuckDB counts, from 1 to 4 GB: programs, threads, rows on their way out."""
WIDE, SLOW_WHEN_WIDE = 1000, "statistics_propagation,compressed_materialization,join_order"
"""These optimizers take the square of the number of columns: from here on they cost more than they gain."""
OFFLINE: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
"""No network at run time."""


@guard_verbs
class Duckdb:
    """Runs everything on this machine."""

    distributed: ClassVar[bool] = False

    @staticmethod
    def problems(schema: Schema) -> Iterable[Problem]:
        """See ``Engine.problems``: it takes any columns."""
        return ()

    def __init__(self, resources: Resources = Resources()) -> None:  # noqa: B008  # frozen, so safe to share
        import duckdb

        let_pandas_wait()
        _no_literal_warnings()
        config = dict(OFFLINE)
        if resources.memory_limit:
            config["memory_limit"] = f"{_share(size_of(resources.memory_limit))}B"
        if resources.threads:
            config["threads"] = resources.threads
        self.work = private_folder(resources.work)
        config["temp_directory"] = str(self.work / "spill")
        try:
            self.connection = duckdb.connect(":memory:", config=config)
            self.connection.execute("SET enable_progress_bar = false")  # the terminal is ours
            self.connection.execute("SET TimeZone = 'UTC'")  # a day is the same day on every machine
            # Shapes of a map are never read: what a file says about them may be wrong.
            self.connection.execute("SET enable_geoparquet_conversion = false")
        except duckdb.Error:
            remove(self.work)
            raise
        self.closed = False
        self._names = (f"kept_{i}" for i in itertools.count())
        self._held: list[pa.Table] = []  # DuckDB scans Arrow tables in place: they must outlive the relation
        atexit.register(self.close)

    def read(self, source: Source) -> nw.LazyFrame[Any]:
        """See ``Engine.read``."""
        rows = self._from_arrow(source.at, source.ordinal) if is_table(source.at) else self._from_file(source)
        if len(rows.columns) > WIDE:
            self.connection.execute(f"SET disabled_optimizers = '{SLOW_WHEN_WIDE}'")
        return self._lazy(rows)

    def write(self, frame: nw.LazyFrame[Any], path: Path, order: Sequence[str], columns: Sequence[str]) -> None:
        """See ``Engine.write``."""
        rows = frame.to_native().order(", ".join(map(quoted, order))).project(", ".join(map(quoted, columns)))
        rows.write_parquet(str(path))

    def keep(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """See ``Engine.keep``."""
        name = next(self._names)
        frame.to_native().create(name)
        return self._lazy(self.connection.table(name))

    def arrays(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """See ``Engine.arrays``."""
        return frame.to_native().to_arrow_table()

    def fold(self, frame: nw.LazyFrame[Any], summand: Summand) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """See ``Engine.fold``."""
        rows = frame.to_native()
        with rows.to_arrow_reader(max(FOLD_CELLS // len(rows.columns), FOLD_ROWS)) as reader:
            return added_up(in_turn(summand, (batch for batch in reader if batch.num_rows)))

    def draw(
        self, frame: nw.LazyFrame[Any], by: str, key: bytes, into: str, where: str | None = None
    ) -> nw.LazyFrame[Any]:
        """See ``Engine.draw``."""
        text = f"'{draw_prefix(key)}' || coalesce(CAST({quoted(by)} AS VARCHAR), '')"
        bits = f"CAST('0x' || substr(sha256({text}), 1, {DRAW_BITS // 4}) AS UBIGINT)"
        uniform = f"CAST({bits} AS DOUBLE) / CAST({2**DRAW_BITS} AS DOUBLE)"
        drawn = uniform if where is None else f"CASE WHEN {quoted(where)} THEN {uniform} END"
        return self._lazy(frame.to_native().project(f"*, {drawn} AS {quoted(into)}"))

    def map_groups(
        self,
        frame: nw.LazyFrame[Any],
        by: Sequence[str],
        kernel: Kernel,
        changes: Mapping[str, nw.dtypes.DType],
        given: Sequence[str],
        row_key: str,
    ) -> nw.LazyFrame[Any]:
        """See ``Engine.map_groups``."""
        import narwhals as nw
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = list(dict.fromkeys([*by, row_key, *changes, *given]))
        rows = frame.to_native().project(", ".join(map(quoted, wanted)))
        rows = rows.order(", ".join(quoted(name) for name in [*by, row_key]))
        types = {name: arrow_type(dtype) for name, dtype in changes.items()}
        with rows.to_arrow_reader(GROUP_BATCH) as reader:
            fields = [reader.schema.field(row_key), *(pa.field(name, kind) for name, kind in types.items())]
            schema = pa.schema(fields)
            path = self.work / f"{next(self._names)}.parquet"
            with pq.ParquetWriter(path, schema) as writer:
                for group in consecutive_groups(reader, by):
                    writer.write_table(run_kernel(group, kernel, types, row_key).cast(schema))
        names = frame.collect_schema().names()
        result = self._lazy(self.connection.read_parquet(str(path)))
        return frame.drop(*changes).join(result, on=row_key, how="left").select(*(nw.col(name) for name in names))

    def close(self) -> None:
        """See ``Engine.close``."""
        atexit.unregister(self.close)
        self.closed = True
        self.connection.close()
        self._held.clear()
        remove(self.work)

    def _from_file(self, source: Source) -> duckdb.DuckDBPyRelation:
        with self.connection.cursor() as cursor:  # a failed conversion must not leave its result open on ours
            path = staged(source, cursor, self.work)
        rows = self.connection.read_parquet(str(path))
        if source.ordinal is not None:
            if ROW_NUMBER in rows.columns:
                hint = "rename it, or declare a row_key"
                stop(DataError, "reserved-name", "data", f"the file has a column '{ROW_NUMBER}'", hint)
            rows = self.connection.read_parquet(str(path), file_row_number=True)
            rows = rows.project(f"* EXCLUDE ({ROW_NUMBER}), {ROW_NUMBER} AS {quoted(source.ordinal)}")
        return rows

    def _from_arrow(self, table: pa.Table, ordinal: str | None) -> duckdb.DuckDBPyRelation:
        if ordinal is not None:
            table = with_ordinal(table, ordinal)
        self._held.append(table)
        return self.connection.from_arrow(table)

    def _lazy(self, rows: duckdb.DuckDBPyRelation) -> nw.LazyFrame[Any]:
        import narwhals as nw

        lazy: nw.LazyFrame[Any] = nw.from_native(rows)
        return lazy


def _share(limit: int) -> int:
    """Bytes DuckDB may count of a limit for the process: what it does not count, and our own, need some of it.

    >>> _share(4_000_000_000), _share(1_000_000_000)
    (3700000000, 800000000)
    """
    return max(limit - BESIDES, limit * 4 // 5)


def _no_literal_warnings() -> None:
    """Switch off a check of DuckDB 2.0 that looks for column names among the literals of every expression.

    It takes the square of the number of columns (minutes for ten thousand), and its warning quotes the literal.
    """
    from duckdb import _relation

    if hasattr(_relation, "_warn_on_literal_names"):
        _relation._warn_on_literal_names = lambda value, columns: None
