"""A release and what is known about it, side by side: described before a row is read, then read and linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from schleier.core.address import Address
from schleier.core.errors import DataError, stop
from schleier.core.measure import Case, Measure
from schleier.flow.attack.attempt import Judge
from schleier.flow.attack.gathering import DATA, Gathering
from schleier.flow.attack.known import known_schema, read_known
from schleier.flow.attack.subject import Subject, misdescribed
from schleier.flow.attack.truth import ROW, Pairs, linked, nobody, pairs_of, same_key
from schleier.flow.run.files import Files
from schleier.flow.run.remake import relink

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.core.schema import Schema

UNCHANGED = "name the file that the release was made from, unchanged"
OTHERWISE = "write its values as the original of the release has them, or leave the column out of this file"


@dataclass(frozen=True)
class Given:
    """The files that were named, or lie in a private place."""

    release: str
    known: str | None
    original: str | None
    pairs: str | None
    silent: bool = False
    """Whether it stays unsaid that nobody of the file took part."""


@dataclass(frozen=True)
class Scene:
    """A release and what is known about it, side by side."""

    case: Case
    subject: Subject
    judged_by: Judge
    unused: int | None = None


def look_at(given: Given, subject: Subject | None, files: Files, found: Gathering) -> None:
    """Files that are not there, or cannot be read, are all told at once."""
    layout = subject.before.layout if subject is not None else None
    for place, how in ((given.known, None), (given.pairs, None), (given.original, layout)):
        if place is not None:
            found.of_file(str(Address.of(place)), partial(files.head, place, how))
    if subject is not None and subject.past is None:
        found.refuse(DataError, found.of_file(subject.name, lambda: list(misdescribed(subject, files))) or ())


def describe(
    given: Given, subject: Subject, files: Files, wanted: Sequence[Measure], by: Sequence[str], found: Gathering
) -> tuple[Schema, Pairs | None] | None:
    """What the attacker's file is, and the table of who is who; before a row is read."""
    if given.known is None or (given.original is not None and subject.past is None):
        return None
    path, key = given.known, subject.before.row_key if given.original is not None else None
    head = found.of_file(str(Address.of(path)), partial(files.head, path))
    if head is None:
        return None
    held, pairs = tuple(head.kinds), None
    if (place := given.pairs) is not None:
        whole, told = given.original is not None, found.of_file(str(Address.of(place)), partial(files.head, place))
        if told is not None:
            pairs = found.part(lambda: pairs_of(place, tuple(told.kinds), subject, key, held, original=whole))
    elif given.original is not None and (key is None or key not in held):
        found.part(lambda: _unsaid(key))
    # A key that the file lacks, and a table that does not fit, were told above.
    entry = pairs.known if pairs is not None else key if given.pairs is None and key in held else None
    schema = found.part(lambda: known_schema(subject, path, files, entry, wanted, by))
    return None if schema is None else (schema, pairs)


def _unsaid(key: str | None) -> None:
    """Nothing says who is who; where the original has no row key either, its rows are numbered."""
    if key is None:
        message = "neither the original nor the file of known persons says who is who: the original has no row key"
        hint = (
            f"name a table (--pairs) with the number of the row in the original, from 1 on, in a column '{ROW}', and a "
            "key of the file of known persons"
        )
    else:
        message = "the file of known persons does not say who is who: it has no row key of the original"
        hint = f"name a table with '{key}', the row key of the original, and a key of that file (--pairs)"
    stop(DataError, "bad-pairs", "pairs", message, hint)


def set_scene(
    given: Given,
    subject: Subject,
    described: tuple[Schema, Pairs | None] | None,
    engine: Engine,
    files: Files,
    found: Gathering,
) -> Scene | None:
    """Read everything, and link it where there is a truth."""
    schema, pairs = described or (None, None)
    path = given.known
    known = None
    if path is not None and schema is not None:
        known = found.of_file("known", lambda: read_known(path, schema, engine, files), schema.names, OTHERWISE)
    if given.original is not None and subject.past is not None:
        past, place = subject.past, given.original
        columns = (*past.recipe.schema.names, DATA)
        again = found.of_file("original", lambda: relink(past, place, engine), columns, UNCHANGED)
        if again is None or (known is None and path is not None):
            return None
        original, released = again.original, again.released
        truth, unused = None, None
        if known is not None and pairs is None:
            truth = found.part(lambda: same_key(original, known, silent=given.silent))
        elif known is not None:
            truth, unused = _who(given, pairs, original, known, files, found)
        case = Case(original, released, None, past.recipe.steps, known, truth, silent=given.silent)
        return Scene(case, subject, "original", unused)
    rows = found.part(lambda: subject.rows(engine))
    if rows is None or known is None:
        return None
    truth, unused = _who(given, pairs, rows, known, files, found)
    judge: Judge = "nobody" if pairs is None else "pairs"
    # Nobody has the original: what the truth speaks of are the released records themselves.
    return Scene(Case(rows, rows, None, subject.steps, known, truth, silent=given.silent), subject, judge, unused)


def _who(
    given: Given, pairs: Pairs | None, people: Dataset, known: Dataset, files: Files, found: Gathering
) -> tuple[nw.LazyFrame[Any], int | None]:
    """Who is who by a table; nobody is anybody without one, and where something is wrong with it."""
    if pairs is None:
        return nobody(people.engine), None
    return found.part(lambda: linked(pairs, people, known, files, silent=given.silent)) or (nobody(people.engine), None)
