"""Makes an earlier release once more in memory, row by row of its original: to see who is where in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.address import Address
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchemaError, stop
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.flow.recipe.keyring import keyring
from schleier.flow.release.edge import canonical
from schleier.flow.release.fingerprint import fingerprint
from schleier.flow.run.reader import read
from schleier.flow.run.steps import take

if TYPE_CHECKING:
    from schleier.core.engine import Engine
    from schleier.flow.release.past import Past

HINT = "put the file back as it was, or say where its rows are: --after RELEASE=FILE, in Python after={folder: rows}"


@dataclass(frozen=True)
class Remade:
    """Rows before and after the steps; row keys tell which belong together."""

    original: Dataset
    released: Dataset
    same_rows: bool = False
    """Whether its original is that of the new release, too."""


def remake(past: Past, rows: Any, source: Any, new: Dataset) -> Remade:
    """The earlier release with its row keys, and with that of the ``new`` rows where its own rows have it.

    Its rows are looked for in ``rows`` where these were given, else in the ``source`` of the new release, else in the
    file it came from. Whether they are the right ones, and whether the result is the same, fingerprints tell.
    """
    run = Run(past.key, past.recipe.criteria, keys=keyring(past.recipe))
    original, same = None, False
    for place in [rows] if rows is not None else [source, past.source]:
        if place is not None:
            readings = _readings(place, past.recipe.schema, new)
            wanted = past.audit.source_fingerprint
            original = next((one for one in readings if fingerprint(one, run, exact=True) == wanted), None)
        if original is not None:
            same = place is source
            break
    if original is None:
        lost = "the rows given for it are not those" if rows is not None else "the rows are not there any more"
        message = f"{lost} it was made from, so that nobody can say who is in both releases"
        stop(DataError, "after-no-rows", str(past.folder), message, HINT)
    return Remade(original, _once_more(past, original, run), same)


def relink(past: Past, rows: Path | str, engine: Engine) -> Remade:
    """A release with its row keys, from the rows that it was made from; any other rows are refused."""
    run = Run(past.key, past.recipe.criteria, keys=keyring(past.recipe))
    original = read(rows, past.recipe.schema.model_copy(update={"others": "drop"}), engine)
    if fingerprint(original, run, exact=True) != past.audit.source_fingerprint:
        message = "these are not the rows that the release was made from"
        hint = "name the file it was made from, unchanged; who is who can also be told by a table (--pairs)"
        stop(DataError, "other-original", "original", message, hint)
    return Remade(original, _once_more(past, original, run))


def _once_more(past: Past, original: Dataset, run: Run) -> Dataset:
    """What the steps make of the original, if it is the release."""
    own = original.frame.select(original.schema.key, *original.schema.names)
    released = canonical(take(replace(original, frame=own), past.recipe.steps, run)[0])
    if fingerprint(released, run) != past.audit.release_fingerprint:
        message = "its rows do not give this release once more, so that nobody can say who is where in it"
        stop(DataError, "after-not-repeated", str(past.folder), message, "was it made by another version of Schleier?")
    return released.kept()


def _readings(place: Any, schema: Schema, new: Dataset) -> Iterator[Dataset]:
    """Rows described by the schema of a release, as far as they fit it: with the row key of the new rows beside their
    own, without it, and with it as the row key, which may have been called otherwise then."""
    import narwhals as nw

    # Columns that were added later are no reason not to know the rows again.
    schema, key = schema.model_copy(update={"others": "drop"}), new.schema.row_key
    if key in (None, schema.row_key, *schema.names):
        key = None
    if key is not None:
        told = Column(name=key, role="identifier", scale="nominal")
        for data in _read(place, schema.model_copy(update={"columns": (*schema.columns, told)}), new.engine):
            yield data.described(data.schema.without([key]))
    yield from _read(place, schema, new.engine)
    if key is not None and schema.row_key is not None:
        for data in _read(place, schema.model_copy(update={"row_key": key}), new.engine):
            own = data.mutate(**{schema.row_key: nw.col(key)})
            yield own.described(data.schema.model_copy(update={"row_key": schema.row_key}))


def _read(place: Any, schema: Schema, engine: Engine) -> Iterator[Dataset]:
    """Rows described by a schema; none where they do not fit it."""
    with suppress(DataError, SchemaError):
        if not isinstance(place, str | Path):
            yield Dataset.from_frame(place, schema, engine)
        elif Address.of(place).variable or Address.of(place).path.exists():
            yield read(place, schema, engine)
