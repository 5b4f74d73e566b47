"""Writes a world: population, survey, file with names, truth, gazetteer, hierarchies, and a recipe to begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.run import Listener, silence
from schleier.world import codes
from schleier.world.geography import Gazetteer, gazetteer
from schleier.world.population import World
from schleier.world.samples import identification, survey
from schleier.world.stream import Stream

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST, MOST = 1_000, 100_000_000
RECIPES = ("recipe.toml", "unprotected.toml")


def write_world(
    persons: int, folder: Path, key: bytes, *, sampled: float = 0.1, known: float = 0.2, listener: Listener = silence
) -> dict[str, int]:
    """Make a world in a folder; tells the rows of each file.

    ``sampled`` is the share of households asked, ``known`` the share of adults in the file with names.
    """
    if not FEWEST <= persons <= MOST:
        stop(DataError, "persons", "persons", f"a world has {FEWEST:,} to {MOST:,} persons")
    for name, share in (("sampled", sampled), ("known", known)):
        if not 0 < share <= 1:
            stop(DataError, "share", name, "a share lies above 0 and is at most 1")
    places = gazetteer(persons, key)
    world = World(persons, key, places)
    rows = dict.fromkeys(("population", "survey", "identification", "truth"), 0)
    with _writers(folder) as write:
        for number in range(world.blocks):
            stream, block = Stream(key, number), world.block(number)
            asked = _numbered(survey(block, stream, sampled), "record", rows["survey"])
            named = _numbered(identification(block, stream, known, places), "entry", rows["identification"])
            parts = {"population": block, "survey": asked, "identification": named, "truth": _truth(asked, named)}
            for name, part in parts.items():
                rows[name] += part.num_rows
                write(name, part.drop_columns(["person"]) if name in ("survey", "identification") else part)
            listener("making persons", number + 1, world.blocks)
    write_codes(folder, places, persons)
    for recipe in RECIPES:
        text = Path(__file__).with_name(recipe).read_text(encoding="utf-8")
        (folder / recipe).write_text(text, encoding="utf-8", newline="\n")
    return rows


def _numbered(part: pa.RecordBatch, name: str, first: int) -> pa.RecordBatch:
    import numpy as np

    return part.add_column(0, name, np.arange(first, first + part.num_rows))


def _truth(asked: pa.RecordBatch, named: pa.RecordBatch) -> pa.RecordBatch:
    """Which record of the survey and which entry of the file with names are the same person."""
    import numpy as np
    import pyarrow as pa

    left, right = asked.column("person").to_numpy(), named.column("person").to_numpy()
    _, here, there = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    record, entry = asked.column("record").take(pa.array(here)), named.column("entry").take(pa.array(there))
    return pa.record_batch({"record": record, "entry": entry})


@contextmanager
def _writers(folder: Path) -> Iterator[Callable[[str, pa.RecordBatch], None]]:
    """One Parquet file per name, opened when its first rows come."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        writers: dict[str, pq.ParquetWriter] = {}

        def write(name: str, part: pa.RecordBatch) -> None:
            if name not in writers:
                file = pq.ParquetWriter(folder / f"{name}.parquet", part.schema, compression="zstd")
                writers[name] = stack.enter_context(file)
            writers[name].write_batch(part)

        yield write


def write_codes(folder: Path, places: Gazetteer, persons: int) -> None:
    """The gazetteer and one hierarchy table per coded column, in the layout everybody uses: leaf first, root last."""
    import csv

    tables: Mapping[str, list[list[str]]] = {
        "municipality": [[code, code[:5], code[:2], "*"] for code in places.codes],
        "occupation": [[code, code[:3], code[:2], code[:1], "*"] for code in codes.occupations()],
        "industry": [[code, code[:3], code[:1], "*"] for code in codes.industries()],
        "nationality": [[code, "DE" if code == "DE" else "other", "*"] for code in codes.NATIONS],
        "marital": [[word, "married" if word == "married" else "not married", "*"] for word in codes.MARITAL],
        "schooling": [[word, "low" if word in codes.SCHOOLING[:2] else "high", "*"] for word in codes.SCHOOLING],
    }
    (folder / "hierarchies").mkdir(exist_ok=True)
    for name, rows in tables.items():
        with (folder / "hierarchies" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";", lineterminator="\n").writerows(rows)
    table = places.table(persons)
    with (folder / "gazetteer.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(zip(*table.to_pydict().values(), strict=True))
