"""What an attacker may hold, and who is who: files only the trustee brings together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.data import Dataset
from schleier.core.engine import Engine, Source
from schleier.core.errors import DataError, RecipeError, stop
from schleier.core.schema import Schema
from schleier.flow.run.files import Files
from schleier.flow.run.reader import read

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.flow.recipe.recipe import Recipe


def knowledge(recipe: Recipe, engine: Engine, files: Files) -> tuple[Dataset | None, nw.LazyFrame[Any] | None]:
    """The file of known persons and the table of who is who, when the recipe names them."""
    import narwhals as nw

    if recipe.data.known is None or recipe.data.truth is None:
        return None, None
    row_key = recipe.schema.row_key
    if row_key is None:
        stop(RecipeError, "no-row-key", "schema.row_key", "a table of who is who needs a declared row_key")
    if Path(recipe.data.truth).suffix.lower() not in (".parquet", ".pq"):
        hint = "its keys must have the types of the two files, which only Parquet keeps; write it so"
        stop(RecipeError, "truth-format", "data.truth", "the table of who is who must be a Parquet file", hint)
    truth = engine.read(Source(Path(recipe.data.truth)))
    names = truth.collect_schema().names()
    if len(names) != 2 or row_key not in names:
        message = f"the table of who is who must have two columns, one of them '{row_key}'"
        stop(DataError, "bad-truth", "data.truth", message)
    entry = next(name for name in names if name != row_key)
    again = {other: name for attack in recipe.attacks for other, name in attack.coded_again().items()}
    schema = _of(recipe.schema, recipe.data.known, entry, files, again)
    known = read(recipe.data.known, schema, engine, files)
    return known, truth.select(nw.col(row_key), nw.col(entry))


def further(recipe: Recipe, released: Schema, engine: Engine) -> dict[str, Dataset]:
    """Further releases of the same rows that attacks compare with, by their address; they must have the row key."""
    wanted: dict[str, set[str]] = {}
    for attack in recipe.attacks:
        for address, column in attack.files().items():
            wanted.setdefault(address, set()).add(column)
    if wanted and released.row_key is None:
        stop(RecipeError, "no-row-key", "schema.row_key", "further releases can be compared only by a declared row_key")
    found = {}
    for address, names in wanted.items():
        columns = tuple(column for column in released if column.name in names)
        schema = released.model_copy(update={"columns": columns, "others": "drop", "layout": None})
        found[address] = read(address, schema, engine)
    return found


def _of(schema: Schema, path: str, entry: str, files: Files, again: Mapping[str, str]) -> Schema:
    """The schema of the file of known persons: the columns it shares with the data, and other codes of them."""
    held = files.head(path).kinds
    shared = tuple(column for column in schema if column.name in held)
    if not shared:
        stop(DataError, "no-overlap", "data.known", "the file of known persons shares no column with the data")
    shared += tuple(
        schema[name].model_copy(update={"name": other})
        for other, name in again.items()
        if name in schema and other in held and other not in schema
    )
    return schema.model_copy(update={"columns": shared, "row_key": entry, "others": "drop", "layout": None})
