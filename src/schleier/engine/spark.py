"""The distributed engine: the same seven verbs on Apache Spark (extra ``schleier[spark]``)."""

from __future__ import annotations

import atexit
import itertools
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.component import listed
from schleier.core.engine import Kernel, Resources, Source, Summand, draw_prefix
from schleier.core.errors import Problem
from schleier.core.failures import guard_verbs
from schleier.core.leftovers import private_folder, remove
from schleier.engine._groups import added_up, arrow_type, run_kernel
from schleier.engine._spark_session import expect, is_local, session_for
from schleier.engine._stage import in_parts, is_table, staged, with_ordinal
from schleier.engine.duckdb import DRAW_BITS, OFFLINE

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from schleier.core.schema import Schema

FEW = 32 * 2**20
"""Bytes of a frame that is handed over as a whole rather than to workers."""


@guard_verbs
class Spark:
    """Runs on the active Spark session, or on a local one started for the purpose."""

    distributed: ClassVar[bool] = True

    @staticmethod
    def problems(schema: Schema) -> Iterable[Problem]:
        """See ``Engine.problems``: Spark takes dots and backticks in names for its own."""
        odd = [name for name in (*schema.names, schema.key) if set(name) & set(".`")]
        if odd:
            message = f"on Spark no name may hold a dot or a backtick: {listed(odd)}"
            yield Problem("odd-names", "schema", message, 'rename them, or run it with engine "duckdb"')

    def __init__(self, resources: Resources = Resources()) -> None:  # noqa: B008  # frozen, so safe to share
        self._resources = resources
        self._session: SparkSession | None = None
        self.work = private_folder(resources.work)
        self._names = (f"kept_{i}" for i in itertools.count())
        atexit.register(self.close)

    @property
    def session(self) -> SparkSession:
        """The session, started when it is first asked for."""
        return self._session or self._for(0)

    def _for(self, size: int) -> SparkSession:
        """The session, for a file of so many bytes: the first one decides how it is started."""
        if self._session is None:
            self._session = session_for(self._resources, size)
        expect(self._session, size)
        return self._session

    def read(self, source: Source) -> nw.LazyFrame[Any]:
        """See ``Engine.read``."""
        import duckdb

        if is_table(source.at):
            table = source.at if source.ordinal is None else with_ordinal(source.at, source.ordinal)
            return _lazy(self._for(table.nbytes).createDataFrame(_plain(table)))
        with duckdb.connect(
            config=OFFLINE
        ) as connection:  # one reader of text files for both engines: same ordinals, same errors
            path = staged(source, connection, self.work)
        if is_local(session := self._for(path.stat().st_size)):
            path = in_parts(path, session.sparkContext.defaultParallelism, self.work)
        rows = session.read.parquet(str(path.resolve()))
        if source.ordinal is not None:
            rows = rows.selectExpr("*", f"_metadata.row_index AS {ticked(source.ordinal)}")
        return _lazy(rows)

    def write(self, frame: nw.LazyFrame[Any], path: Path, order: Sequence[str], columns: Sequence[str]) -> None:
        """See ``Engine.write``: sorted parts, then one file from the parts in order."""
        import pyarrow.parquet as pq

        parts = self.work / next(self._names)
        rows = frame.to_native().sort(*map(ticked, order)).select(*map(ticked, columns))
        rows.write.parquet(str(parts))
        files = sorted(parts.glob("part-*.parquet"))
        with pq.ParquetWriter(path, pq.read_schema(files[0]).remove_metadata()) as writer:
            for file in files:
                part = pq.ParquetFile(file, pre_buffer=False)
                for batch in part.iter_batches():
                    writer.write_batch(batch)
        shutil.rmtree(parts)

    def keep(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """See ``Engine.keep``."""
        path = self.work / next(self._names)
        rows = frame.to_native()
        rows.write.parquet(str(path))
        return _lazy(self.session.read.schema(rows.schema).parquet(str(path)))  # else a job looks for the types

    def arrays(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """See ``Engine.arrays``."""
        return frame.to_native().toArrow()

    def fold(self, frame: nw.LazyFrame[Any], summand: Summand) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """See ``Engine.fold``: each partition adds up its own rows; few are added up here, without workers."""
        import numpy as np
        import pyarrow as pa

        rows = frame.to_native()
        if _bytes(rows) <= FEW:
            return added_up(summand(batch) for batch in rows.toArrow().to_batches() if batch.num_rows)

        def part(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            found = added_up(summand(batch) for batch in batches if batch.num_rows)
            yield pa.record_batch({"_sum_": pa.array([found.tobytes()], pa.binary())})

        parts = rows.mapInArrow(part, "`_sum_` binary").toArrow()["_sum_"].to_pylist()
        return added_up(np.frombuffer(one, np.uint64) for one in parts if one)

    def draw(
        self, frame: nw.LazyFrame[Any], by: str, key: bytes, into: str, where: str | None = None
    ) -> nw.LazyFrame[Any]:
        """See ``Engine.draw``."""
        from pyspark.sql import functions as F  # noqa: N812  # as every Spark programme writes it

        text = F.coalesce(F.col(ticked(by)).cast("string"), F.lit(""))
        digest = F.sha2(F.concat(F.lit(draw_prefix(key)), text), 256)
        bits = F.conv(F.substring(digest, 1, DRAW_BITS // 4), 16, 10).cast("long")
        uniform = bits.cast("double") / F.lit(float(2**DRAW_BITS))
        return _lazy(frame.to_native().withColumn(into, uniform if where is None else F.when(F.col(where), uniform)))

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
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

        rows = frame.to_native()
        types = {name: arrow_type(dtype) for name, dtype in changes.items()}
        held = to_arrow_schema(rows.select(ticked(row_key)).schema)
        schema = pa.schema([held.field(0), *(pa.field(name, kind) for name, kind in types.items())])

        def on_group(group: pa.Table) -> pa.Table:
            return run_kernel(group.sort_by(row_key), kernel, types, row_key).cast(schema)

        wanted = list(dict.fromkeys([*by, row_key, *changes, *given]))
        grouped = rows.select(*map(ticked, wanted)).groupBy(*map(ticked, by))
        result = _lazy(grouped.applyInArrow(on_group, from_arrow_schema(schema)))
        names = frame.collect_schema().names()
        return frame.drop(*changes).join(result, on=row_key, how="left").select(*(nw.col(name) for name in names))

    def close(self) -> None:
        """See ``Engine.close``; the session stays, others may be using it."""
        atexit.unregister(self.close)
        remove(self.work)


def _bytes(rows: DataFrame) -> float:
    """How many bytes Spark expects to read, as it plans joins by; infinitely many where it does not say."""
    plan = getattr(rows, "_jdf", None)  # a remote session has none
    return float("inf") if plan is None else float(plan.queryExecution().optimizedPlan().stats().sizeInBytes())


def ticked(name: str) -> str:
    """A column name as Spark wants it, dots and all.

    >>> ticked("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def _plain(table: pa.Table) -> pa.Table:
    """Arrow types Spark has no equal of (dictionaries, unsigned and large types) in the nearest plain ones."""
    import pyarrow as pa

    def plain(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(kind):
            return plain(kind.value_type)
        if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            return pa.string()
        if pa.types.is_unsigned_integer(kind):
            return pa.int64()
        return kind

    return table.cast(pa.schema([pa.field(field.name, plain(field.type)) for field in table.schema]))


def _lazy(rows: DataFrame) -> nw.LazyFrame[Any]:
    import narwhals as nw

    lazy: nw.LazyFrame[Any] = nw.from_native(rows)
    return lazy
