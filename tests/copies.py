"""A copy of the tree to add things to, and commands that run in it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import schleier

ROOT = Path(__file__).parent.parent
PARTS = ("src", "tests", "tools", "docs", "examples", "pyproject.toml", "CONTRIBUTING.md", "README.md", "CHANGELOG.md")
LEFTOVERS = {"__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache"}


def copied(target: Path) -> Path:
    """The tree with what is compiled already, which then need not be compiled again."""
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, target / part)
    return target


def files(root: Path) -> dict[str, str]:
    """Every file with a digest of its content, leftovers of tools excepted."""
    return {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in root.rglob("*")
        if file.is_file() and not LEFTOVERS.intersection(file.parts)
    }


def write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def ran(root: Path, *command: str, also: Iterable[Path] = ()) -> subprocess.CompletedProcess[str]:
    """A Python command in a tree, with its own sources or else those that are tested, and packages of others."""
    source = root / "src" if root != ROOT else Path(schleier.__file__).parent.parent
    path = os.pathsep.join(map(str, (*also, source)))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    environment |= {"PYTHONPATH": path, "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=root, env=environment, check=False
    )


def passed(done: subprocess.CompletedProcess[str]) -> int:
    """How many tests passed; all must."""
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    return int(done.stdout.strip().splitlines()[-1].split()[0])


def run_tests(root: Path, *arguments: str, also: Iterable[Path] = ()) -> subprocess.CompletedProcess[str]:
    """Tests of a tree that need no Spark."""
    return ran(root, "-m", "pytest", "-q", "-m", "not spark", "-p", "no:cacheprovider", *arguments, also=also)


def offered(folder: Path, package: str, texts: dict[str, str], entries: dict[str, str]) -> Path:
    """A package of somebody else as if it were installed: its files, and its entry points by group and word."""
    info = folder / f"{package}-1.0.dist-info"
    groups = "".join(f"[schleier.{kind}]\n{entry}\n" for kind, entry in entries.items())
    write(folder / package, {"__init__.py": "", **texts})
    write(info, {"METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "entry_points.txt": groups})
    return folder
