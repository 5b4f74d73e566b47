"""The files only the trustee brings together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import schleier as sl
from schleier.core.errors import DataError, SchleierError

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


def test_who_is_who_has_two_columns(tmp_path: Path) -> None:
    wide = problem(tmp_path, "truth.parquet", pa.table({"id": [1], "entry": [7], "more": [1]}))
    assert isinstance(wide, DataError)
    assert [one.code for one in wide.problems] == ["bad-truth"] and "'more'" in wide.problems[0].message


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("keys", [[1, 2, 3], ["007", "7", "08"]], ids=["numbers", "texts"])
def test_who_is_who_may_be_in_any_format(tmp_path: Path, kind: str, keys: list[object]) -> None:
    files = {
        "rows": pa.table({"id": keys, "x": ["a", "b", "c"]}),
        "known": pa.table({"entry": [7, 8, 9], "x": ["a", "b", "c"]}),
        "truth": pa.table({"id": keys, "entry": [7, 8, 9]}),
    }
    for name, table in files.items():
        (csv.write_csv if kind == "csv" else pq.write_table)(table, tmp_path / f"{name}.{kind}")
    attacked = RECIPE.replace("known.parquet", f"known.{kind}").format(folder=tmp_path, truth=f"truth.{kind}")
    attacked += '[[attacks]]\nattack = "exact_match"\nknowledge = "file"\ntargets = "all"\n'
    (found,) = sl.Recipe.from_toml(attacked).run(str(tmp_path / f"rows.{kind}")).audit.attacks
    assert found.detail["correct"] == 3
