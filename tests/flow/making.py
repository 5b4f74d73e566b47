"""A small recipe and its people, for the tests of the flow and of the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq

from schleier.testing import example_table

SCHEMA = """
[schema]
row_key = "id"
others = "drop"
columns = [
  { name = "person", role = "identifier", scale = "text" },
  { name = "household", role = "unit", scale = "nominal" },
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
]

[hierarchies]
age = { intervals = [15, 45] }
"""
STEPS = """
[[steps]]
method = "drop"
columns = ["person"]

[[steps]]
method = "recode"
column = "age"
level = 2

[[steps]]
method = "top_code"
column = "income"
upper = 4000

[[criteria]]
criterion = "k_anonymity"
k = 2
keys = [["age"], ["sex"]]

[[measures]]
measure = "uniqueness"
"""
RECIPE = '[data]\nfile = "people.parquet"\n' + SCHEMA + STEPS


COMMAND = [sys.executable, "-c", "from schleier.cli import main; main()"]
"""The command line, in a process of its own."""


def written(folder: Path, recipe: str = RECIPE, rows: int = 240) -> Path:
    """A recipe with its people in a folder; the path of the recipe."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(example_table(rows), folder / "people.parquet")
    path = folder / "recipe.toml"
    path.write_text(recipe, encoding="utf-8")
    return path
