"""Database files of DuckDB: tables and views, the order of rows, and files that are not what they claim."""

from __future__ import annotations

import datetime as dt
import struct
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import duckdb
import pytest

import schleier as sl
from schleier.core.errors import DataError
from schleier.core.schema import Column, Schema
from schleier.formats.duckdb_file import DuckdbFile

SECRET = "SECRETVALUE"


def made(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def schema(*names: str, row_key: str | None = None) -> Schema:
    return Schema(columns=[Column(name=name, scale="nominal") for name in names], row_key=row_key)


def rows(path: Path, described: Schema | None = None, part: str = "") -> list[dict[str, Any]]:
    return [row for batch in DuckdbFile().batches(path, described, part=part) for row in batch.to_pylist()]


def refused(path: Path, part: str = "", described: Schema | None = None) -> tuple[str, str]:
    """Code and text of a failure that tells nothing of the file."""
    with pytest.raises(DataError) as caught:
        rows(path, described, part)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    (problem,) = caught.value.problems
    return problem.code, str(problem)


TYPES = {
    "i": ("SMALLINT", "7", "integer", 7),
    "h": ("HUGEINT", "7", "integer", 7),
    "f": ("FLOAT", "0.5", "number", 0.5),
    "n": ("DECIMAL(9, 2)", "1.25", "decimal", 1.25),
    "s": ("VARCHAR", "'Köln'", "text", "Köln"),
    "e": ("ENUM ('a', 'b')", "'b'", "text", "b"),
    "u": ("UUID", "'00000000-0000-0000-0000-000000000001'", "text", "00000000-0000-0000-0000-000000000001"),
    "b": ("BOOLEAN", "true", "boolean", True),
    "d": ("DATE", "'2020-02-29'", "date", dt.date(2020, 2, 29)),
    "t": ("TIMESTAMP", "'2020-02-29 12:30:00'", "time", dt.datetime(2020, 2, 29, 12, 30)),
    "z": ("TIMESTAMPTZ", "'2020-02-29 12:30:00+02'", "time", dt.datetime(2020, 2, 29, 10, 30, tzinfo=dt.UTC)),
    "c": ("TIME", "'12:30:00'", "text", "12:30:00"),
    "j": ("JSON", "'{}'", "text", "{}"),
}


def test_every_type_arrives(tmp_path: Path) -> None:
    columns = ", ".join(f'"{name}" {kind[0]}' for name, kind in TYPES.items())
    values = ", ".join(kind[1] for kind in TYPES.values())
    rows_ = f"INSERT INTO t VALUES ({values}, [[1]])"
    made_ = made(tmp_path / "a.duckdb", f"CREATE TABLE t ({columns}, l INT[][])", rows_)
    kinds = DuckdbFile().header(made_)
    assert kinds == {name: kind[2] for name, kind in TYPES.items()} | {"l": "other"}
    (row,) = rows(made_, schema(*TYPES))
    assert {name: float(row[name]) if name == "n" else row[name] for name in TYPES} == {
        n: k[3] for n, k in TYPES.items()
    }
    with pytest.raises(DataError, match="'l' is declared nominal but holds other values"):
        sl.read(made_, sl.Schema(columns=[sl.Column(name="l", scale="nominal")], others="drop"))


def test_tables_and_schemas_are_named(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.ddb",
        "CREATE TABLE people AS SELECT 1 AS x",
        'CREATE SCHEMA "s"',
        "CREATE TABLE s.people AS SELECT 2 AS x",
        "CREATE TABLE s.other AS SELECT 3 AS x",
        'CREATE TABLE "odd.name ""q""" AS SELECT 4 AS x',
    )
    assert [rows(path, part=part) for part in ("people", "s.people", "other", 'odd.name "q"')] == [
        [{"x": 1}],
        [{"x": 2}],
        [{"x": 3}],
        [{"x": 4}],
    ]
    code, said = refused(path, "none")
    assert code == "unknown-table" and "no table 'none'" in said and "'people'" in said and "'s.other'" in said
    code, said = refused(path)
    assert code == "unknown-table" and "which of its 4 tables" in said
    assert refused(path, "people; DROP TABLE people")[0] == "unknown-table"
    alone = made(tmp_path / "b.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    assert rows(alone) == [{"x": 1}]
    assert sl.read(f"{path}::s.people", schema("x")).to_arrow().to_pylist() == [{"x": 2}]
    empty = made(tmp_path / "c.duckdb", "CREATE TABLE t (x INT)", "DROP TABLE t")
    assert "no table" in refused(empty)[1]


def test_rows_keep_their_order_and_only_wanted_columns_come(tmp_path: Path) -> None:
    shuffled = "SELECT hash(range) AS x, range AS y, 'a' AS name FROM range(500000) ORDER BY hash(range)"
    path = made(tmp_path / "a.duckdb", f"CREATE TABLE t AS {shuffled}")
    found = [row["y"] for row in rows(path, schema("y"))]
    with duckdb.connect(str(path), read_only=True) as connection:
        assert found == [y for (y,) in connection.execute("SELECT y FROM t ORDER BY rowid").fetchall()]
    assert set(rows(path, schema("x", row_key="y"))[0]) == {"x", "y"}


def test_a_view_needs_a_row_key_and_reads_nothing_else(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(f"x\n{SECRET}\n")
    path = made(
        tmp_path / "a.duckdb",
        "CREATE TABLE t AS SELECT range AS id, range AS x FROM range(3)",
        "CREATE VIEW v AS SELECT * FROM t",
        f"CREATE VIEW w AS SELECT * FROM read_csv('{secret}')",
    )
    assert refused(path, "v", schema("x"))[0] == "no-order"
    assert len(rows(path, schema("x", row_key="id"), "v")) == 3
    assert refused(path, "w", schema("y", row_key="x"))[0] == "outside"
    with pytest.raises(DataError, match="not allowed"):
        DuckdbFile().header(path, part="w")


def test_a_release_of_a_table_and_its_replay(tmp_path: Path) -> None:
    path = made(
        tmp_path / "shop.duckdb", "CREATE TABLE t AS SELECT range % 90 AS age, 'x' || range AS name FROM range(500)"
    )
    (tmp_path / "recipe.toml").write_text(
        '[data]\nfile = "shop.duckdb::t"\n[schema]\nothers = "drop"\n'
        'columns = [{ name = "age", role = "quasi", scale = "discrete" }]\n'
        '[[steps]]\nmethod = "sample"\nfraction = 0.5\n'
    )
    first = sl.Recipe.from_file(tmp_path / "recipe.toml").run(out=tmp_path / "out")
    assert first.report.records_read == 500
    assert sl.replay(tmp_path / "out", f"{path}::t").audit.digest == first.audit.digest
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out", "recipe.toml", "shop.duckdb"]


# Files that are not what they claim.


def test_files_that_are_no_database(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    assert refused(path)[0] == "no-file"
    path.write_bytes(b"")
    assert refused(path)[0] == "empty-file"
    for content in (SECRET.encode() * 2000, b"x", b"PAR1" + SECRET.encode()):
        path.write_bytes(content)
        assert refused(path)[0] == "broken-file"
    path.unlink()
    path.mkdir()
    assert refused(path)[0] == "unreadable"


def test_a_damaged_database(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.duckdb", f"CREATE TABLE t AS SELECT range AS x, '{SECRET}' || hash(range) AS y FROM range(200000)"
    )
    content = bytearray(path.read_bytes())
    for place in range(20_000, len(content), 1000):
        content[place] ^= 0xFF
    path.write_bytes(content)
    assert refused(path, "t")[0] == "broken-file"


def test_a_database_of_a_later_version(tmp_path: Path) -> None:
    """The version is in the first block of 4096 bytes, which begins with a checksum of the rest."""
    path = made(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    content = bytearray(path.read_bytes())
    assert content[8:12] == b"DUCK" and struct.unpack_from("<Q", content, 0)[0] == checksum(content[8:4096])
    struct.pack_into("<Q", content, 12, struct.unpack_from("<Q", content, 12)[0] + 1000)
    struct.pack_into("<Q", content, 0, checksum(content[8:4096]))
    path.write_bytes(content)
    code, said = refused(path)
    assert code == "newer-file" and "another version of DuckDB" in said


def checksum(block: bytes) -> int:
    result = 5381
    for (number,) in struct.iter_unpack("<Q", block):
        result ^= number * 0xBF58476D1CE4E5B9 % 2**64
    return result


def test_a_database_another_program_writes_to(tmp_path: Path) -> None:
    path = made(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    holder = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == b"open\n"
        code, said = refused(path)
        other.stdin.write(b"\n")
    assert code == "busy" and "another program" in said
    with duckdb.connect(str(path)):
        assert refused(path)[0] == "busy"
    assert rows(path) == [{"x": 1}]
