"""Wings are found by the names of their rooms, are everywhere, cost nothing until they are used, and can be removed."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from copies import ROOT, copied, passed, ran, run_tests, write
from schleier.cli.commands import MODULES
from schleier.core import registry
from test_architecture import complaints
from wings import KNOT, LACE, PROBLEMS

EXTRAS = ROOT / "src" / "schleier" / "extras"
WORDS = {"lace": ["blur", "peek", "digit_runs"], "knot": ["counting", "relay"]}
SHOW = """
import json, sys
import schleier as sl
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.release import Release
from schleier.testing import example_schema, example_table

recipe = Recipe.from_toml('''
attacks = "auto"
[schema]
row_key = "id"
others = "drop"
columns = [{ name = "income", role = "sensitive", scale = "continuous", decimals = 2 }]
[[steps]]
method = "blur"
column = "income"
base = 500
''')
report = recipe.run(example_table(), key=bytes(32)).report
html = sl.core.registry.get("renderer", "html")()
json.dump({
    "attacks": [one.name for one in report.attacks],
    "en": html.render(report, "en"),
    "de": html.render(report, "de"),
    "catalogue": [sl.methods.Blur.word(), sl.detectors.DigitRuns.word(), sl.sessions.Counting.word()],
}, sys.stdout)
"""
LOOK = """
import json, sys
from schleier.cli import app
try:
    app(["--help"])
except SystemExit:
    pass
loaded = [name for name in sys.modules if name.startswith("schleier.extras.")]
from schleier.core import registry
from tools import docs
found = {kind: list(registry.every(kind)) for kind in registry.KINDS}
wrong = [*docs.problems(registry), *docs.index_problems(registry, write=True)]
json.dump({"loaded": loaded, "found": found, "wrong": wrong}, sys.stderr)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with two more wings, their tables written."""
    root = copied(tmp_path_factory.mktemp("house"))
    write(root, LACE | KNOT)
    for command in (("tools/pictures.py", "blur"), ("tools/docs.py",)):
        done = ran(root, *command)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return root


@pytest.fixture(scope="module")
def look(house: Path) -> tuple[str, dict[str, Any]]:
    """What ``--help`` says, and what is there."""
    return looked(house)


def looked(house: Path) -> tuple[str, dict[str, Any]]:
    done = ran(house, "-c", LOOK)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


def test_the_command_line_shows_a_wing_without_importing_it(look: tuple[str, dict[str, Any]]) -> None:
    said, told = look
    assert "lace" in said and "Look through lace and count its holes." in said
    assert "knot" not in said, "it has no commands"
    assert {"detectors", "sessions", "services"} <= set(said.split()), "now there is something to list"
    assert (told["loaded"], told["wrong"]) == ([], [])
    assert {word for words in told["found"].values() for word in words} >= {*WORDS["lace"], *WORDS["knot"]}
    assert told["found"]["section"] == ["thread_count"]


def test_its_commands_run_and_its_problems_have_words(house: Path) -> None:
    assert "Say how many holes there are." in ran(house, "-m", "schleier", "lace", "--help").stdout
    german = ran(house, "-m", "schleier", "--lang", "de", "lace", "--help").stdout
    assert "Sagen, wie viele Löcher es sind." in german and "Aufruf:" in german
    assert "Durch Spitze schauen" in ran(house, "-m", "schleier", "--lang", "de", "--help").stdout
    assert ran(house, "-m", "schleier", "lace", "holes", "3").stdout == "3 holes\n"
    for line in (("lace", "holes", "12", "--lang", "de"), ("--lang", "de", "lace", "holes", "12")):
        refused = ran(house, "-m", "schleier", *line)
        assert (refused.returncode, refused.stdout) == (3, "")
        assert PROBLEMS["too-many-holes"][0] in " ".join(refused.stderr.split())


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("methods", "blur"), "Released values are multiples of this."),
        (("detectors",), "Find runs of digits"),
        (("services", "relay"), "What is sent."),
    ],
)
def test_its_components_are_listed_and_explained(command: tuple[str, ...], told: str, house: Path) -> None:
    assert told in " ".join(ran(house, "-m", "schleier", *command).stdout.split())


def test_the_report_tells_them_in_their_own_words(house: Path) -> None:
    done = ran(house, "-c", SHOW)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "peek" in told["attacks"], "auto aims it at what the wing's method leaves"
    assert told["catalogue"] == ["blur", "digit_runs", "counting"]
    for lang, blur, peek, threads in (
        ("en", "Blurred like lace", "A peek through lace", "<h2>Threads</h2><p>1</p>"),
        ("de", "Verwischt wie Spitze", "Ein Blick durch die Spitze", "<h2>Fäden</h2><p>1</p>"),
    ):
        assert threads in told[lang]
        assert blur in told[lang]
        assert peek in told[lang]


def test_contracts_and_tests_take_them_in(house: Path) -> None:
    words = " or ".join([*WORDS["lace"], *WORDS["knot"]])
    assert passed(run_tests(house, "tests/contracts", "tests/extras", "-k", f"{words} or extras")) >= 90


def test_no_rule_of_the_architecture_is_broken_by_them(house: Path) -> None:
    assert [line for line in complaints(house / "src" / "schleier") if line.startswith("extras/")] == []


def test_a_word_of_two_wings_stops_whoever_asks(house: Path) -> None:
    twin = house / "src" / "schleier" / "extras" / "knot" / "methods" / "blur.py"
    write(twin.parent, {"blur.py": ""})
    try:
        done = ran(house, "-m", "schleier", "methods")
    finally:
        shutil.rmtree(twin.parent)
    assert done.returncode == 70
    told = " ".join(done.stderr.split())
    assert "schleier.extras.knot.methods.blur:Blur" in told and "schleier.extras.lace.methods.blur:Blur" in told


@contextmanager
def without(house: Path, wing: str, aside: Path) -> Iterator[None]:
    """The house as it is when somebody removes a wing, its tests and pages; compiled leftovers stay, as they do."""
    home = house / "src" / "schleier" / "extras" / wing
    words = {file.stem for file in home.rglob("*.py")}
    pages = [page for page in (house / "docs").rglob("*.md") if page.stem in words and page.parent.name != "guide"]
    parts = (*home.rglob("*"), *(house / "tests" / "extras" / wing).rglob("*"), *pages)
    taken = [file for file in parts if file.is_file() and "__pycache__" not in file.parts]
    for i, file in enumerate(taken):
        file.rename(aside / str(i))
    write(home / "methods" / "__pycache__", {"left_over.cpython-311.pyc": ""})
    try:
        yield
    finally:
        for i, file in enumerate(taken):
            (aside / str(i)).rename(file)


@pytest.mark.parametrize("wing", [*registry.wings(), *WORDS])
def test_everything_else_stands_when_a_wing_is_removed(
    wing: str, house: Path, look: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    before = look[1]["found"]
    with without(house, wing, tmp_path):
        said, told = looked(house)
    assert (told["loaded"], told["wrong"]) == ([], [])
    assert not re.search(rf"^\W ?{wing}\b", said, re.MULTILINE), "no such command"
    gone = {word for kind, words in before.items() for word in {*words} - {*told["found"][kind]}}
    home = house / "src" / "schleier" / "extras" / wing
    assert gone == {file.stem for file in home.glob("*/[a-z]*.py")} >= set(WORDS.get(wing, ())), "its own, no other"


def test_nobody_else_names_a_wing() -> None:
    tests = [file for file in (ROOT / "tests").rglob("*.py") if file.stem not in ("wings", "test_wings")]
    for file in (*(ROOT / "src").rglob("*.py"), *tests):
        named = set(re.findall(r"extras[./]([a-z]\w*)", file.read_text(encoding="utf-8"))) & set(registry.wings())
        assert all(f"extras{os.sep}{wing}{os.sep}" in str(file) for wing in named), file


def test_every_wing_can_be_found_and_says_what_its_commands_are_about() -> None:
    folders = {file.relative_to(EXTRAS).parts[0] for file in EXTRAS.rglob("*.py") if file.parent != EXTRAS}
    assert folders == set(registry.wings()), (
        "a wing is a folder with an __init__.py, its name begins with a small letter"
    )
    assert not folders & set(MODULES), "a wing must not be called like a command"
    for file in EXTRAS.glob("*/cli.py"):
        first = file.read_text(encoding="utf-8").partition("\n")[0]
        assert re.fullmatch(r'"""[A-Z].+\."""', first), f"{file}: the first line is what schleier --help shows"
