"""Compressed files and archives: what is inside is read, and what is broken says so without a value."""

from __future__ import annotations

import gzip
import stat
import traceback
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schleier as sl
from schleier.core.engine import Resources
from schleier.core.errors import DataError, Problem
from schleier.engine.duckdb import Duckdb
from schleier.flow.run.reader import look, read_header
from schleier.formats._inside import place_for
from schleier.formats.gzip import Gzip
from schleier.formats.zip import Zip

SECRET = "SECRETVALUE"
TEXT = f"name,age\n{SECRET},30\nBob,41\n".encode()
SCHEMA = sl.Schema(columns=[sl.Column(name="name", scale="text"), sl.Column(name="age", scale="discrete")])


def archive(path: Path, **members: bytes | str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


def rows(address: Path | str) -> list[tuple[str, int]]:
    table = sl.read(address, SCHEMA).to_arrow()
    return list(zip(table["name"].to_pylist(), table["age"].to_pylist(), strict=True))


def problem(address: Path | str) -> Problem:
    with pytest.raises(DataError) as caught:
        sl.read(address, SCHEMA)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    (found,) = caught.value.problems
    return found


def test_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(TEXT))
    assert rows(path) == [(SECRET, 30), ("Bob", 41)]
    assert read_header(path)[0] == {"name": "text", "age": "text"}
    assert look(path, SCHEMA)[1].found == []
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_compressed_file_in_several_parts(tmp_path: Path) -> None:
    """As written by log rotation and by parallel compressors."""
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(TEXT[:12]) + gzip.compress(TEXT[12:]))
    assert len(rows(tmp_path / "people.csv.gz")) == 2


def test_a_wrapping_in_a_wrapping(tmp_path: Path) -> None:
    archive(tmp_path / "x.zip", **{"x.zip": archive(tmp_path / "y.zip", **{"x.zip": b""}).read_bytes()})
    inner = archive(tmp_path / "inner.zip", **{"p.csv.gz": gzip.compress(TEXT)}).read_bytes()
    archive(tmp_path / "inner.zip", **{"inner.zip": inner})
    assert rows(tmp_path / "inner.zip") == [(SECRET, 30), ("Bob", 41)]
    assert problem(tmp_path / "x.zip").code == "empty-file"


def test_typed_files_inside_stay_as_long_as_they_are_scanned(tmp_path: Path) -> None:
    table = pa.table({"name": ["Ada", "Bob"], "age": [30, 41]})
    pq.write_table(table, tmp_path / "p.parquet")
    (tmp_path / "p.parquet.gz").write_bytes(gzip.compress((tmp_path / "p.parquet").read_bytes()))
    assert rows(tmp_path / "p.parquet.gz") == [("Ada", 30), ("Bob", 41)]


def test_what_was_unwrapped_is_private_and_goes_with_the_reading(tmp_path: Path) -> None:
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(TEXT))
    work = tmp_path / "work"
    work.mkdir()
    place = Gzip().unwrap(tmp_path / "people.csv.gz", work)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    place.unlink()
    engine = Duckdb(Resources(work))
    try:
        data = sl.read(tmp_path / "people.csv.gz", SCHEMA, engine)
        assert not list(work.rglob("*.csv"))
        assert data.rows == 2
        (tmp_path / "bad.csv.gz").write_bytes(gzip.compress(b"name,age\nx,y\n"))
        with pytest.raises(DataError):
            sl.read(tmp_path / "bad.csv.gz", SCHEMA, engine)
        assert not list(work.rglob("*.csv"))
    finally:
        engine.close()
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("cut", [1, 5, 12, 30])
def test_a_compressed_file_that_is_cut_off(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(TEXT * 100)[:-cut])
    found = problem(path)
    assert (found.code, found.where) == ("broken-file", str(path))


def test_compressed_files_that_are_damaged_or_none(tmp_path: Path) -> None:
    path, good = tmp_path / "people.csv.gz", gzip.compress(TEXT * 100)
    for content in (TEXT, good[:40] + b"\xff\xff" + good[42:], good[:-6] + b"\0" + good[-5:], good[:9] + b"x"):
        path.write_bytes(content)
        assert problem(path).code == "broken-file"
        assert list(tmp_path.iterdir()) == [path]
    path.write_bytes(b"")
    assert problem(path).code == "empty-file"
    assert problem(tmp_path / "none.csv.gz").code == "no-file"


def test_a_name_that_does_not_tell_what_is_inside(tmp_path: Path) -> None:
    (tmp_path / "people.gz").write_bytes(gzip.compress(TEXT))
    found = problem(tmp_path / "people.gz")
    assert (found.code, "people.csv.gz" in found.hint) == ("unknown-inside", True)
    (tmp_path / "people.xyz.gz").write_bytes(gzip.compress(TEXT))
    assert "'.xyz'" in problem(tmp_path / "people.xyz.gz").message


def test_a_compressed_file_has_no_parts(tmp_path: Path) -> None:
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(TEXT))
    assert problem(f"{tmp_path}/people.csv.gz::x").code == "no-parts"


def test_an_archive_of_one_file_whatever_systems_add(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "data.zip",
        **{"2020/": "", "2020/people.csv": TEXT, "__MACOSX/2020/._people.csv": "junk", "2020/.DS_Store": "junk"},
    )
    assert rows(path) == [(SECRET, 30), ("Bob", 41)]


def test_a_member_by_its_whole_name_or_its_last_part(tmp_path: Path) -> None:
    path = archive(tmp_path / "data.zip", **{"a/people.csv": TEXT, "b/people.csv": b"name,age\n", "b/x.csv": TEXT})
    assert len(rows(f"{path}::a/people.csv")) == len(rows(f"{path}::x.csv")) == 2
    for part, code in (("people.csv", "unknown-part"), ("none.csv", "unknown-part"), ("", "several-parts")):
        found = problem(f"{path}::{part}" if part else path)
        assert found.code == code
        assert "a/people.csv, b/people.csv, b/x.csv" in found.hint
    assert problem(f"{path}::none.csv").message == "there is no file 'none.csv' in the archive"


def test_many_members_are_not_all_listed(tmp_path: Path) -> None:
    path = archive(tmp_path / "data.zip", **{f"{n}.csv": TEXT for n in range(50)})
    assert problem(path).hint.endswith("19.csv ...")


def test_names_that_climb_out_of_the_folder_do_not(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    for name in ("../../people.csv", "/people.csv", "..\\..\\people.csv", "C:\\people.csv", f"{'x' * 300}/people.csv"):
        path = archive(tmp_path / "data.zip", **{name: TEXT})
        place = Zip().unwrap(path, folder)
        assert place.is_relative_to(folder)
        assert place.name == "people.csv"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "a", tmp_path / "data.zip"]
    assert place_for(folder, "x" * 300 + ".csv").name.endswith("x.csv")
    assert place_for(folder, "..").parent == folder


def _encrypted(path: Path) -> Path:
    """An archive whose headers say that its member has a password."""
    content = bytearray(archive(path, **{"people.csv": TEXT}).read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    path.write_bytes(content)
    return path


def test_archives_that_cannot_be_read(tmp_path: Path) -> None:
    assert problem(_encrypted(tmp_path / "data.zip")).code == "encrypted"
    path = archive(tmp_path / "data.zip", **{"people.csv": TEXT * 100})
    good = path.read_bytes()
    for content in (b"PK", TEXT, good[:-30], good[:60] + b"\xff\xff\xff" + good[63:]):
        path.write_bytes(content)
        assert problem(path).code == "broken-file"
    for empty in (archive(path), archive(path, **{"a/": "", ".hidden": "x"})):
        assert problem(empty).message == "there is no file in the archive"
    odd = bytearray(good)
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        odd[odd.index(mark) + place] = 99
    path.write_bytes(odd)
    assert "cannot be read" in problem(path).message
