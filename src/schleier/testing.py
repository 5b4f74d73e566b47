"""A small example table for trying and testing components, third-party ones included."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Schema

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine

ROW_KEY = "id"
ROWS = 240


def example_schema() -> Schema:
    """The schema of the example table: every role and scale a component may meet."""
    return Schema(
        row_key=ROW_KEY,
        columns=(
            Column(name="person", role="identifier", scale="text"),
            Column(name="household", role="unit", scale="nominal"),
            Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
            Column(name="sex", role="quasi", scale="nominal"),
            Column(name="region", role="quasi", scale="place", hierarchy="region"),
            Column(name="born", role="plain", scale="time", hierarchy="born"),
            Column(name="schooling", role="plain", scale="ordinal"),
            Column(name="income", role="sensitive", scale="continuous", decimals=2),
            Column(name="disease", role="sensitive", scale="nominal"),
            Column(name="children", role="plain", scale="discrete"),
            Column(name="weight", role="weight", scale="continuous"),
        ),
        hierarchies={
            "age": parse({"intervals": [5, 10, 20]}),
            "region": parse({"prefix": [3, 2, 0]}),
            "born": parse({"dates": ["month", "quarter", "year"]}),
        },
    )


@cache
def example_table(rows: int = ROWS) -> pa.Table:
    """Rows of the example table, always the same; the row key is text and not in order."""
    import datetime

    import pyarrow as pa

    def mixed(i: int, salt: int) -> int:
        """A whole number that looks random: splitmix64, in the open and without a generator."""
        mask = 2**64 - 1
        z = (i * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    numbers = range(rows)
    return pa.table(
        {
            ROW_KEY: [f"r{mixed(i, 0) % 10**12:012d}" for i in numbers],
            "person": [f"Person {i}" for i in numbers],
            "household": [f"h{i // 3}" for i in numbers],
            "age": pa.array([None if i % 41 == 7 else mixed(i, 1) % 90 for i in numbers], pa.int64()),
            "sex": [("f", "m")[mixed(i, 2) % 2] for i in numbers],
            "region": [None if i % 37 == 5 else f"{10000 + mixed(i, 3) % 40 * 23:05d}" for i in numbers],
            "born": [datetime.date(1930, 1, 1) + datetime.timedelta(mixed(i, 4) % 30000) for i in numbers],
            "schooling": [("basic", "middle", "high")[mixed(i, 5) % 3] for i in numbers],
            "income": [None if i % 29 == 3 else mixed(i, 6) % 500_000 / 100 for i in numbers],
            "disease": [("none", "none", "none", "flu", "rare")[mixed(i, 7) % 5] for i in numbers],
            "children": pa.array([mixed(i, 8) % 4 for i in numbers], pa.int64()),
            "weight": [50 + mixed(i, 9) % 1000 / 10 for i in numbers],
        }
    )


def example_populations(engine: Engine | None = None) -> dict[str, Dataset]:
    """Population tables for the example table: four times as many persons, its own among them, and the regions.

    >>> sorted(example_populations())
    ['gazetteer', 'population']
    """
    import pyarrow as pa

    from schleier.core.data import Dataset

    schema = example_schema()
    keys = tuple(column for column in schema if column.role == "quasi")
    people = example_table(4 * ROWS).select([column.name for column in keys])
    codes = [f"{10000 + i * 23:05d}" for i in range(40)]
    places = pa.table({"region": codes, "inhabitants": [20 + i * 5 for i in range(40)]})
    persons = Column(name="inhabitants", role="weight", scale="discrete")
    where = schema.model_copy(update={"row_key": None, "columns": (schema["region"], persons)})
    who = schema.model_copy(update={"row_key": None, "columns": keys})
    return {
        "population": Dataset.from_frame(people, who, engine),
        "gazetteer": Dataset.from_frame(places, where, engine),
    }


def example_vault(folder: Path) -> Path:
    """An empty vault for examples, which the key of ``SCHLEIER_EXAMPLE_KEY``, the bytes 0 to 31, opens.

    >>> import tempfile
    >>> from pathlib import Path
    >>> example_vault(Path(tempfile.mkdtemp())).name
    'example.vault'
    """
    from schleier.core.keys import Key
    from schleier.core.vault.opening import secret_of
    from schleier.core.vault.vault import Vault

    place = folder / "example.vault"
    Vault.new(place, secret_of(Key(bytes(range(32))))).close()
    return place
