"""What an attacker may hold, and who is who: files only the trustee brings together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.data import Dataset
from schleier.core.engine import Engine
from schleier.core.errors import DataError, RecipeError, stop
from schleier.core.schema import Column, Schema
from schleier.flow.run.files import Files
from schleier.flow.run.reader import read

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.flow.recipe.recipe import Recipe

EXACT = 2.0**53
"""Up to here every whole number is one of its own; not a number, and no end, are neither."""


def knowledge(recipe: Recipe, engine: Engine, files: Files) -> tuple[Dataset | None, nw.LazyFrame[Any] | None]:
    """The file of known persons and the table of who is who, when the recipe names them."""
    if recipe.data.known is None or recipe.data.truth is None:
        return None, None
    row_key = recipe.schema.row_key
    if row_key is None:
        stop(RecipeError, "no-row-key", "schema.row_key", "a table of who is who needs a declared row_key")
    who, entry = _who(recipe.data.truth, row_key, engine, files)
    again = {other: name for attack in recipe.attacks for other, name in attack.coded_again().items()}
    schema = _of(recipe.schema, recipe.data.known, entry, files, again)
    known = read(recipe.data.known, schema, engine, files)
    return known, who


def _who(file: str, row_key: str, engine: Engine, files: Files) -> tuple[nw.LazyFrame[Any], str]:
    """Who is who in a file of any format, as texts; and what the key of the known persons is called in it."""
    import narwhals as nw

    names = tuple(files.head(file).kinds)
    if len(names) != 2 or row_key not in names:
        message = f"the table of who is who must have two columns, one of them '{row_key}'; it has {listed(names)}"
        hint = "name one column as the row key of the data, and the other one as a key of the file of known persons"
        stop(DataError, "bad-truth", "data.truth", message, hint)
    columns = [Column(name=name, role="plain", scale="text") for name in names]
    frame = read(file, Schema(columns=columns, others="drop"), engine, files).frame
    (entry,) = (name for name in names if name != row_key)
    both = frame.select(**{name: as_text(frame, name) for name in (row_key, entry)})
    return both.filter(~nw.col(row_key).is_null() & ~nw.col(entry).is_null()), entry


def as_text(frame: nw.LazyFrame[Any], name: str) -> nw.Expr:
    """A key as a text, whatever the format of its file makes of numbers: 7.0 is 7; what is beyond counting stays."""
    import narwhals as nw

    key = nw.col(name)
    if not frame.collect_schema()[name].is_float():
        return key.cast(nw.String)
    counted = (key.abs() < EXACT) & (key == key.round())
    whole = nw.when(counted).then(key.round()).otherwise(nw.lit(0.0))  # others cannot be cast
    return nw.when(counted).then(whole.cast(nw.Int64).cast(nw.String)).otherwise(key.cast(nw.String))


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
