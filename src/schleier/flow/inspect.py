"""The risk of a file as it is, before anything is done about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier import __version__
from schleier.core import registry
from schleier.core.address import Address
from schleier.core.data import Dataset
from schleier.core.engine import Resources
from schleier.core.errors import DataError, Problems, SchemaError, stop
from schleier.core.measure import Case, Finding, Measure
from schleier.core.record import Frozen
from schleier.core.run import Listener, Run, silence
from schleier.core.schema import Schema
from schleier.flow.reader import read
from schleier.flow.schema_file import schema_from_file

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.request import Request

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


class Inspection(Frozen):
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

    def having(self, *roles: str) -> list[str]:
        """Names of the columns with one of these roles."""
        return [column.name for column in self.columns if column.role in roles]


def inspect(
    source: Any, schema: Schema | Path | str, *, engine: str | None = None, listener: Listener = silence
) -> Inspection:
    """Measure the risk of a file or frame as it is; the schema may be a file, also a whole recipe.

    >>> import pyarrow as pa
    >>> from schleier.core.schema import Column
    >>> schema = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
    >>> inspect(pa.table({"age": [34, 36, 36]}), schema).findings[0].detail["after"]["unique"]
    1
    """
    if isinstance(schema, Schema):
        problems = Problems(list(schema.problems()))
        problems.raise_as(SchemaError)
    else:
        schema = schema_from_file(schema)
    mover = registry.get("engine", engine or "duckdb", "engine")(Resources())
    run = Run(listener=listener)
    try:
        with run.progress("reading"):
            given = isinstance(source, str | Path)
            data = read(source, schema, mover) if given else Dataset.from_frame(source, schema, mover)
            records = data.rows
        if not records:
            stop(DataError, "no-rows", "data", "the file has no rows")
        data = Remembering(data.frame, data.schema, data.engine)
        findings = (*_named(schema), *_measured(data, run))
    finally:
        mover.close()
    columns = tuple(
        InspectedColumn(name=c.name, title=c.title, role=c.role, scale=c.scale, hierarchy=c.hierarchy is not None)
        for c in schema
    )
    file = _shown(source) if given else ""
    return Inspection(schleier=__version__, file=file, records=records, columns=columns, findings=findings)


@dataclass(frozen=True)
class Remembering(Dataset):
    """A dataset that groups its rows once for all measures that ask for the same classes."""

    known: dict[Request, Classes] = field(default_factory=dict, init=False, repr=False, compare=False)

    def classes(self, request: Request) -> Classes:
        """The equivalence classes of some keys."""
        if request not in self.known:
            self.known[request] = super().classes(request)
        return self.known[request]


def _named(schema: Schema) -> Iterator[Finding]:
    """The columns that name people directly, where there are any: nothing else matters before they are gone."""
    if columns := schema.having("identifier"):
        verb = "column names" if len(columns) == 1 else "columns name"
        text = f"{len(columns)} {verb} people directly: {', '.join(columns)}."
        value, detail = float(len(columns)), {"columns": list(columns)}
        yield Finding(name=IDENTIFIERS, value=value, better="lower", text=text, detail=detail)


def _measured(data: Dataset, run: Run) -> Iterator[Finding]:
    for measure in _asked(data.schema):
        with run.within(measure.label(data.schema)), run.progress(f"measuring: {measure.word()}"):
            yield measure.measure(Case(original=data, released=data), run)


def _asked(schema: Schema) -> Iterator[Measure]:
    """The measures of a first look, those that find what they look at in this schema."""
    looks = [declared for declared in registry.every("measure").values() if declared.inspected]
    for declared in sorted(looks, key=lambda each: each.inspected):
        measure: Measure = declared()
        if not any(measure.problems(schema)):
            yield measure


def _shown(source: Path | str) -> str:
    """The name of a file without its folder, with its part; a database is shown as it was written."""
    address = Address.of(source)
    return str(Address(address.at if address.variable else address.path.name, address.part))
