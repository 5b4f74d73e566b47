"""A recipe with every method, and its people, for the tests of replay and of SQL."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from schleier.testing import example_table

COLUMNS = """
[schema]
others = "drop"
columns = [
  { name = "person", role = "identifier", scale = "text" },
  { name = "household", role = "unit", scale = "nominal" },
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age", missing = [99] },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "region", role = "quasi", scale = "place", hierarchy = "region" },
  { name = "born", scale = "time", hierarchy = "born" },
  { name = "schooling", scale = "ordinal", hierarchy = "schooling" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
  { name = "disease", role = "sensitive", scale = "nominal", hierarchy = "disease" },
  { name = "children", scale = "discrete" },
  { name = "weight", scale = "continuous", hierarchy = "weight" },
]
[hierarchies]
age = { intervals = [5, 10, 20] }
region = { prefix = [3, 2, 0] }
born = { dates = ["month", "quarter", "year"] }
schooling = { rows = [["basic", "it's \\\\ low", "*"], ["middle", "it's \\\\ low", "*"], ["high", "\\"high\\"", "*"]] }
disease = { tree = { well = ["none"], ill = { common = ["flu"], uncommon = ["rare"] } } }
weight = { balanced = [8, 4] }
"""
SAYABLE = """
[[steps]]
method = "restrict"
where = [{ column = "age", at_least = 3, missing = true }, { column = "sex", is_in = ["f", "m"] }]
[[steps]]
method = "drop"
columns = ["person"]
[[steps]]
method = "recode"
column = "age"
level = 2
[[steps]]
method = "recode"
column = "region"
level = 2
[[steps]]
method = "recode"
column = "born"
level = 2
[[steps]]
method = "recode"
column = "schooling"
level = 1
[[steps]]
method = "recode"
column = "disease"
level = 1
[[steps]]
method = "recode"
column = "weight"
level = 1
[[steps]]
method = "recode"
column = "sex"
map = { f = "woman", m = "man" }
[[steps]]
method = "round_to"
column = "income"
base = 0.5
[[steps]]
method = "replace_extremes"
column = "income"
upper = 4500
[[steps]]
method = "top_code"
column = "income"
lower = 600
[[steps]]
method = "suppress_rare"
columns = ["age", "region"]
min_count = 3
[[steps]]
method = "recode"
column = "children"
breaks = [1, 3]
labels = ["none", "some", "many"]
"""
DRAWN = """
[[steps]]
method = "renumber"
column = "household"
[[steps]]
method = "sample"
fraction = 0.5
weight = "factor"
"""
JUDGED = """
[[criteria]]
criterion = "k_anonymity"
k = 2
keys = [["sex"]]
[[measures]]
measure = "changed_cells"
"""


def people(rows: int = 240, start: int = 0) -> pa.Table:
    """Some rows of the example table, as a file without a row key would have them."""
    return example_table(start + rows).slice(start).drop_columns(["id"])


def put(table: pa.Table, path: Path, **options: object) -> Path:
    """A table as a file of the kind its name says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(quoting_style="needed", **options))
    else:
        pq.write_table(table, path)
    return path


def recipe_for(path: Path, steps: str = SAYABLE + DRAWN, more: str = "", columns: str = COLUMNS) -> Path:
    """A recipe beside the file it names."""
    recipe = path.with_name("recipe.toml")
    recipe.write_text(f'[data]\nfile = "{path.name}"\n' + columns + steps + JUDGED + more, encoding="utf-8")
    return recipe
