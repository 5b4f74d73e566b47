"""The risk of a file as it is, before anything is done about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schleier import __version__
from schleier.core import registry
from schleier.core.address import Address
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.engine import Resources
from schleier.core.errors import DataError, Problems, SchemaError, WriteError, stop
from schleier.core.failures import public
from schleier.core.measure import Case, Finding, Measure
from schleier.core.record import Frozen
from schleier.core.run import Listener, Run, silence
from schleier.core.schema import Column, Schema
from schleier.core.shown import Shown
from schleier.flow.inspect.changes.best import Change, best_changes
from schleier.flow.inspect.measures import Sampling, choose
from schleier.flow.inspect.possible import PossibleKeys, possible_keys
from schleier.flow.inspect.record_file import misplaced, write_records
from schleier.flow.memory import CachedDataset
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.redundant import redundant_keys
from schleier.flow.returning import WORD, Returning, foresee
from schleier.flow.run.populations import populations
from schleier.flow.run.reader import read

INSPECTION_FORMAT = "schleier-inspection-1"
IDENTIFIERS = "identifiers"
"""Name of the first finding where columns name people directly."""


class InspectedColumn(Frozen):
    """A column of the file."""

    name: str
    """Name in the file."""
    title: str = ""
    """What it is called."""
    role: str
    """Meaning for disclosure."""
    scale: str
    """What may be computed with it."""
    hierarchy: bool = False
    """Whether the schema says how its values become coarser."""


class Inspection(Shown, Frozen):
    """What was found about a file: counts and names of columns, never a value."""

    format: str = INSPECTION_FORMAT
    """Version of this document's form."""
    schleier: str
    """Version of Schleier that looked."""
    file: str = ""
    """Name of the file; empty when rows were given in Python."""
    records: int
    """Records in the file."""
    columns: tuple[InspectedColumn, ...]
    """The columns that the schema describes."""
    findings: tuple[Finding, ...] = ()
    """What was measured, most important first."""
    possible_keys: PossibleKeys | None = None
    """The smallest class with the columns that nobody has judged among the keys, and without them."""
    returning: tuple[Returning, ...] = ()
    """Identifiers and keys that other columns would give back, were they left out."""
    changes: tuple[Change, ...] = ()
    """The few changes that would reduce the risk most, in the order in which they would be made."""
    skipped: tuple[str, ...] = ()
    """Measures of the recipe that look at columns which only its steps make."""

    def having(self, *roles: str) -> list[str]:
        """Names of the columns with one of these roles."""
        return [column.name for column in self.columns if column.role in roles]


@public
def inspect(
    source: Any,
    schema: Schema | Path | str,
    *,
    measures: Sequence[str] = (),
    fraction: float | None = None,
    population: int | None = None,
    records: Path | str | None = None,
    engine: str | None = None,
    listener: Listener = silence,
) -> Inspection:
    """Measure the risk of a file or frame as it is, and which changes would reduce it most.

    The schema may be a file, also a whole recipe, whose measures of risk are run as well. ``measures`` names further
    ones, which get ``fraction`` or ``population`` where they ask what part of the population the file holds. With
    ``records`` the risk of each record is written to a Parquet file that only its owner may read.

    >>> import pyarrow as pa
    >>> from schleier.core.schema import Column
    >>> schema = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
    >>> inspect(pa.table({"age": [34, 36, 36]}), schema).findings[0].detail["after"]["unique"]
    1
    """
    file = None if isinstance(schema, Schema) else Path(schema)
    if isinstance(schema, Schema):
        Problems(list(schema.problems())).raise_as(SchemaError)
    else:
        schema = schema_from_file(schema)
    out = None if records is None else Path(records)
    if out is not None:
        if not schema.quasi:
            hint = 'give columns of the schema the role "quasi"'
            message = "without columns that an outsider may know no record has a risk to write down"
            stop(SchemaError, "no-records", "records", message, hint)
        Problems(list(misplaced(out))).raise_as(WriteError)
    wanted = choose(schema, file, measures, Sampling(fraction=fraction, population=population))
    mover = registry.get("engine", engine or "duckdb", "engine")(Resources())
    run = Run(listener=listener)
    after = ["comparing: changes"] if schema.quasi else []
    run.expect("reading", *(f"measuring: {one.word()}" for one in wanted.measures), f"measuring: {WORD}", *after)
    try:
        with run.progress("reading"):
            people = populations(wanted.recipe, mover)
            given = isinstance(source, str | Path)
            data = read(source, schema, mover) if given else Dataset.from_frame(source, schema, mover)
            rows = data.rows
        if not rows:
            stop(DataError, "no-rows", "data", "the file has no rows")
        data = CachedDataset(data.frame, data.schema, data.engine, people, data.added)
        findings = (*_named(schema), *_measured(data, wanted.measures, run))
        possible = possible_keys(data)
        back = foresee(data, run)
        changes = _changes(data, run) if schema.quasi else ()
        if out is not None:
            with run.progress("writing: records"):
                write_records(data, data.classes(Request(keys=schema.quasi)), run.by_record, out)
    finally:
        mover.close()
    return Inspection(
        schleier=__version__,
        file=_shown(source) if given else "",
        records=rows,
        columns=tuple(_described(column) for column in schema),
        findings=findings,
        possible_keys=possible,
        returning=back,
        changes=changes,
        skipped=wanted.skipped,
    )


def _named(schema: Schema) -> Iterator[Finding]:
    """The columns that name people directly, where there are any: nothing else matters before they are gone."""
    if columns := schema.having("identifier"):
        verb = "column names" if len(columns) == 1 else "columns name"
        text = f"{len(columns)} {verb} people directly: {', '.join(columns)}."
        value, detail = float(len(columns)), {"columns": list(columns)}
        yield Finding(name=IDENTIFIERS, value=value, better="lower", text=text, detail=detail)


def _measured(data: Dataset, measures: Sequence[Measure], run: Run) -> list[Finding]:
    """What the measures find; what is wrong with the data for some of them is said for all of them at once."""
    case, found, problems = Case(original=data, released=data), list[Finding](), Problems()
    for entry in measures:
        with run.within(entry.label(data.schema)):
            parts = entry.parts(case, run)
        for measure in parts:
            with run.within(measure.label(data.schema)), run.progress(f"measuring: {measure.word()}"):
                try:
                    found.append(measure.measure(case, run))
                except DataError as error:
                    problems.extend(problem for problem in error.problems if problem not in problems.found)
    problems.raise_as(DataError)
    return found


def _changes(data: Dataset, run: Run) -> tuple[Change, ...]:
    with run.progress("comparing: changes"):
        classes = data.classes(Request(keys=data.schema.quasi))
        return best_changes(classes, data.schema, redundant=redundant_keys(data))


def _described(column: Column) -> InspectedColumn:
    known = column.model_dump(include={"name", "title", "role", "scale"})
    return InspectedColumn(**known, hierarchy=column.hierarchy is not None)


def _shown(source: Path | str) -> str:
    """The name of a file without its folder, with its part; a database is shown as it was written."""
    address = Address.of(source)
    return str(Address(address.at if address.variable else address.path.name, address.part))
