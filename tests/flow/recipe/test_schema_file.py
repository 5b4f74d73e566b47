"""Only the schema of a file: from a schema.toml, a release or a whole recipe, with everything wrong said at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from flow.making import RECIPE, SCHEMA, written
from schleier.core.errors import SchemaError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.recipe.schema_file import schema_from_file

BROKEN = """
[columns]
[schema]
columns = [{ name = "age", role = "secret", scale = "discrete" }, { name = "sex" }, { name = "x", scale = "text" }]
[hierarchies]
age = { intervals = [15], prefix = [1] }
"""


def file(folder: Path, text: str) -> Path:
    path = folder / "schema.toml"
    path.write_text(text, encoding="utf-8")
    return path


def codes(path: Path) -> list[str]:
    with pytest.raises(SchemaError) as error:
        schema_from_file(path)
    return [problem.code for problem in error.value.problems]


def test_the_schema_of_a_schema_file_and_of_a_recipe(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    assert schema_from_file(file(tmp_path, SCHEMA)) == schema_from_file(recipe) == Recipe.from_file(recipe).schema


def test_the_schema_of_a_release(tmp_path: Path) -> None:
    release = Recipe.from_file(written(tmp_path)).run(out=tmp_path / "out")
    assert schema_from_file(tmp_path / "out" / "public" / "schema.toml").names == release.schema.names


def test_identifiers_without_a_step_and_broken_steps_do_not_matter(tmp_path: Path) -> None:
    steps = '\n[[steps]]\nmethod = "no_such_method"\n[[criteria]]\ncriterion = "k_anonymity"\n'
    assert "person" in schema_from_file(file(tmp_path, SCHEMA)).having("identifier")
    assert schema_from_file(file(tmp_path, SCHEMA + steps)) == schema_from_file(written(tmp_path, RECIPE))


def test_a_hierarchy_lies_beside_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    text = '[schema]\ncolumns = [{ name = "sex", scale = "nominal", hierarchy = "sex" }]\n[hierarchies]\n'
    path = file(tmp_path / "there", text + 'sex = { table = "sex.csv" }\n')
    monkeypatch.chdir(tmp_path)
    assert schema_from_file(path.relative_to(tmp_path)).hierarchy("sex").depth == 1


def test_a_parent_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "parent.toml").write_text(SCHEMA, encoding="utf-8")
    income = '{ name = "income", role = "quasi", scale = "continuous", override = "because" }'
    text = f'extends = "parent.toml"\n[schema]\ncolumns = [{income}]\n'
    assert schema_from_file(file(tmp_path, text)).quasi == ("age", "sex", "income")


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    assert codes(file(tmp_path, BROKEN)) == ["unknown-section", "bad-hierarchy", "bad-parameter", "missing-parameter"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-schema"),
        ('[data]\nfile = "a.csv"\n', "no-schema"),
        ("schema = 3\n", "bad-section"),
        ("[schema]\n", "no-schema"),
        ("[schema\n", "bad-toml"),
        ('[schema]\ncolumns = [{ name = "a", scale = "nominal", hierarchy = "h" }]\n', "unknown-hierarchy"),
    ],
)
def test_a_file_that_is_no_schema(text: str, code: str, tmp_path: Path) -> None:
    assert codes(file(tmp_path, text)) == [code]


def test_no_file_and_no_text(tmp_path: Path) -> None:
    assert codes(tmp_path / "none.toml") == ["no-schema"]
    assert codes(file(tmp_path, "") / "inside.toml") == ["no-schema"]
    assert codes(tmp_path) == ["unreadable"]
    (tmp_path / "latin.toml").write_bytes("# für\n".encode("latin-1"))
    assert codes(tmp_path / "latin.toml") == ["unreadable"]
