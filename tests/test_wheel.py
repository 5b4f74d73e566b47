"""The wheel holds all that the source tree holds, and works where no source tree is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fenced import blocks

ROOT = Path(__file__).parent.parent
DATA = {".toml", ".j2", ".css"}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of a wheel, built from a copy of the tree without asking anybody."""
    copy, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    ended = subprocess.run(build, cwd=copy, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(out / "unpacked")
    return out / "unpacked"


def call(unpacked: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with the unpacked wheel, in a folder of its own."""
    environment = os.environ | {"PYTHONPATH": str(unpacked), "COLUMNS": "100"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_every_file_of_data_is_in_the_wheel(unpacked: Path) -> None:
    source = ROOT / "src"
    wanted = {
        file.relative_to(source).as_posix()
        for file in source.rglob("*")
        if file.suffix in DATA | {".py"} or file.name == "py.typed"
    }
    there = {file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if file.is_file()}
    for name in (
        "py.typed",
        "core/problems.toml",
        "report/page.css",
        "report/page.html.j2",
        "profiles/public_use.toml",
    ):
        assert f"schleier/{name}" in wanted
    assert sorted(wanted - there) == []


def test_the_wheel_is_what_is_imported(unpacked: Path, tmp_path: Path) -> None:
    ended = call(unpacked, tmp_path, "-c", "import schleier; print(schleier.__file__)")
    assert Path(ended.stdout.strip()).parent == unpacked / "schleier"


def test_a_component_explains_itself(unpacked: Path, tmp_path: Path) -> None:
    ended = call(unpacked, tmp_path, "-m", "schleier", "methods", "top_code")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "top_code" in ended.stdout and "upper" in ended.stdout


def test_a_problem_is_told_in_german(unpacked: Path, tmp_path: Path) -> None:
    ended = call(unpacked, tmp_path, "-m", "schleier", "describe", "none.csv", "--lang", "de")
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.startswith("Fehler none.csv: Diese Datei gibt es nicht.")
    assert "Englisch" not in ended.stderr and "no such file" not in ended.stderr


def test_the_recipe_of_the_readme_runs(unpacked: Path, tmp_path: Path) -> None:
    for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")):
        if block.title:
            (tmp_path / block.title).write_text(block.code, encoding="utf-8")
    ended = call(unpacked, tmp_path, "-m", "schleier", "run", "recipe.toml", "-o", "release")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "release" / "public" / "data.csv").is_file()
    again = call(unpacked, tmp_path, "-m", "schleier", "report", "release", "--lang", "de", "--out", "de.html")
    assert again.returncode == 0, again.stderr
    assert '<html lang="de"' in (tmp_path / "de.html").read_text(encoding="utf-8")
