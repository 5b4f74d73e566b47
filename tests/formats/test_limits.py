"""A small file cannot fill the memory or the disk, and what is no file is refused at once."""

from __future__ import annotations

import gzip
import os
import struct
import zipfile
from pathlib import Path

import pytest

from schleier.core.errors import DataError, RecipeError, SchleierError, WriteError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.run.reader import read_header
from schleier.formats._inside import copied
from workbook_files import cell, opendocument

NAMES = "http://schemas.openxmlformats.org/{}"
FAR = {"A1": "name", "B1": "age", "XFD1048576": "forgotten"}


def workbook(path: Path, cells: dict[str, str], attributes: str = "") -> Path:
    """A workbook of Excel, written by hand: a library would not put a cell so far away."""
    main, relations = NAMES.format("spreadsheetml/2006/main"), NAMES.format("package/2006/relationships")
    office = NAMES.format("officeDocument/2006/relationships")
    rows = "".join(
        f'<row r="{place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}"><c {attributes} r="{place}" t="inlineStr">'
        f"<is><t>{text}</t></is></c></row>"
        for place, text in cells.items()
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{NAMES.format("package/2006/content-types")}"/>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="One" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def binary_workbook(path: Path, row: int, column: int) -> Path:
    """Only what tells how far the sheet of a binary workbook reaches."""
    records = b"\x00\x04" + struct.pack("<I", row) + b"\x06\x04" + struct.pack("<I", column)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.bin", records)
    return path


def codes(path: Path) -> list[str]:
    with pytest.raises(SchleierError) as caught:
        read_header(path)
    assert caught.value.exit_code == 4
    assert not [problem for problem in caught.value.problems if "forgotten" in str(problem)]
    return [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize("attributes", ["", 's="1"', "x='>'"])
def test_a_workbook_with_a_cell_far_away_is_refused(attributes: str, tmp_path: Path) -> None:
    path = workbook(tmp_path / "far.xlsx", FAR, attributes)
    assert path.stat().st_size < 2000
    assert codes(path) == ["too-much"]


def test_a_workbook_of_usual_size_is_read(tmp_path: Path) -> None:
    path = workbook(tmp_path / "near.xlsx", {"A1": "name", "B1": "age", "A9": "Ada"})
    assert list(read_header(path)[0]) == ["name", "age"]


def test_a_sheet_of_libreoffice_that_is_repeated_for_ever(tmp_path: Path) -> None:
    end = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
    head = f"<table:table-row>{cell('name')}{cell('age')}</table:table-row>"
    many = ' table:number-columns-repeated="16000"'
    rows = f'<table:table-row table:number-rows-repeated="1048000">{cell("forgotten", many)}</table:table-row>'
    assert codes(opendocument(tmp_path / "far.ods", head + rows)) == ["too-much"]
    assert list(read_header(opendocument(tmp_path / "near.ods", head + end))[0]) == ["name", "age"]


def test_a_binary_sheet(tmp_path: Path) -> None:
    assert codes(binary_workbook(tmp_path / "far.xlsb", 1_048_575, 16_383)) == ["too-much"]
    assert codes(binary_workbook(tmp_path / "near.xlsb", 10, 10)) == ["broken-file"]


def test_an_archive_that_unpacks_to_far_more_than_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"age\n" + (b"0" * 999 + b"\n") * 300
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", text)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    for name in ("a.zip", "a.csv.gz"):
        assert list(read_header(tmp_path / name)[0]) == ["age"]
    monkeypatch.setenv("SCHLEIER_MAX_UNPACKED", "100kB".upper())
    for name in ("a.zip", "a.csv.gz"):
        assert codes(tmp_path / name) == ["too-much"]
    monkeypatch.setenv("SCHLEIER_MAX_UNPACKED", "lots")
    with pytest.raises(RecipeError, match="holds no size"):
        read_header(tmp_path / "a.zip")


def nowhere(folder: Path, device: str) -> Path:
    """A place that leads to a device. Never the device itself: a place that could not be filled is removed."""
    place = folder / "place"
    place.symlink_to(device)
    return place


def test_what_comes_out_is_bounded_by_what_was_packed(tmp_path: Path) -> None:
    class Endless:
        def read(self, size: int) -> bytes:
            return bytes(200_000_000)  # pages that are never touched cost nothing

    (tmp_path / "small.gz").write_bytes(b"x")
    with pytest.raises(DataError, match="limit is 1,000,000,000"):
        copied(Endless(), nowhere(tmp_path, "/dev/null"), tmp_path / "small.gz")  # type: ignore[arg-type]


def test_a_full_disk_while_unpacking_is_no_defect(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.gz", "wb") as out:
        out.write(b"age\n1\n")
    with gzip.open(tmp_path / "a.gz") as stream, pytest.raises(WriteError, match="no space left"):
        copied(stream, nowhere(tmp_path, "/dev/full"), tmp_path / "a.gz")


@pytest.fixture(params=["/dev/zero", "fifo"])
def strange(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Something that is no file, under a name of our own."""
    place = tmp_path / "strange"
    if request.param == "fifo":
        os.mkfifo(place)
    else:
        place.symlink_to(request.param)
    return place


@pytest.mark.parametrize(
    "ending", [".csv", ".parquet", ".feather", ".xlsx", ".zip", ".csv.gz", ".sav", ".dat", ".duckdb"]
)
def test_rows_come_from_regular_files_only(ending: str, strange: Path) -> None:
    assert codes(strange.rename(strange.with_suffix(ending))) == ["not-regular"]


def test_recipe_schema_parent_and_hierarchy_are_regular_files(strange: Path) -> None:
    with pytest.raises(SchleierError, match="no regular file"):
        Recipe.from_file(strange)
    with pytest.raises(SchleierError, match="no regular file"):
        schema_from_file(strange)
    with pytest.raises(SchleierError, match="no regular file"):
        Recipe.from_toml('extends = "strange"', strange.parent)
    column = '[schema]\ncolumns = [{ name = "age", scale = "nominal", role = "quasi", hierarchy = "age" }]\n'
    with pytest.raises(SchleierError, match="no regular file"):
        Recipe.from_toml(column + '[hierarchies]\nage = { table = "strange" }', strange.parent)


def test_a_hierarchy_may_be_large_where_one_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "age.csv").write_text("1;*\n2;*\n")
    column = '[schema]\ncolumns = [{ name = "age", scale = "nominal", role = "quasi", hierarchy = "age" }]\n'
    text = column + '[hierarchies]\nage = { table = "age.csv" }'
    assert Recipe.from_toml(text, tmp_path).schema.hierarchies["age"].depth == 1
    monkeypatch.setenv("SCHLEIER_MAX_TEXT", "5")
    with pytest.raises(SchleierError, match="SCHLEIER_MAX_TEXT"):
        Recipe.from_toml(text, tmp_path)
