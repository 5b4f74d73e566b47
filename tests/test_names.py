"""No component is known by name outside its own file: what others must know of it, it declares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "schleier"
ROOMS = ("methods", "search", "criteria", "risk", "utility", "attacks")
KINDS = {"method", "criterion", "measure", "attack"}

# Component words that are ordinary words too: options and facts may be called so, but nobody may mean the component.
ORDINARY = {
    "coarsen",
    "combinations",
    "combine",
    "compatibility",
    "correlations",
    "danger",
    "dominance",
    "drop",
    "interval",
    "journalist",
    "marketer",
    "moments",
    "population_uniques",
    "prosecutor",
    "ratio",
    "regression",
    "sample",
    "separation",
    "similarity",
    "swap",
    "uniqueness",
}


def words(source: Path) -> set[str]:
    """The words of all components, told from file names; those of wings too."""
    rooms = [source / room for room in ROOMS]
    rooms += [wing / room for wing in (source / "extras").glob("*") for room in ROOMS]
    return {file.stem for room in rooms for file in room.glob("[a-z]*.py")}


def complaints(source: Path) -> list[str]:
    """Every place that names a component of another file."""
    known = words(source)
    return [
        f"{file.relative_to(source).as_posix()}:{line}: '{word}' is the name of a component"
        for file in sorted(source.rglob("*.py"))
        for line, word in _named(ast.parse(file.read_text(encoding="utf-8")), known - {file.stem})
    ]


def _named(tree: ast.Module, known: set[str]) -> Iterator[tuple[int, str]]:
    pointed, recipes = set[ast.AST](), set[ast.AST]()
    for node in ast.walk(tree):
        pointed |= set(_pointing(node))
        recipes |= set(_recipes(node))
    for node in ast.walk(tree):
        named = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known
        if named and node not in recipes and (node.value not in ORDINARY or node in pointed):
            yield node.lineno, node.value


def _pointing(node: ast.AST) -> Iterator[ast.AST]:
    """Constants that can only mean the component: asked of the registry, compared with its word, put in an entry."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("get", "word") and node.args[1:]:
        yield node.args[1]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if any(ast.unparse(side).rpartition(".")[2] in (*KINDS, "word()") for side in sides):
            yield from (inner for side in sides for inner in ast.walk(side))
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in KINDS:
                yield value


def _recipes(node: ast.AST) -> Iterator[ast.AST]:
    """Constants that are part of a recipe: a component's example, and the default of a parameter that holds one."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        target, declared = ast.unparse(node.target), ast.unparse(node.annotation)
        if target == "example" or declared.startswith("nested("):
            yield from ast.walk(node.value)


def test_no_component_is_known_by_name_elsewhere() -> None:
    found = complaints(SOURCE)
    assert not found, "\n".join(["declare a trait, or write a piece of a recipe (core/pieces.toml):", *found])


def test_ordinary_words_are_words_of_components() -> None:
    assert words(SOURCE) >= ORDINARY, "a word that no component has needs no exception"


GOOD = {
    "methods/top_code.py": "WORD = 'top_code'",
    "methods/drop.py": "example: dict = {'columns': ['name']}",
    "attacks/peek.py": "example: dict = {'first': {'method': 'top_code'}}",
    "search/walk.py": "loss: nested('measure') = Field(default='top_code')",
    "flow/read.py": "others = 'drop'",
}
BAD = {
    "registry.get('method', 'drop')",
    "kind = step.method == 'drop'",
    "if step.word() in ('drop', 'x'): pass",
    "entry = {'method': 'drop'}",
    "NOISY = ('top_code',)",
    "TITLES = {'top_code': 'Capped'}",
}


def planted(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n", encoding="utf-8")
    return root


def test_the_checker_accepts_own_names_recipes_and_ordinary_words(tmp_path: Path) -> None:
    assert complaints(planted(tmp_path, GOOD)) == []


@pytest.mark.parametrize("text", sorted(BAD))
def test_the_checker_finds(text: str, tmp_path: Path) -> None:
    (found,) = complaints(planted(tmp_path, GOOD | {"report/a.py": text}))
    assert found.startswith("report/a.py:1:")
