"""What may and may not be in the repository."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LARGEST = 1_000_000
LOCAL = re.compile(r"(?<![\w.~*-])/(?:work|root|opt|home/\w+|Users/\w+)(?:/|\b)")
INDEX = re.compile(r"pypi\.(?:org|python)|pythonhosted|npmjs|(?<!no-emit-)index-url|find-links|/simple\b")
EXEMPT = {"tests/test_repository.py"}  # it has to name what it looks for


def files() -> list[Path]:
    """All files of the repository, also the new ones; all that are not ignored when there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        ignored = {".git", *(line.strip("/") for line in (ROOT / ".gitignore").read_text().split())}
        found = [file for file in ROOT.rglob("*") if not ignored.intersection(file.relative_to(ROOT).parts)]
    return [file for file in found if file.is_file()]


FILES = files()
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {found[0]}"
        for file in FILES
        if (name := file.relative_to(ROOT).as_posix()) not in EXEMPT
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if (found := pattern.search(line))
    ]


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    assert lines_with(LOCAL) == []


def test_no_file_names_a_package_index() -> None:
    assert lines_with(INDEX) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (LOCAL, "see /home/anna/data.csv"),
        (LOCAL, "--find-links=/opt/wheels"),
        (LOCAL, "file:///root/x"),
        (INDEX, "--extra-index-url https://example.org"),
        (INDEX, "https://mirror.example.org/simple/numpy"),
    ],
)
def test_the_patterns_find(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def test_no_large_files() -> None:
    assert [file.name for file in FILES if file.stat().st_size > LARGEST] == []


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert re.search(r"Apache License\s+Version 2\.0, January 2004", text)
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_no_unfinished_business_in_the_source() -> None:
    assert [line for line in lines_with(re.compile(r"\b(TODO|FIXME|XXX)\b")) if line.startswith("src/")] == []


def test_the_version_is_the_same_everywhere() -> None:
    import schleier

    versions = re.findall(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert versions[0] == PROJECT["project"]["version"] == schleier.__version__


def locked(name: str) -> dict[str, set[str]]:
    """Package -> locked versions, which may differ between Python versions; every entry is hashed."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8").replace("\\\n", "")
    versions: dict[str, set[str]] = {}
    for line in text.splitlines():
        assert re.match(r"[a-z0-9._-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line), line
        package, _, version = line.split()[0].partition("==")
        versions.setdefault(package, set()).add(version)
    return versions


CORE: list[str] = PROJECT["project"]["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
GROUPS: dict[str, list[str]] = PROJECT["dependency-groups"]


@pytest.mark.parametrize(
    ("lock", "declared"),
    [
        ("core.txt", CORE),
        ("test.txt", CORE + EXTRAS["io"] + EXTRAS["spark"] + GROUPS["dev"]),
        ("site.txt", GROUPS["site"]),
        ("uv.txt", GROUPS["build"] + PROJECT["build-system"]["requires"]),
    ],
)
def test_the_lock_fits_what_the_project_declares(lock: str, declared: list[str]) -> None:
    versions = locked(lock)
    assert "torch" not in versions
    for requirement in map(Requirement, declared):
        found = versions.get(canonicalize_name(requirement.name), {"none"})
        assert any(spec.operator in (">=", "==") for spec in requirement.specifier), f"{requirement}: no lower bound"
        assert all(v in requirement.specifier for v in found), f"{requirement} locked at {found}: run make lock"
