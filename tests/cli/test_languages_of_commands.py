"""Every command that says something says it in German where it is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.foreign import english_words
from schleier.cli import app

RECIPE = """
[data]
file = "people.csv"
[schema]
columns = [{ name = "age", role = "quasi", scale = "discrete" }, { name = "pay", role = "plain", scale = "discrete" }]
[[criteria]]
criterion = "k_anonymity"
k = 2
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    lines = [f"{30 + n % 3},{n % 7}" for n in range(60)]
    (tmp_path / "people.csv").write_text("age,pay\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path / "recipe.toml"


def said(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.stdout + result.stderr


def test_check_verify_and_digest_speak_german(recipe: Path, tmp_path: Path) -> None:
    release = tmp_path / "release"
    assert "Rezept" in said("check", recipe, "--lang", "de") and "Rezept" not in said("check", recipe, "--lang", "en")
    assert "Freigegeben" in said("run", recipe, "--out", release, "--lang", "de")
    assert "mindestens" in said("verify", release, "--lang", "de")
    assert "Einzelheiten" in said("digest", tmp_path / "absent.csv", "--lang", "de")


def test_the_version_is_told() -> None:
    from schleier import __version__

    assert said("--version").strip() == f"schleier {__version__}"


BAD = [
    "check absent.toml",
    "run absent.toml",
    "run recipe.toml --engine abacus",
    "run recipe.toml --key-file people.csv",
    "verify people.csv",
    "verify absent.csv --recipe recipe.toml",
    "digest people.csv",
    "report absent --out page.txt",
    "hand-over absent release.zip",
    "replay absent people.csv",
    "replay absent --sql abacus",
    "describe absent.csv",
    "describe recipe.toml",
    "inspect people.csv",
    "inspect people.csv --schema recipe.toml --measure abacus",
    "suggest people.csv --profile abacus",
    "decide recipe.toml nobody --role quasi",
    "decide recipe.toml age --role abacus",
    "plan absent.toml",
    "world --persons 1",
    "methods abacus",
    "attacks abacus",
]


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_told_without_a_word_of_english(
    line: str, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = said("--lang", "de", *line.split())
    assert told.startswith("Fehler") and "auf Englisch" not in told, told
    assert english_words("\n".join(row.partition(": ")[2] for row in told.splitlines())) == set(), told
