"""The report once more: another language, or PDF."""

from __future__ import annotations

import ctypes.util
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.flow.recipe.recipe import Recipe
from schleier.testing import example_table

RECIPE = """
[schema]
others = "drop"
columns = [{ name = "sex", role = "quasi", scale = "nominal" }]
[[criteria]]
criterion = "k_anonymity"
k = 2
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    Recipe.from_toml(RECIPE).run(example_table(), out=tmp_path / "out")
    return tmp_path / "out"


def test_in_german(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "bericht.html"
    done = CliRunner().invoke(app, ["report", str(release), "--lang", "de", "--out", str(out)])
    assert done.exit_code == 0
    assert "Die Freigabe erfüllt" in out.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bericht.html", "out"]


def test_a_language_that_does_not_exist_is_refused(release: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["report", str(release), "--lang", "xx", "--out", str(tmp_path / "x.html")])
    assert done.exit_code == 2
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    assert CliRunner().invoke(app, ["run", str(recipe), "--lang", "xx"]).exit_code == 2
    assert not (tmp_path / "x.html").exists()


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["report", str(tmp_path), "--out", str(tmp_path / "x.html")]).exit_code == 4


def test_as_pdf(release: Path, tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs weasyprint and Pango", exc_type=(ImportError, OSError))
    if ctypes.util.find_library("pangoft2-1.0") is None:
        pytest.skip("needs the Pango library of the system")
    out = tmp_path / "report.pdf"
    assert CliRunner().invoke(app, ["report", str(release), "--out", str(out)]).exit_code == 0
    assert out.read_bytes().startswith(b"%PDF-")
