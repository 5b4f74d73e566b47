"""A release is only replaced when nothing of somebody else's would be lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from schleier.core.errors import WriteError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.release import strangers
from schleier.testing import example_table

RECIPE = """
[schema]
others = "drop"
columns = [{ name = "sex", role = "quasi", scale = "nominal" }]
"""


def test_files_put_into_a_release_are_not_deleted(tmp_path: Path) -> None:
    recipe, out = Recipe.from_toml(RECIPE), tmp_path / "out"
    recipe.run(example_table(), out=out)
    assert strangers(out) == []
    note = out / "public" / "notes.txt"
    note.write_text("mine")
    with pytest.raises(WriteError, match="1 files that are not part of the release"):
        recipe.run(example_table(), out=out, force=True)
    assert note.read_text() == "mine"
    note.unlink()
    recipe.run(example_table(), out=out, force=True)
