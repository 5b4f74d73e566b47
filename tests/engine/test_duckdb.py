"""The embedded engine: what it may use, what it leaves behind, and what its errors never say."""

from __future__ import annotations

import errno
import traceback
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schleier.core.data import Dataset
from schleier.core.engine import Resources, Source
from schleier.core.errors import DataError, EngineError, Problem, SchleierError
from schleier.core.failures import explain_failure, guarded
from schleier.core.schema import Column, Schema
from schleier.core.sql import quoted
from schleier.engine.duckdb import WIDE, Duckdb

SECRET = "zzz-planted-marker"
ODD = """a"b'c`d.e;--"""


def setting(engine: Duckdb, name: str) -> Any:
    return engine.connection.sql(f"SELECT current_setting('{name}')").fetchall()[0][0]


def test_it_uses_what_it_was_given_and_gives_it_back(tmp_path: Path) -> None:
    engine = Duckdb(Resources(work=tmp_path, memory_limit="300MB", threads=1))
    assert setting(engine, "threads") == 1
    assert setting(engine, "memory_limit") == "228.8 MiB"  # of 300 MB four fifths
    assert Path(setting(engine, "temp_directory")).is_relative_to(tmp_path)
    engine.close()
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_what_it_cannot_use_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        Duckdb(Resources(work=tmp_path, memory_limit="lots"))
    assert list(tmp_path.iterdir()) == []


def test_it_asks_the_network_for_nothing(tmp_path: Path) -> None:
    engine = Duckdb(Resources(work=tmp_path))
    assert setting(engine, "autoinstall_known_extensions") is False
    assert setting(engine, "autoload_known_extensions") is False
    engine.close()


def test_rows_that_do_not_fit_into_memory_are_spilled_into_the_work_folder(tmp_path: Path) -> None:
    engine = Duckdb(Resources(work=tmp_path, memory_limit="60MB", threads=1))
    many = engine.connection.sql("SELECT range AS i, md5(range::VARCHAR) AS word FROM range(1500000)")
    engine.write(nw.from_native(many), tmp_path / "sorted.parquet", ["word"], ["i"])
    assert pq.read_metadata(tmp_path / "sorted.parquet").num_rows == 1_500_000
    engine.close()
    assert [path.name for path in tmp_path.iterdir()] == ["sorted.parquet"]


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    found = Duckdb(Resources(work=tmp_path))
    yield found
    found.close()


@pytest.mark.parametrize("form", ["file", "table", "batches"])
def test_ordinals_count_the_rows_as_they_stand(form: str, engine: Duckdb, tmp_path: Path) -> None:
    table = pa.table({"x": [(i * 7919) % 5000 for i in range(5000)]})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=300)
    at: Any = {"file": tmp_path / "t.parquet", "table": table, "batches": table.to_reader(max_chunksize=77)}[form]
    rows = engine.arrays(engine.read(Source(at, "_row_")).sort("_row_"))
    assert rows["_row_"].to_pylist() == list(range(5000))
    assert rows["x"].to_pylist() == table["x"].to_pylist()


def test_writing_keeps_the_order_asked_for_and_the_columns_named(engine: Duckdb, tmp_path: Path) -> None:
    table = pa.table({ODD: [3, 1, 2], "y": ["c", "a", "b"], "z": [1, 1, 0]})
    engine.write(engine.read(Source(table)), tmp_path / "t.parquet", ["z", ODD], ["y", ODD])
    assert pq.read_table(tmp_path / "t.parquet").to_pydict() == {"y": ["b", "a", "c"], ODD: [2, 1, 3]}


def test_kept_rows_no_longer_need_their_source(engine: Duckdb, tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "t.parquet")
    kept = engine.keep(engine.read(Source(tmp_path / "t.parquet")))
    (tmp_path / "t.parquet").unlink()
    assert engine.arrays(kept)["x"].to_pylist() == [1, 2]


def test_a_name_of_a_column_is_never_taken_for_sql() -> None:
    assert quoted('x"; DROP TABLE y; --') == '"x""; DROP TABLE y; --"'


def test_very_wide_tables_switch_off_what_is_slow_with_them(engine: Duckdb) -> None:
    assert setting(engine, "disabled_optimizers") == ""
    table = pa.table({f"c{i}": [i] for i in range(WIDE + 1)})
    assert engine.arrays(engine.read(Source(table)).select(nw.col(f"c{WIDE}") + 1))[f"c{WIDE}"].to_pylist() == [
        WIDE + 1
    ]
    assert "statistics_propagation" in setting(engine, "disabled_optimizers")


def test_an_error_of_the_engine_quotes_no_value(engine: Duckdb) -> None:
    schema = Schema(columns=(Column(name="x", scale="text"),))
    data = Dataset.from_frame(pa.table({"x": ["1", SECRET]}), schema, engine).mutate(x=nw.col("x").cast(nw.Int64))
    with pytest.raises(EngineError) as caught:
        data.to_arrow()
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert SECRET not in shown
    assert data.engine.arrays(data.frame.select(n=nw.len()))["n"].to_pylist() == [2], "and the engine works on"


def test_an_error_of_a_kernel_quotes_no_value(engine: Duckdb) -> None:
    def kernel(columns: Any) -> Any:
        raise ValueError(SECRET)

    schema = Schema(columns=(Column(name="x", scale="continuous"),))
    data = Dataset.from_frame(pa.table({"x": [1.5]}), schema, engine)
    with pytest.raises(EngineError) as caught:
        data.map_groups([], kernel, {"x": nw.Float64()})
    assert SECRET not in "".join(traceback.format_exception(caught.value))


class OutOfMemoryException(Exception):
    """What DuckDB raises goes by this name."""


class ArrowInvalid(Exception):
    """What Arrow raises goes by this name."""


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (OSError(errno.ENOSPC, SECRET), "disk-full", 6),
        (RuntimeError(f"IO Error: {SECRET}: No space left on device"), "disk-full", 6),
        (PermissionError(errno.EACCES, SECRET), "no-permission", 6),
        (RuntimeError(f"Cannot open {SECRET}: Permission denied"), "no-permission", 6),
        (OutOfMemoryException(SECRET), "out-of-memory", 5),
        (MemoryError(SECRET), "out-of-memory", 5),
        (RuntimeError(f"java.lang.OutOfMemoryError {SECRET}"), "out-of-memory", 5),
        (RuntimeError(f"TaskResultLost (result lost from block manager) {SECRET}"), "out-of-memory", 5),
        (ArrowInvalid(f"Parquet magic bytes not found {SECRET}"), "broken-file", 4),
        (RuntimeError(SECRET), "engine-failed", 5),
    ],
)
def test_failures_are_told_by_kind_without_their_text(error: Exception, code: str, exit_code: int) -> None:
    told = explain_failure(error)
    assert ([problem.code for problem in told.problems], told.exit_code) == ([code], exit_code)
    assert SECRET not in str(told) + repr(told)


def test_our_own_errors_and_interruptions_pass_the_gate() -> None:
    for error in (DataError(Problem("a", "b", "c")), KeyboardInterrupt(), SystemExit(3)):

        def verb(raised: BaseException = error) -> None:
            raise raised

        with pytest.raises(type(error)) as caught:
            guarded(verb)()
        assert caught.value is error
    assert issubclass(DataError, SchleierError)


def test_what_batches_add_is_added_up_and_failures_quote_nothing(tmp_path: Path) -> None:
    engine = Duckdb(Resources(work=tmp_path, threads=1))
    frame = nw.from_native(engine.connection.sql("SELECT range AS i FROM range(2500000)"))
    seen: list[int] = []

    def summand(batch: pa.RecordBatch) -> np.ndarray[Any, np.dtype[np.uint64]]:
        seen.append(batch.num_rows)
        found = batch.column(0).to_numpy().astype(np.uint64)
        return np.array([found.sum(), np.uint64(2**63)])

    total = engine.fold(frame, summand)
    assert len(seen) > 2 and total.tolist() == [2_500_000 * 2_499_999 // 2, 2**63 * (len(seen) % 2)]
    assert engine.fold(frame.filter(nw.col("i") < 0), summand).tolist() == []

    def fail(batch: pa.RecordBatch) -> np.ndarray[Any, np.dtype[np.uint64]]:
        raise ValueError(SECRET)

    with pytest.raises(EngineError) as caught:
        engine.fold(frame, fail)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    engine.close()


def test_it_draws_no_bar_on_the_terminal() -> None:
    engine = Duckdb()
    said = engine.connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    engine.close()
    assert said == [(False,)]
