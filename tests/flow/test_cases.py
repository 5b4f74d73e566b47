"""Releases opened for experiments: made from a recipe or standing in a folder, with a file of known persons."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.grids import KEY, write_grid
from schleier.core.errors import SchleierError
from schleier.flow.cases import look, look_at_file, opened
from schleier.flow.recipe.recipe import Recipe


def test_a_folder_holds_what_its_recipe_makes(tmp_path: Path) -> None:
    write_grid(tmp_path, rows=60)
    recipe, folder, rows = (str(tmp_path / one) for one in ("recipe.toml", "release", "people.parquet"))
    Recipe.from_file(recipe).run(out=folder, key=KEY)
    ids = pq.read_table(rows)["id"].to_pylist()
    pq.write_table(pa.table({"entry": [1, 2], "age": [30, 40], "sex": ["f", "m"]}), tmp_path / "known.parquet")
    pq.write_table(pa.table({"id": ids[:2], "entry": [1, 2]}), tmp_path / "truth.parquet")
    held = {"known": str(tmp_path / "known.parquet"), "truth": str(tmp_path / "truth.parquet")}
    with (
        opened(recipe, "", "", {}, key=KEY, **held) as made,
        opened("", folder, "", {}, key=bytes(32)) as stood,
        opened("", folder, rows, {}, key=bytes(32), **held) as named,
    ):
        tables = [one.released.to_arrow().select(["age", "sex", "region"]) for one in (made, stood, named)]
        assert tables[0] == tables[1] == tables[2]
        assert made.known is not None and named.known is not None and made.known.rows == named.known.rows == 2
        assert stood.known is None and len(stood.steps) == 1
    assert look("", folder, "", {}).digest == look("", folder, rows, {}).digest != look(recipe, "", "", {}).digest
    assert look_at_file(held["known"])[0] == ("entry", "age", "sex")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    write_grid(tmp_path, rows=60)
    folder = str(tmp_path / "release")
    Recipe.from_file(tmp_path / "recipe.toml").run(out=folder, key=KEY)
    (tmp_path / "people.parquet").unlink()
    with pytest.raises(SchleierError, match="the rows the release was made from are not there"):
        look("", folder, "", {})
    with pytest.raises(SchleierError):
        look(str(tmp_path / "recipe.toml"), "", "", {})
    (tmp_path / "release" / "restricted" / "audit.json").unlink()
    with pytest.raises(SchleierError, match="restricted"):
        look("", folder, "", {})
