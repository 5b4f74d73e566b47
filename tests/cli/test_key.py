"""The commands for keys: what they write, and that they never show a key."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.key_files import read_secrets


def said(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["key", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout + result.stderr


def test_from_a_new_key_to_its_shares_and_back(tmp_path: Path) -> None:
    file, parts, back = (str(tmp_path / name) for name in ("people.key", "part", "back.key"))
    told = said("new", file) + said("rotate", file) + said("show", file, "--lang", "de")
    told += said("split", file, parts + "1", parts + "2") + said("join", parts + "2", parts + "1", "--out", back)
    held = read_secrets(Path(file), "")
    assert read_secrets(Path(back), "") == held and len(held) == 2
    assert not any(secret.hex()[:8] in told for secret in held.values())
    shown = json.loads(said("show", file, "--json"))
    assert [one["epoch"] for one in shown["epochs"]] == [1, 2] and all(one["id"] in told for one in shown["epochs"])


def test_no_key_is_overwritten_and_others_read_none(tmp_path: Path) -> None:
    file = tmp_path / "people.key"
    said("new", str(file), "--quiet")
    assert "there is a file already" in said("new", str(file), code=2)
    file.chmod(0o644)
    assert "chmod 600" in said("show", str(file), code=2)


def test_a_language_before_the_command_counts(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--lang", "de", "key", "new", str(tmp_path / "k")])
    assert "Geschrieben" in result.stdout
    assert "Schlüssel" in CliRunner().invoke(app, ["--lang", "de", "key", "--help"]).stdout
