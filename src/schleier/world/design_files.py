"""Writes the files of a design: the sample to be released, the file of names, who is who, and a recipe of attacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.run import Listener, silence
from schleier.world.designs import AMBIGUOUS, SCHOLAR_KEYS, Design, Maker
from schleier.world.questions import ALL_KEYS, PHASES
from schleier.world.recorded import recorded

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST, MOST = 20_000, 20_000_000
NUMBERS = ("birth_year", "child_birth_year", "children_")
"""How the names of columns begin that hold numbers."""


def write_design(
    design: Design, persons: int, folder: Path, key: bytes, *, sampled: float = 0.01, listener: Listener = silence
) -> dict[str, int]:
    """Make the files of a design in a folder; tells the rows of each. ``sampled`` is the share of clusters asked."""
    import pyarrow.parquet as pq

    if not FEWEST <= persons <= MOST:
        stop(DataError, "persons", "persons", f"a world of this design has {FEWEST:,} to {MOST:,} persons")
    if not 0 < sampled <= 1:
        stop(DataError, "share", "sampled", "a share lies above 0 and is at most 1")
    drawn = Maker(design, persons, key, sampled=sampled).draw(listener)
    released, known = numbered(recorded(drawn.released, design, key), "record"), numbered(drawn.known, "entry")
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "sample": released.select(["record", *roles(design)]),
        "identification": known.drop_columns(["person"]),
        "truth": truth_of(released, known),
    }
    for name, table in files.items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    (folder / "recipe.toml").write_text(recipe(design), encoding="utf-8", newline="\n")
    return {name: table.num_rows for name, table in files.items()}


def numbered(table: pa.Table, name: str) -> pa.Table:
    """The table with a running number in front."""
    import numpy as np
    import pyarrow as pa

    return table.add_column(0, name, pa.array(np.arange(table.num_rows)))


def truth_of(released: pa.Table, known: pa.Table) -> pa.Table:
    """Which record and which entry are the same person."""
    import numpy as np
    import pyarrow as pa

    left, right = released["person"].to_numpy(), known["person"].to_numpy()
    _, here, there = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    return pa.table({"record": released["record"].take(pa.array(here)), "entry": known["entry"].take(pa.array(there))})


def roles(design: Design) -> dict[str, tuple[str, str]]:
    """Role and scale of every column of the sample."""
    keys = SCHOLAR_KEYS if design == "scholars" else ALL_KEYS
    quasi = {name: ("quasi", "discrete" if name.startswith(NUMBERS) else "nominal") for name in keys}
    rest = {"income": ("sensitive", "discrete")} if design == "scholars" else {}
    return {"household": ("unit", "nominal"), **quasi, **rest}


def recipe(design: Design) -> str:
    """A recipe that releases the sample as it is and looks for the persons of the file."""
    title = {"scholars": "Sample of a Land with scholars", "survey": "Sample of a Land with households"}[design]
    lines = ["# The sample as it is: what a file of names finds in it when nothing is done.", "[data]"]
    lines += ['file = "sample.parquet"', 'known = "identification.parquet"', 'truth = "truth.parquet"', ""]
    lines += ["[release]", f'title = "{title}"', 'purpose = "Teaching and research"']
    lines += ['access = "contract"', 'protection = "high"', ""]
    lines += ["[schema]", 'row_key = "record"']
    for name, (role, scale) in roles(design).items():
        lines += ["", "[[schema.columns]]", f'name = "{name}"', f'role = "{role}"', f'scale = "{scale}"']
    attack = ["", "[[attacks]]", 'attack = "exact_match"', 'knowledge = "file"', 'targets = "all"']
    if design == "scholars":
        others = ", ".join(f'{name} = ["{name}_2"]' for name in AMBIGUOUS)
        lines += [*attack, 'name = "handbook"', f"variants = {{{others}}}"]
    for many, keys in PHASES.items() if design == "survey" else ():
        lines += [*attack, f'name = "{many} keys"', f"known = {[*keys]}".replace("'", '"')]
    return "\n".join([*lines, ""])
