"""A small release, a file an attacker may hold, and who is who: with marks on everything nobody may read."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schleier.flow.recipe.recipe import Recipe

MARK = "zq7mark"
"""Part of every name, key and sensitive value."""
PERSONS, STRANGERS = 60, 12
RECIPE = """
[data]
file = "original.parquet"
[release]
access = "public"
[schema]
row_key = "id"
columns = [
  {name = "name", role = "identifier", scale = "text"},
  {name = "age", role = "quasi", scale = "discrete", hierarchy = "age"},
  {name = "sex", role = "quasi", scale = "nominal"},
  {name = "town", role = "quasi", scale = "nominal"},
  {name = "tag", role = "plain", scale = "nominal"},
  {name = "disease", role = "sensitive", scale = "nominal"},
]
[hierarchies]
age = {intervals = [5, 20]}
[[steps]]
method = "drop"
columns = ["name"]
[[steps]]
method = "recode"
column = "age"
level = 1
"""


@dataclass(frozen=True)
class Staged:
    """Where everything lies."""

    folder: Path

    def __getattr__(self, name: str) -> str:
        return str(self.folder / ("release" if name == "release" else f"{name}.parquet"))

    def write(self, name: str, /, **columns: object) -> str:
        """A further file."""
        pq.write_table(pa.table(columns), self.folder / f"{name}.parquet")
        return str(self.folder / f"{name}.parquet")

    def table(self, name: str) -> pa.Table:
        return pq.read_table(self.folder / f"{name}.parquet")

    def public_part(self, name: str = "handed") -> Path:
        """A copy of the release without its restricted part."""
        copy = self.folder / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.release, copy, ignore=shutil.ignore_patterns("restricted"))
        return copy


def person(i: int) -> tuple[int, str, str]:
    """Age, sex and town of a person; some share all of them with somebody."""
    return 20 + (i * 7) % 53, "fm"[i % 2], ("Kiel", "Bonn", "Jena")[(i // 4) % 3]


def stage(folder: Path) -> Staged:
    """Write the files and make the release."""
    ages, sexes, towns = zip(*(person(i) for i in range(PERSONS)), strict=True)
    original = {
        "id": [f"{MARK}-row-{i:03}" for i in range(PERSONS)],
        "name": [f"{MARK}-name-{i:03}" for i in range(PERSONS)],
        "age": pa.array(ages, pa.int64()),
        "sex": sexes,
        "town": towns,
        "tag": [f"tag{(i * 37) % PERSONS:03}" for i in range(PERSONS)],
        "disease": [f"{MARK}-ill-{i % 5}" for i in range(PERSONS)],
    }
    held = range(PERSONS - 20, PERSONS + STRANGERS)  # the last ones took no part
    ages, sexes, towns = zip(*(person(i) for i in held), strict=True)
    known = {
        "entry": [f"{MARK}-entry-{i:03}" for i in held],
        "holder": [f"{MARK}-holder-{i:03}" for i in held],
        "age": pa.array(ages, pa.int64()),
        "sex": sexes,
        "town": towns,
    }
    staged = Staged(folder)
    staged.write("original", **original)
    staged.write("known", **known)
    both = range(PERSONS - 20, PERSONS)
    staged.write("truth", id=[original["id"][i] for i in both], entry=[f"{MARK}-entry-{i:03}" for i in both])
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    Recipe.from_file(folder / "recipe.toml").run(out=folder / "release", key=bytes(range(32)))
    tags = pq.read_table(folder / "release" / "public" / "data.parquet").column("tag").to_pylist()
    entries = [f"{MARK}-entry-{i:03}" for i in both]
    staged.write("numbers", record=[tags.index(original["tag"][i]) + 1 for i in both], entry=entries)
    staged.write("tags", tag=[original["tag"][i] for i in both], entry=entries)
    return staged
