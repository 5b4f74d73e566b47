"""The command lab: what it says, in which language, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.foreign import english_words
from lab.grids import GRID, MARKER, told_everywhere, write_grid
from schleier.cli import app
from schleier.lab.grid.results import GridReport


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHLEIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def schleier(*arguments: object) -> Any:
    result = CliRunner().invoke(app, ["lab", *map(str, arguments)])
    assert "Traceback" not in result.stdout + result.stderr and MARKER not in result.stdout + result.stderr
    return result


def test_a_grid_and_its_page_in_both_languages(tmp_path: Path) -> None:
    start, end = GRID.index('[[releases]]\nname = "coarse"'), GRID.index("[[techniques]]")
    path, out = write_grid(tmp_path, 'method = ["full", "none"]\n' + GRID[:start] + GRID[end:]), tmp_path / "out"
    result = schleier(path, "--out", out, "--jobs", 1)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [f"{done} of 4 experiments done" for done in range(5)]
    assert result.stdout.startswith("Persons are found: in the strongest experiment between ")
    assert "Security by obscurity: in one of 2 comparisons" in result.stdout
    assert "4 experiments done, 0 were done before." in result.stdout
    page = (out / "public" / "grid.html").read_text(encoding="utf-8")
    assert "<svg" in page and "http" not in page.replace("http-equiv", "")
    german = schleier(path, "--out", out, "--lang", "de")
    assert "Alle 4 Experimente lagen schon vor" in german.stdout
    assert "Sicherheit durch Geheimhaltung" in german.stdout
    page = (out / "public" / "grid.html").read_text(encoding="utf-8")
    assert '<html lang="de"' in page
    told = json.loads(schleier(path, "--out", out, "--json").stdout)
    report = GridReport.model_validate(told["grid"])
    assert told["skipped"] == 4 and len(report.cells) == 4
    assert MARKER not in told_everywhere(out)
    assert english_words(german.stdout.replace(str(out), "")) <= {"fine", "exact", "match", "three"}


def test_what_is_wrong_is_said_in_german(tmp_path: Path) -> None:
    path = write_grid(tmp_path, "thresholds = [2]\n" + GRID.replace("exact_match", "exakt"))
    result = schleier(path, "--out", tmp_path / "out", "--lang", "de")
    assert result.exit_code == 2 and not (tmp_path / "out").exists()
    assert "thresholds[0]" in result.stderr and "techniques[0]" in result.stderr
