"""The notebook among the examples: what it says can be run, from top to bottom, and it holds no outputs."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("**/*.ipynb"))


def cells(notebook: Path) -> list[dict[str, Any]]:
    return [one for one in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if one["cell_type"] == "code"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_cards(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES / "first_release", tmp_path / "first_release")
    (tmp_path / "notebook").mkdir()
    monkeypatch.chdir(tmp_path / "notebook")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    known: dict[str, Any] = {}
    shown = [_run("".join(cell["source"]), known) for cell in cells(notebook)]
    assert sum(hasattr(one, "_repr_html_") and "<div" in one._repr_html_() for one in shown) >= 8


def _run(source: str, known: dict[str, Any]) -> Any:
    """Run a cell, and return what its last line is worth."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), known)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), known) if last else None  # type: ignore[attr-defined]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(notebook: Path) -> None:
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(notebook))
