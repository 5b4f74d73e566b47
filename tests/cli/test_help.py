"""What ``--help`` shows, and what is the same wherever it is named."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.cli.commands import MODULES
from schleier.draft.profile import Profile
from schleier.report.language import Words

DOCS = Path(__file__).parents[2] / "docs" / "guide"


def shown(*arguments: str) -> str:
    return re.sub(r"[│\s]+", " ", CliRunner().invoke(app, [*arguments], env={"COLUMNS": "200"}).output)


@pytest.mark.parametrize("command", ["", *MODULES])
def test_switches_are_shown_without_a_type(command: str) -> None:
    text = shown(*command.split(), "--help")
    assert "--help" in text and "bool" not in text.lower()


def test_options_with_a_value_keep_theirs() -> None:
    assert "--recipe -r <path>" in shown("verify", "--help")


def test_profiles_have_the_same_names_everywhere() -> None:
    names = set(Profile.names())
    help_text = shown("suggest", "--help")
    table = re.findall(r"^\| `(\w+)` \|", (DOCS / "profiles.md").read_text(encoding="utf-8"), re.MULTILINE)
    in_recipe = re.findall(r"^\| `(\w+)` \| (?:\d-anon|the same)", (DOCS / "recipe.md").read_text(), re.MULTILINE)
    assert {name for name in names if name in help_text} == names == set(table) == set(in_recipe)
    asked = set(Profile.for_access())
    assert asked == names - {"safe_harbor"}, "a list says nothing about who gets the file"
    for lang in ("en", "de"):
        assert set(re.findall(r"(\w+):", Words.of(lang).plain("init.profile_why"))) == asked
    described = re.findall(r"^\| `(\w+)` \| \d+ \|", (DOCS / "describe.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(described) == asked


def test_debug_shows_how_a_defect_came_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("schleier.flow.recipe.recipe.load", broken)
    monkeypatch.delenv("SCHLEIER_DEBUG", raising=False)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("")
    told = CliRunner().invoke(app, ["run", str(recipe)])
    assert told.exit_code == 70 and "schleier --debug" in told.stderr
    assert isinstance(CliRunner().invoke(app, ["--debug", "run", str(recipe)]).exception, ZeroDivisionError)
    assert not os.environ.get("SCHLEIER_DEBUG"), "for that one command"
