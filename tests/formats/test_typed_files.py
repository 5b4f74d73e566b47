"""Parquet and Feather: headers from metadata, batches, and files that are not what they claim."""

from __future__ import annotations

import datetime as dt
import decimal
import traceback
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from schleier.core import registry
from schleier.core.errors import DataError
from schleier.formats.feather import Feather
from schleier.formats.parquet import Parquet

SECRET = "SECRETVALUE"
TABLE = pa.table(
    {
        "integer": pa.array([1, None], pa.int16()),
        "unsigned": pa.array([1, None], pa.uint64()),
        "number": pa.array([1.5, None], pa.float32()),
        "text": ["a", None],
        "large": pa.array(["a", None], pa.large_string()),
        "coded": pa.array(["a", None]).dictionary_encode(),
        "date": [dt.date(2020, 1, 2), None],
        "time": pa.array([dt.datetime(2020, 1, 2), None], pa.timestamp("us")),
        "boolean": [True, None],
        "decimal": [decimal.Decimal("1.50"), None],
        "list": [[1], None],
        "bytes": [b"x", None],
    }
)
KINDS = {
    "integer": "integer",
    "unsigned": "integer",
    "number": "number",
    "text": "text",
    "large": "text",
    "coded": "text",
    "date": "date",
    "time": "time",
    "boolean": "boolean",
    "decimal": "decimal",
    "list": "list",
    "bytes": "other",
}
FORMATS = [Parquet(), Feather()]
each_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)


def code(error: DataError) -> str:
    assert error.__context__ is None or error.__suppress_context__, "a library's message may quote the file"
    (problem,) = error.problems
    return problem.code


def test_the_registry_finds_exactly_the_formats() -> None:
    assert {"csv", "feather", "parquet"} <= set(registry.names("format"))
    assert not {"checks", "detect", "evidence", "kinds", "render"} & set(registry.names("format"))


@each_format
def test_header_and_rows_survive(form: Parquet | Feather, tmp_path: Path) -> None:
    path = tmp_path / f"some{form.suffixes[0]}"
    form.write(TABLE.to_batches(max_chunksize=1), TABLE.schema, path)
    assert form.header(path) == KINDS
    read = pq.read_table(path) if isinstance(form, Parquet) else pa.Table.from_batches(form.batches(path))
    assert read.to_pylist() == TABLE.to_pylist()


@each_format
def test_no_rows(form: Parquet | Feather, tmp_path: Path) -> None:
    path = tmp_path / "none"
    form.write([], TABLE.schema, path)
    assert form.header(path) == KINDS


@each_format
def test_same_rows_same_bytes(form: Parquet | Feather, tmp_path: Path) -> None:
    for name in ("one", "two"):
        form.write(TABLE.to_batches(), TABLE.schema, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@each_format
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty-file"),
        (f"name\n{SECRET}\n".encode(), "broken-file"),
        (b"PAR1" + SECRET.encode() * 9 + b"PAR1", "broken-file"),
        (b"ARROW1\0\0" + SECRET.encode() * 9 + b"ARROW1", "broken-file"),
        (b"FEA1" + SECRET.encode() * 9 + b"FEA1", "broken-file"),
        (b"\xff" * 64, "broken-file"),
    ],
    ids=range(6),  # the folder of a test is named after its id, and messages name the file
)
def test_files_that_are_something_else(form: Parquet | Feather, tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "false"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        form.header(path)
    assert code(caught.value) == expected
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@each_format
def test_files_that_are_not_there_or_not_files(form: Parquet | Feather, tmp_path: Path) -> None:
    with pytest.raises(DataError) as missing:
        form.header(tmp_path / "nowhere")
    with pytest.raises(DataError) as folder:
        form.header(tmp_path)
    assert (code(missing.value), code(folder.value)) == ("no-file", "unreadable")


@each_format
def test_columns_that_share_a_name_or_have_none(form: Parquet | Feather, tmp_path: Path) -> None:
    for names, expected in ((["a", "a"], "duplicate-columns"), (["a", ""], "unnamed-columns")):
        batch = pa.record_batch([pa.array([1]), pa.array([2])], names=names)
        form.write([batch], batch.schema, tmp_path / expected)
        with pytest.raises(DataError) as caught:
            form.header(tmp_path / expected)
        assert code(caught.value) == expected


@each_format
def test_a_file_cut_short(form: Parquet | Feather, tmp_path: Path) -> None:
    path = tmp_path / "cut"
    form.write(TABLE.to_batches(), TABLE.schema, path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError) as caught:
        form.header(path)
    assert code(caught.value) == "broken-file"


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("stream", [False, True])
def test_feather_in_both_forms(tmp_path: Path, compression: str | None, stream: bool) -> None:
    path, options = tmp_path / "some.arrow", pa.ipc.IpcWriteOptions(compression=compression)
    writer = (pa.ipc.new_stream if stream else pa.ipc.new_file)(str(path), TABLE.schema, options=options)
    with writer:
        writer.write_table(TABLE, max_chunksize=1)
    assert Feather().header(path) == KINDS
    assert [batch.num_rows for batch in Feather().batches(path)] == [1, 1]
    assert pa.Table.from_batches(Feather().batches(path)).to_pylist() == TABLE.to_pylist()


def test_feather_as_other_programs_write_it(tmp_path: Path) -> None:
    pyarrow.feather.write_feather(TABLE, str(tmp_path / "two.feather"))
    assert Feather().header(tmp_path / "two.feather") == KINDS


def test_a_stream_cut_inside_a_batch(tmp_path: Path) -> None:
    path, table = tmp_path / "cut.arrow", pa.table({"a": [SECRET] * 10_000})
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
    path.write_bytes(path.read_bytes()[:-5000])
    assert Feather().header(path) == {"a": "text"}
    with pytest.raises(DataError) as caught:
        list(Feather().batches(path))
    assert code(caught.value) == "broken-file"
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_false_offsets_are_caught_before_they_are_followed(tmp_path: Path) -> None:
    path, offsets = tmp_path / "false.arrow", pa.py_buffer(bytes(pa.array([0, 1 << 30, 5], pa.int32()).buffers()[1]))
    column = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"abcdefgh"))
    batch = pa.record_batch([column], names=["a"])
    with pa.ipc.new_stream(str(path), batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(DataError) as caught:
        list(Feather().batches(path))
    assert code(caught.value) == "broken-file"
