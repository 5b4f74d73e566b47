"""The page of a first contact: as current as what it was made from, and the way it tells can be gone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bench.first_contact import STEPS, STORED, walk
from bench.first_contact_files import bring, told_files
from bench.first_contact_page import END, PAGE, START, tables
from schleier.cli import app

SMALL = {
    "survey.por": ["respid", "sex", "agec", "educ", "inc"],
    "from_r.csv": ["Name, Vorname", "geschl", "geb_jahr", "wohn_gem", "n_mathe"],
}
"""Files, and the columns of them that are taken."""


def test_the_page_shows_what_was_stored() -> None:
    text = PAGE.read_text(encoding="utf-8")
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert text[text.index(START) + len(START) : text.index(END)].strip() == tables(stored).strip()
    assert [*stored] == [told["name"] for told in told_files() if told["name"] in stored]


@pytest.mark.parametrize("name", SMALL)
def test_every_step_ends_well(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def called(arguments: Sequence[str], folder: Path) -> dict[str, Any]:
        result = CliRunner().invoke(app, [*arguments])
        return {"exit": result.exit_code, "seconds": 0.0, "said": result.output}

    told = next(told for told in told_files() if told["name"] == name)
    walked = walk(bring(told | {"rows": 150, "columns": SMALL[name]}, tmp_path), called)
    assert {step: ended["exit"] for step, ended in walked["steps"].items()} == dict.fromkeys(STEPS, 0)
    assert not [wrong for wrong in walked["wrong"] if wrong[2] in ("plain", "weight")]
