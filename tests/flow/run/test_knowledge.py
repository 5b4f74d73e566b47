"""The files only the trustee brings together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schleier as sl
from schleier.core.errors import DataError, RecipeError, SchleierError

RECIPE = """
[data]
known = "{folder}/known.parquet"
truth = "{folder}/{truth}"
[schema]
row_key = "id"
[[schema.columns]]
name = "x"
role = "quasi"
scale = "nominal"
[[measures]]
measure = "uniqueness"
"""


def problem(folder: Path, truth: str, rows: pa.Table) -> SchleierError:
    pq.write_table(pa.table({"entry": [7, 8], "x": ["a", "b"]}), folder / "known.parquet")
    (folder / "truth.csv").write_text("id,entry\n1,7\n", encoding="utf-8")
    pq.write_table(rows, folder / "truth.parquet")
    recipe = sl.Recipe.from_toml(RECIPE.format(folder=folder, truth=truth))
    with pytest.raises(SchleierError) as caught:
        recipe.run(pa.table({"id": [1, 2], "x": ["a", "b"]}))
    return caught.value


def test_who_is_who_is_parquet_with_two_columns(tmp_path: Path) -> None:
    rows = pa.table({"id": [1], "entry": [7]})
    text = problem(tmp_path, "truth.csv", rows)
    assert isinstance(text, RecipeError)
    assert [one.code for one in text.problems] == ["truth-format"]
    wide = problem(tmp_path, "truth.parquet", rows.append_column("more", [[1]]))
    assert isinstance(wide, DataError)
    assert [one.code for one in wide.problems] == ["bad-truth"]
