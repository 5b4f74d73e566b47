"""CONTRIBUTING.md by doing it: its text adds a method, a criterion, a measure and an attack, and edits nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from copies import ROOT, copied, files, offered, passed, ran, run_tests, write
from fenced import blocks
from schleier.core.names import camel
from test_architecture import complaints
from tools import docs

TEXTS = {
    block.title: block.code
    for block in blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    if block.title and "/" in block.title
}
SOURCES = {Path(name).stem: name for name in TEXTS if name.startswith("src/") and name.endswith(".py")}
KINDS = {"methods": "method", "criteria": "criterion", "utility": "measure", "attacks": "attack"}
WORDS = " or ".join(SOURCES)
TESTS = [name for name in TEXTS if name.startswith("tests/")]
PICTURE = "docs/pictures/methods/round_down.svg"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of the tree with the four components, documented as the text says; and its files before that."""
    root = copied(tmp_path_factory.mktemp("checkout"))
    before = files(root)
    write(root, TEXTS)
    for command in (("tools/pictures.py", "round_down"), ("tools/docs.py",)):
        done = ran(root, *command)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return root, before


def test_there_is_one_of_each_kind_with_four_files() -> None:
    assert [KINDS[name.split("/")[2]] for name in SOURCES.values()] == list(KINDS.values())
    assert len(TEXTS) == 4 * len(KINDS)
    assert not [name for name in TEXTS if (ROOT / name).exists()]


def test_no_other_file_is_edited(checkout: tuple[Path, dict[str, str]]) -> None:
    root, before = checkout
    after = files(root)
    assert set(after) - set(before) == {*TEXTS, PICTURE}
    lists = {"docs/README.md", *(docs.grouping(kind).as_posix() for kind in KINDS.values())}
    assert {name for name in before if after.get(name) != before[name]} == lists
    for name in lists:
        index = [docs.LISTED.sub("", (where / name).read_text(encoding="utf-8")) for where in (ROOT, root)]
        assert index[0] == index[1], f"only the generated list of {name} has changed"


def test_all_contracts_tests_and_examples_pass(checkout: tuple[Path, dict[str, str]]) -> None:
    root, _ = checkout
    places = ("tests/contracts", "tests/criteria/test_promises.py", "tests/test_docs.py", *TESTS)
    assert passed(run_tests(root, *places, "-k", WORDS)) >= 120


def test_documentation_style_and_architecture_are_in_order(checkout: tuple[Path, dict[str, str]]) -> None:
    root, _ = checkout
    assert ran(root, "tools/docs.py", "--check").returncode == 0
    code = [*SOURCES.values(), *TESTS]
    for command in (("check",), ("format", "--check")):
        done = ran(root, "-m", "ruff", *command, *code)
        assert done.returncode == 0, done.stdout
    new = {name.removeprefix("src/schleier/") for name in SOURCES.values()}
    assert [line for line in complaints(root / "src" / "schleier") if line.partition(":")[0] in new] == []


def test_the_same_four_come_from_a_package_of_somebody_else(
    checkout: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    root, _ = checkout
    kinds = {word: KINDS[name.split("/")[2]] for word, name in SOURCES.items()}
    texts = {f"{word}.py": TEXTS[name] for word, name in SOURCES.items()}
    texts |= {Path(name).name: text for name, text in TEXTS.items() if name.endswith(".toml")}
    # the pages as make docs left them: with their tables
    texts |= {Path(n).name: (root / n).read_text(encoding="utf-8") for n in TEXTS if n.endswith(".md")}
    entries = {kind: f"{word} = my_package.{word}:{camel(word)}" for word, kind in kinds.items()}
    folder = offered(tmp_path, "my_package", texts, entries)
    assert passed(run_tests(ROOT, "tests/contracts", "-k", WORDS, also=[folder])) >= 70
    checked = ran(ROOT, "tools/docs.py", "--check", also=[folder])
    assert (checked.returncode, checked.stdout) == (0, "")


MISSING = {
    "docs/criteria/insider_margin.md": "is missing: say what it does",
    PICTURE: "is missing: run make pictures",
}
WORDLESS = "src/schleier/methods/round_down.toml"


def test_what_is_left_out_is_asked_for(checkout: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    root, _ = checkout
    taken = [*MISSING, WORDLESS]
    for i, name in enumerate(taken):
        (root / name).rename(tmp_path / str(i))
    try:
        done = run_tests(root, "tests/contracts", "-k", "(round_down or insider_margin) and (page or there_are_words)")
    finally:
        for i, name in enumerate(taken):
            (tmp_path / str(i)).rename(root / name)
    told = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert [name for name, what in MISSING.items() if f"{name}: {what}" not in told] == []
    assert "add methods/round_down.toml beside its module" in told
    assert told.count("(see CONTRIBUTING.md)") >= len(MISSING)
