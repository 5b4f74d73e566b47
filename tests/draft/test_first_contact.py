"""Describe, check and run on differently shaped files, without a word of editing: nobody is named in the release."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from draft.people import FILES, Made
from schleier.cli import app
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.run.reader import read


def command(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def rows_in(public: Path) -> pa.Table:
    (path,) = public.glob("data.*")
    return read(path, schema_from_file(public / "schema.toml")).to_arrow()


@dataclass(frozen=True)
class Walk:
    """What came of a file."""

    made: Made
    shown: str
    place: Path

    @property
    def public(self) -> Path:
        return self.place / "release" / "public"


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Walk]:
    """Describe, check and run a file, once for all tests."""

    @cache
    def walk(name: str, lang: str) -> Walk:
        place = tmp_path_factory.mktemp("walk")
        made = FILES[name](place)
        out, recipe = place / "work" / "schema.toml", str(place / "work" / "recipe.toml")
        shown = command("describe", made.address, "-o", str(out), "--lang", lang)
        command("check", recipe)
        command("run", recipe, "--out", str(place / "release"))
        return Walk(made, shown, place)

    return walk


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", FILES)
def test_describe_then_check_then_run_needs_no_editing(name: str, lang: str, walk: Callable[..., Walk]) -> None:
    done = walk(name, lang)
    made, public = done.made, done.public
    released = rows_in(public)
    assert not set(made.gone) & set(released.column_names)
    assert released.num_columns >= 2
    texts = [str(value) for column in released.columns for value in column.to_pylist() if value is not None]
    texts += [(public / "report.json").read_text(encoding="utf-8"), done.shown]
    everything = "\n".join(texts)
    assert not [secret for secret in made.secrets if secret in everything]

    report = json.loads((public / "report.json").read_text(encoding="utf-8"))
    assert report["criteria"] and all(verdict["holds"] for verdict in report["criteria"])
    assert report["records_released"] == report["records_read"] == 400


@pytest.mark.parametrize("name", FILES)
def test_most_of_a_draft_is_kept_for_analysts(name: str, walk: Callable[..., Walk]) -> None:
    """A draft that blanks everything would be safe and useless."""
    released = rows_in(walk(name, "en").public)
    told = [name for name in released.column_names if len(released[name].unique()) > 1]
    assert len(told) >= 2, released.schema


def test_the_roles_of_the_german_file(walk: Callable[..., Walk]) -> None:
    table = tomllib.loads((walk("german_csv", "en").place / "work" / "schema.toml").read_text(encoding="utf-8"))
    roles = {column["name"]: (column["role"], column["scale"]) for column in table["schema"]["columns"]}
    assert table["schema"]["row_key"] == "Lfd. Nr."
    assert roles == {
        "Vorname": ("identifier", "nominal"),
        "Nachname": ("identifier", "nominal"),
        "Geburtsdatum": ("quasi", "time"),
        "Geschlecht": ("quasi", "nominal"),
        "PLZ": ("quasi", "place"),
        "Nettoeinkommen": ("sensitive", "continuous"),
    }
    layout = table["schema"]["layout"]
    assert (layout["encoding"], layout["decimal"], layout["thousands"]) == ("cp1252", ",", ".")
    assert table["hierarchies"]["PLZ"] == {"prefix": [4, 3, 2, 1]}
