"""The plugin for pytest: the tests of another repository, run as its owner would run them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as Xml

from schleier.flow.recipe.recipe import Recipe

ROOT = Path(__file__).parent.parent
RECIPE = """
[data]
file = "people.csv"
[schema]
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "wage", role = "sensitive", scale = "continuous" },
]
[[steps]]
method = "recode"
column = "age"
breaks = [40]
[[criteria]]
criterion = "k_anonymity"
k = 2
[release]
purpose = "Teaching"
"""
TESTS = """
from schleier.pytest_plugin import ReleaseChecks

good = ReleaseChecks("release")
handed = ReleaseChecks("release/public/data.csv", recipe="recipe.toml", report="release/public/report.json")
alone = ReleaseChecks("release/public/data.csv", recipe="recipe.toml")
original = ReleaseChecks("people.csv", recipe="recipe.toml")
strict = ReleaseChecks("amber")
lenient = ReleaseChecks("amber", amber=True)
absent = ReleaseChecks("release", recipe="none.toml")

def test_of_the_house():
    assert good.amber is False
"""
ROWS = "age,sex,wage\n" + "".join(f"{30 + n},{'fm'[n % 2]},{1000 + n}.5\n" for n in range(40))
ALL = ("file", "records", "digest", "k_anonymity", "report")


def test_what_is_released_is_tested(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    (tmp_path / "amber.toml").write_text(RECIPE.replace('"sensitive"', '"undecided"'))
    (tmp_path / "test_release.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    Recipe.from_file(tmp_path / "recipe.toml").run(out=tmp_path / "release")
    Recipe.from_file(tmp_path / "amber.toml").run(out=tmp_path / "amber")
    # As if installed: whether the checkout's own entry point is known does not matter.
    line = [sys.executable, "-m", "pytest", "-q", "-p", "schleier.pytest_plugin", "--junitxml=tests.xml", "-rs"]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "SCHLEIER_LANG": "en"}
    ended = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stdout
    cases = {
        (case.attrib["classname"].removeprefix("test_release").removeprefix("."), case.attrib["name"]): case
        for case in Xml.parse(tmp_path / "tests.xml").getroot()[0]
    }
    outcomes = {place: next((part.tag for part in case), "passed") for place, case in cases.items()}
    assert outcomes == {
        **{("good", name): "passed" for name in ALL},
        **{("handed", name): "passed" for name in ALL},
        **{("alone", name): "skipped" if name in ("records", "digest") else "passed" for name in ALL[:4]},
        **{("original", name): "failure" if name in ("file", "k_anonymity") else "skipped" for name in ALL[:4]},
        **{("strict", name): "failure" if name == "report" else "passed" for name in ALL},
        **{("lenient", name): "passed" for name in ALL},
        **{("absent", name): "failure" if name == "file" else "skipped" for name in ALL[:3]},
        ("absent", "report"): "passed",
        ("", "test_of_the_house"): "passed",
    }
    assert "there is no such recipe" in ended.stdout and "with reservations" in ended.stdout
    assert "The smallest class holds" in cases["original", "k_anonymity"][0].attrib["message"]
    assert "Traceback" not in ended.stdout and "pytest_plugin.py:1" not in ended.stdout.partition("short test")[0]
    assert "1017.5" not in ended.stdout + (tmp_path / "tests.xml").read_text(), "no value is told"


def test_pytest_finds_it_where_schleier_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"schleier": "schleier.pytest_plugin"}
