"""The attacker's file: which of its columns are read, and whether it can be compared with the release at all."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from schleier.core.attack import Attack
from schleier.core.component import listed
from schleier.core.errors import DataError, Problem, Problems, stop
from schleier.core.overlap import unlike
from schleier.core.schema import Schema
from schleier.core.trust.trustee import harmonised
from schleier.flow.attack.techniques import insisted, lacking
from schleier.flow.run.reader import read

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.core.measure import Case, Measure
    from schleier.core.run import Run
    from schleier.flow.attack.subject import Subject
    from schleier.flow.run.files import Files

WHERE = "known"
CLOSE = 0.8
"""Names that are so much alike are told, for one of them may be misspelt."""


def known_schema(
    subject: Subject, file: str, files: Files, entry: str | None, techniques: Sequence[Measure], by: Sequence[str]
) -> Schema:
    """What is read of the file: the columns it shares with the rows before the steps, and who each row is.

    ``by`` are columns that techniques look by which are chosen later.
    """
    held, found = files.head(file).kinds, Problems()
    shared = tuple(column for column in subject.before if column.name in held)
    common = [column.name for column in shared if column.name in subject.released]
    if not common:
        message = "the release and the file of known persons have no column in common"
        near = ", ".join(f"'{other}' ('{name}')" for other, name in alike(subject, held).items())
        hint = "rename columns that mean the same, so that both files call them alike"
        hint = f"rename columns that mean the same as in the release: {near}" if near else hint
        found.add("no-common-column", WHERE, message, hint)
    found.extend(_payload(subject.released, common, techniques, by))
    asked = [name for one in _with_file(techniques) for name in insisted(one, subject.released)]
    asked += by
    if common:
        found.extend(dict.fromkeys(_absent(subject.released, held, techniques, by)))
    if entry is not None and entry not in held:
        message = f"the file of known persons has no column '{entry}', by which the table says who is who"
        found.add("bad-pairs", WHERE, message, "call the column alike in both files")
    keys = [name for name in subject.released.quasi if name in held]
    if common and not keys and not asked:
        message = "the file of known persons has no column that an attacker may know of the release"
        hint = 'say by which columns to look for persons (--by), or give them the role "quasi"'
        found.add("no-keys", WHERE, message, hint)
    found.raise_as(DataError)
    shared = tuple(column for column in shared if column.name != entry)
    return subject.before.model_copy(update={"columns": shared, "row_key": entry, "others": "drop", "layout": None})


def alike(subject: Subject, held: Iterable[str]) -> dict[str, str]:
    """Columns of a file that are not read, and those of the release they may be: only a letter or capitals differ."""
    names = [name for name in held if name not in subject.before and name not in subject.released]
    folded, found = {name.casefold(): name for name in names}, dict[str, str]()
    for name in subject.released.names:
        near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=CLOSE)
        if name not in held and near:
            found.setdefault(folded[near[0]], name)
    return found


def _absent(
    released: Schema, held: Container[str], techniques: Sequence[Measure], by: Sequence[str]
) -> Iterator[Problem]:
    """Columns that the file would need for what is asked."""
    if absent := [name for name in by if name in released and name not in held]:
        message = f"the file of known persons has no column {listed(absent)}"
        yield Problem("unknown-column", WHERE, message, "look for persons by columns that it has")
    for one in _with_file(techniques):
        yield from lacking(one, released, held)


def _with_file(techniques: Sequence[Measure]) -> Iterator[Attack]:
    """Techniques that look for the persons of the file, unless they say that they know the truth."""
    for one in techniques:
        if isinstance(one, Attack) and (one.knowledge == "file" or "knowledge" not in one.model_fields_set):
            yield one


def _payload(
    released: Schema, common: Sequence[str], techniques: Sequence[Measure], by: Sequence[str]
) -> Iterator[Problem]:
    """Columns that an identification file does not have, because they are what an attacker wants to learn."""
    named = {name for one in techniques if isinstance(one, Attack) and one.known for name in one.keys(released)}
    said = named.union(by)
    held = [name for name in common if released[name].role == "sensitive" or released[name].is_open]
    if payload := [name for name in held if name not in said]:
        message = f"the file of known persons holds what the release is to tell or to hide: {listed(payload)}"
        hint = "leave these columns out of the file, or say that the attacker knows them (--by, or known = [...])"
        yield Problem("payload", WHERE, message, hint)


def read_known(file: str, schema: Schema, engine: Engine, files: Files) -> Dataset:
    """The persons an attacker knows of."""
    known = read(file, schema, engine, files)
    if not known.rows:
        stop(DataError, "no-rows", WHERE, "the file of known persons has no rows")
    return known


def refuse_other_codes(case: Case, techniques: Sequence[Measure], by: Sequence[str], run: Run) -> None:
    """Stop where a column that persons are looked for by is coded so differently that nobody is ever found by it.

    Techniques that are chosen later look ``by`` some columns, or by all keys.
    """
    if case.known is None:
        return
    released = case.released.schema
    names = dict.fromkeys(name for one in _with_file(techniques) for name in one.keys(released))
    if not all(isinstance(one, Attack) for one in techniques) or not techniques:
        names |= dict.fromkeys(by or released.quasi)
    columns = tuple(name for name in names if name in released and name in case.known.schema)
    recoded = harmonised(case.known, case.steps, columns, run)
    found = Problems()
    for name in unlike(case.released, recoded, columns):
        message = f"no value of column '{name}' is in both files: it is coded differently"
        hint = "bring both to the same codes, or look for persons by other columns (--by)"
        found.add("different-codes", WHERE, message, hint)
    found.raise_as(DataError)
