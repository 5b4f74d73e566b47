"""A small grid on some hundred rows, with planted markers, for tests."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schleier.flow.cases import look, look_at_file, opened
from schleier.lab.grid.run import Doors
from schleier.testing import example_table

DOORS = Doors(look, look_at_file, opened)
KEY = bytes(range(32))
MARKER = "planted"
"""Part of every row key, of every value of the sensitive column and of a region."""

RECIPE = """
[data]
file = "people.parquet"
[schema]
row_key = "id"
columns = [
  {name = "age", role = "quasi", scale = "discrete", hierarchy = "age"},
  {name = "sex", role = "quasi", scale = "nominal"},
  {name = "region", role = "quasi", scale = "nominal"},
  {name = "disease", role = "sensitive", scale = "nominal"},
]
[hierarchies.age]
intervals = [5, 20]
[[steps]]
name = "ages"
method = "recode"
column = "age"
level = 1
"""

GRID = """
title = "Small"
[keys]
two = ["age", "sex"]
three = ["age", "sex", "region"]
[[releases]]
name = "fine"
recipe = "recipe.toml"
[[releases]]
name = "coarse"
recipe = "recipe.toml"
change = {ages = {level = 2}}
[[techniques]]
attack = "exact_match"
targets = 100
"""


def write_grid(folder: Path, grid: str = GRID, rows: int = 300) -> Path:
    """A grid with its recipe and rows in a folder."""
    table = example_table(rows).select(["id", "age", "sex", "region"])
    ids = [f"{MARKER}{one}" for one in table["id"].to_pylist()]
    regions = [one and f"{MARKER}{one}" for one in table["region"].to_pylist()]
    diseases = pa.array([f"{MARKER}-disease-{i % 3}" for i in range(rows)])
    columns = {"id": ids, "age": table["age"], "sex": table["sex"], "region": regions, "disease": diseases}
    pq.write_table(pa.table(columns), folder / "people.parquet")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8", newline="\n")
    (folder / "grid.toml").write_text(grid, encoding="utf-8", newline="\n")
    return folder / "grid.toml"


def told_everywhere(folder: Path) -> str:
    """All text of all files of a folder."""
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*")) if file.is_file())
