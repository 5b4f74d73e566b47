"""Makes an earlier release once more in memory, row by row of its original: to see who is where in it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.address import Address
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchemaError, stop
from schleier.core.run import Run
from schleier.flow.release.edge import canonical
from schleier.flow.release.fingerprint import fingerprint
from schleier.flow.run.reader import read
from schleier.flow.run.steps import take

if TYPE_CHECKING:
    from schleier.core.engine import Engine
    from schleier.flow.release.past import Past

HINT = "put the file back as it was, or give its rows: after={folder: rows} in Python"


@dataclass(frozen=True)
class Remade:
    """Rows before and after the steps; row keys tell which belong together."""

    original: Dataset
    released: Dataset
    same_rows: bool = False
    """Whether its original is that of the new release, too."""


def remake(past: Past, rows: Any, source: Any, engine: Engine) -> Remade:
    """The earlier release with its row keys.

    Its rows are looked for in ``rows`` where these were given, else in the ``source`` of the new release, else in the
    file it came from. Whether they are the right ones, and whether the result is the same, fingerprints tell.
    """
    run = Run(past.key, past.recipe.criteria)
    original, same = None, False
    for place in [rows] if rows is not None else [source, past.source]:
        found = None if place is None else _attempt(place, past, engine)
        if found is not None and fingerprint(found, run, exact=True) == past.audit.source_fingerprint:
            original, same = found, place is source
            break
    if original is None:
        message = "the rows it was made from are not there any more, so that nobody can say who is in both releases"
        stop(DataError, "after-no-rows", str(past.folder), message, HINT)
    released = canonical(take(original, past.recipe.steps, run)[0])
    if fingerprint(released, run) != past.audit.release_fingerprint:
        message = "its rows do not give this release once more, so that nobody can say who is where in it"
        stop(DataError, "after-not-repeated", str(past.folder), message, "was it made by another version of Schleier?")
    return Remade(original, released.kept(), same)


def _attempt(place: Any, past: Past, engine: Engine) -> Dataset | None:
    """Rows described by the schema of a release; none where they do not fit it."""
    schema = past.recipe.schema
    with suppress(DataError, SchemaError):
        if not isinstance(place, str | Path):
            return Dataset.from_frame(place, schema, engine)
        if Address.of(place).variable or Address.of(place).path.exists():
            return read(place, schema, engine)
    return None
