"""Where the user's file, recipe or disk is at fault a command says so: it is no defect of Schleier."""

from __future__ import annotations

import codecs
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from flow.making import RECIPE, SCHEMA, written
from schleier.cli import app
from schleier.flow.recipe.recipe import Recipe
from schleier.testing import example_table


def schleier(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"SCHLEIER_LANG": "en"})


def said(result: Any, code: int, *texts: str) -> None:
    assert result.exit_code == code, result.output
    assert all(text in " ".join(result.output.split()) for text in texts), result.output
    assert "defect" not in result.output


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path / "schema.toml"


def test_a_damaged_archive(tmp_path: Path, schema: Path) -> None:
    """Every byte of its directory and of the head of its member, flipped."""
    with zipfile.ZipFile(tmp_path / "whole.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("people.csv", "id,age\n" + "".join(f"{n},{n % 7}\n" for n in range(50)))
    whole, ends = (tmp_path / "whole.zip").read_bytes(), set()
    for place in [*range(0, 42, 3), *range(len(whole) - 90, len(whole), 2)]:
        (tmp_path / "broken.zip").write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        ends.add(schleier("inspect", tmp_path / "broken.zip", "--schema", schema, "--quiet").exit_code)
    assert 4 in ends and 70 not in ends


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE])
@pytest.mark.parametrize("times", [2, 3])
def test_several_byte_order_marks(mark: bytes, times: int, tmp_path: Path) -> None:
    encoding = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF32_BE: "utf-32-be"}[mark]
    rows = "sex,age\n" + "".join(f"{'mf'[n % 2]},{n % 5}\n" for n in range(40))
    (tmp_path / "people.csv").write_bytes(mark * times + rows.encode(encoding))
    for command in ("describe", "inspect"):
        (tmp_path / "schema.toml").write_text('[schema]\nothers = "drop"\ncolumns = [{name = "age", role = "quasi"}]')
        assert schleier(command, tmp_path / "people.csv").exit_code in (0, 2, 4), command


def test_a_name_of_a_feather_file_that_is_no_text(tmp_path: Path, schema: Path) -> None:
    feather.write_feather(pa.table({"agexyz": [1, 2], "sex": ["m", "f"]}), str(tmp_path / "a.feather"), "uncompressed")
    content = (tmp_path / "a.feather").read_bytes()
    (tmp_path / "a.feather").write_bytes(content.replace(b"agexyz", b"age\xff\xfez"))
    said(schleier("describe", tmp_path / "a.feather"), 4, "damaged")
    said(schleier("inspect", tmp_path / "a.feather", "--schema", schema), 4, "damaged")


def test_a_name_of_a_parquet_file_that_is_no_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"agexyz": [1, 2], "sex": ["m", "f"]}), tmp_path / "a.parquet", store_schema=False)
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content.replace(b"agexyz", b"age\xff\xfez"))
    said(schleier("describe", tmp_path / "a.parquet"), 4, "damaged")


def test_a_header_that_swallowed_a_record_is_not_shown(tmp_path: Path) -> None:
    rows = "".join(f"planted {n},{n},{n % 2},f\n" for n in range(30))
    (tmp_path / "a.csv").write_text("person,age,sex,xnplanted,1,2,f\n" + rows)
    result = schleier("describe", tmp_path / "a.csv")
    assert result.exit_code == 4 and "planted" not in result.output


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    recipe = written(tmp_path, rows=2000)
    content = (tmp_path / "people.parquet").read_bytes()
    for start in (4, 40, 400, 4000):
        broken = content[:start] + b"\xff\x00\xaa\x55" * 300 + content[start + 1200 :]
        (tmp_path / "people.parquet").write_bytes(broken)
        result = schleier("run", recipe, "--out", tmp_path / "out", "--force")
        assert result.exit_code in (0, 3, 4), result.output
        assert schleier("describe", tmp_path / "people.parquet").exit_code in (0, 4)
    said(result, 4, "damaged")


@pytest.mark.parametrize("deep", ["a = " + "[" * 500 + "]" * 500, "a = " + "{a=" * 500 + "1" + "}" * 500])
def test_a_recipe_nested_deep(deep: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(deep)
    said(schleier("check", tmp_path / "recipe.toml"), 2, "too deep")
    (tmp_path / "recipe.toml").write_text(SCHEMA + ".".join("a" * 500) + " = 1")
    assert schleier("check", tmp_path / "recipe.toml").exit_code == 2


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "profile:" + "x" * 300, "a\0b"])
def test_names_no_file_can_have(name: str, tmp_path: Path) -> None:
    recipe, quoted = tmp_path / "recipe.toml", name.replace("\0", "\\u0000")
    recipe.write_text(f'extends = "{quoted}"\n')
    assert schleier("check", recipe).exit_code == 2
    written(tmp_path, RECIPE.replace("people.parquet", f"{quoted}.parquet"))
    for command in (("check", recipe), ("run", recipe, "--out", tmp_path / "out")):
        assert schleier(*command).exit_code in (2, 4)
    written(tmp_path, RECIPE.replace("{ intervals = [15, 45] }", f'{{ table = "{quoted}" }}'))
    assert schleier("check", recipe).exit_code == 2
    written(tmp_path, RECIPE + f'\n[release]\ntable = "{quoted}.duckdb::people"\n')
    result = schleier("run", recipe, "--out", tmp_path / "out")
    assert result.exit_code in (2, 4, 6), result.output


@pytest.mark.parametrize(
    "name", ["c*", "?", "[a]", "a.b", "a`b", 'a"b', "a'b", "columns(*)", "::", "a::b", ";", "x\ny"]
)
def test_a_column_with_a_name_that_means_something_elsewhere(name: str, tmp_path: Path) -> None:
    table = example_table(60).select(["age", "sex", "income"]).rename_columns([name, "sex", "income"])
    pq.write_table(table, tmp_path / "people.parquet")
    spelled = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    recipe = (
        RECIPE.replace('row_key = "id"\n', "").replace('"age"', f'"{spelled}"').replace("age = {", f'"{spelled}" = {{')
    )
    recipe = recipe.replace('  { name = "person", role = "identifier", scale = "text" },\n', "").replace(
        'columns = ["person"]', 'columns = ["sex"]'
    )
    recipe = recipe.replace('  { name = "household", role = "unit", scale = "nominal" },\n', "").replace(
        ', ["sex"]]', "]"
    )
    (tmp_path / "recipe.toml").write_text(recipe)
    result = schleier("run", tmp_path / "recipe.toml", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    out = pq.read_table(tmp_path / "out" / "public" / "data.parquet")
    assert out.column_names == [name, "income"] and len(out) == 60
    for command in ("describe", "inspect"):
        more = ("--schema", tmp_path / "recipe.toml") if command == "inspect" else ()
        assert schleier(command, tmp_path / "people.parquet", *more).exit_code == 0


def test_a_column_called_like_all_columns_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"*": [1, 2], "sex": ["m", "f"]}), tmp_path / "people.parquet")
    said(schleier("describe", tmp_path / "people.parquet"), 4, "reserved names")
    (tmp_path / "schema.toml").write_text('[schema]\ncolumns = [{ name = "*", role = "quasi" }]')
    said(schleier("inspect", tmp_path / "people.parquet"), 2, "the name *")


def test_too_little_memory_is_no_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Recipe, "run", full)
    said(schleier("run", written(tmp_path)), 5, "there is not enough memory")


def test_a_full_disk_anywhere_is_no_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Recipe, "run", full)
    said(schleier("run", written(tmp_path)), 6, "there is no space left on the disk")


def test_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Recipe, "run", stopped)
    said(schleier("run", written(tmp_path)), 130, "the command was stopped (SIGINT)")


@pytest.mark.parametrize("name", [":smile:", "[red]x[/red]", "[/]", "[bold", "a\\", "\x1b[2Jage", "[link=file:///x]y"])
def test_a_terminal_shows_names_as_they_are(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("FORCE_COLOR", "1")
    pq.write_table(pa.table({name: ["m", "f"] * 20, "age": list(range(40))}), tmp_path / "people.parquet")
    spelled = json.dumps(name)
    age = '{ name = "age", role = "quasi", scale = "discrete" }'
    columns = f'[{{ name = {spelled}, role = "quasi", scale = "nominal" }}, {age}]'
    text = f'[data]\nfile = "people.parquet"\n[schema]\ncolumns = {columns}\n[[criteria]]\ncriterion = "k_anonymity"\n'
    (tmp_path / "recipe.toml").write_text(text + f"k = 2\nname = {spelled}\nkeys = [[{spelled}]]\n")
    (tmp_path / "broken.toml").write_text(text + f"k = 2\nkeys = [[{json.dumps(name + name)}]]\n")
    shown = name.replace("\x1b", "\\x1b")
    for arguments in (
        ("describe", tmp_path / "people.parquet"),
        ("inspect", tmp_path / "people.parquet", "--schema", tmp_path / "recipe.toml"),
        ("check", tmp_path / "broken.toml"),
        ("run", tmp_path / "recipe.toml", "--out", tmp_path / "out"),
        ("verify", tmp_path / "out" / "public" / "data.parquet", "--recipe", tmp_path / "recipe.toml"),
    ):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", schleier(*arguments).output)
        assert shown in plain and "\x1b" not in plain, arguments
