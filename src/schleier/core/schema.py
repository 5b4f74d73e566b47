"""What the columns mean: the first thing a steward writes down."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from schleier.core.cells import CELLS, plain_cells
from schleier.core.errors import Problem, SchemaError
from schleier.core.hierarchy import AnyHierarchy, Hierarchy
from schleier.core.record import Described
from schleier.core.shown import Shown

Role = Literal["identifier", "quasi", "sensitive", "weight", "unit", "plain", "undecided"]
Judge = Literal["guess", "person", "profile"]
Scale = Literal["nominal", "ordinal", "discrete", "continuous", "time", "place", "text"]

PROTECTED: frozenset[Role] = frozenset({"identifier", "quasi", "sensitive", "unit", "undecided"})
OPEN: tuple[Role, ...] = ("plain", "undecided")
"""Roles of columns that no criterion looks at: what nobody judged counts as plain wherever something is computed."""
CONTENT: tuple[Role, ...] = ("quasi", "sensitive", *OPEN)
"""Roles of columns that tell something about somebody: no names, no weights, no numbers of units."""
ORDINAL = "_row_"
"""Name of the row key assigned at ingest when the file has none: the ordinal of the row in the file."""


def is_reserved(name: str) -> bool:
    """Whether a name is kept: for working columns those that begin and end with an underscore, ``*`` for all columns.

    >>> is_reserved("_row_"), is_reserved("_id"), is_reserved("*")
    (True, False, True)
    """
    return name == "*" or (name.startswith("_") and name.endswith("_"))


def _free(name: str) -> str:
    if is_reserved(name):
        raise ValueError("the name *, and names that begin and end with an underscore, are reserved: rename the column")
    return name


class Column(Described):
    """One column: what it means for disclosure (role) and what arithmetic it allows (scale).

    >>> Column(name="age", role="quasi", scale="discrete").numeric
    True
    """

    name: str = Field(min_length=1)
    """Name of the column in the file."""
    role: Role = "undecided"
    """Meaning for disclosure: identifier (never released), quasi (an attacker may know it), sensitive,
    weight, unit (household, owner), plain (none of these) or undecided (nobody has judged it)."""
    scale: Scale
    """What may be computed with it: nominal, ordinal, discrete (whole numbers), continuous, time, place, text."""
    hierarchy: str | None = None
    """Name of the hierarchy that coarsens the column."""
    title: str = ""
    """What the column is called in reports."""
    labels: dict[str, str] = Field(default_factory=dict, repr=False)
    """Words for coded values."""
    missing: tuple[int | float | str, ...] = Field(default=(), repr=False)
    """Codes that mean "missing"; they become empty when the file is read."""
    reasons: tuple[int | float | str, ...] = Field(default=(), repr=False)
    """Codes that say why a value is missing but stay values; SPSS and Stata are told that they are gaps."""
    date: str | None = None
    """Format of the dates of this column in a text file, where it differs from the layout's."""
    decimals: int | None = Field(default=None, ge=0, le=9)
    """Declared precision: the released value is rounded to so many decimals."""
    judged: Judge = "person"
    """Who judged the role: a guess of ``describe`` that nobody has confirmed, a person, or a profile."""
    judged_on: datetime.date | None = None
    """The day on which a person judged it, as ``schleier decide`` writes it."""

    @field_validator("name")
    @classmethod
    def _not_reserved(cls, name: str) -> str:
        return _free(name)

    @property
    def numeric(self) -> bool:
        """Whether sums and means make sense."""
        return self.scale in ("discrete", "continuous")

    @property
    def protected(self) -> bool:
        """Whether a value of this column must never appear in a message, log or report."""
        return self.role in PROTECTED

    @property
    def is_open(self) -> bool:
        """Whether no criterion looks at it: it is plain, or nobody has judged it."""
        return self.role in OPEN

    @property
    def is_guessed(self) -> bool:
        """Whether its role is a guess that nobody has confirmed."""
        return self.judged == "guess" and self.role != "undecided"


class Layout(Described):
    """How a text file writes its rows and numbers; detected when not declared, and stated in the schema.

    >>> Layout(delimiter=";", decimal=",", thousands=".").german
    True
    """

    delimiter: str = Field(default=",", min_length=1, max_length=1)
    """Character between two fields."""
    quote: str = Field(default='"', max_length=1)
    """Character around a field that contains the delimiter; empty for none."""
    encoding: str = "utf-8"
    """Character encoding of the file."""
    decimal: Literal[".", ","] = "."
    """Decimal mark of numbers."""
    thousands: Literal["", ".", ",", " ", "'"] = ""
    """Mark between groups of three digits; empty for none."""
    date: str = "%Y-%m-%d"
    """Format of dates, in the notation of strftime."""
    skip: int = Field(default=0, ge=0)
    """Lines before the one with the column names, such as a title."""
    header: int = Field(default=1, ge=1, le=9)
    """Rows of a sheet that name the columns; the names of several rows are joined."""
    range: str = Field(default="", pattern=CELLS)
    """Cells of a sheet that hold the table with its names, such as "B4:H200", or "B4:H" to the last row."""
    guard: Literal["", "'"] = ""
    """Mark before names and texts that a spreadsheet would run as a formula, taken off when the file is read."""

    @property
    def german(self) -> bool:
        """Whether numbers are written the German way."""
        return self.decimal == ","

    @field_validator("range")
    @classmethod
    def _plain_range(cls, cells: str) -> str:
        return plain_cells(cells)

    @model_validator(mode="after")
    def _marks_differ(self) -> Self:
        if self.decimal == self.thousands:
            raise ValueError("decimal mark and thousands mark must differ")
        return self


class Schema(Shown, Described):
    """All columns of a table, in order, with the hierarchies they refer to.

    >>> schema = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
    >>> schema.names, schema.quasi
    (('age',), ('age',))
    """

    columns: tuple[Column, ...] = Field(min_length=1)
    """The columns, in the order of release."""
    row_key: str | None = None
    """Column that identifies a row; it keys all random draws and is never released. Assigned at ingest when absent."""
    others: Literal["error", "drop"] = "error"
    """What to do with columns of the file that are not described here."""
    layout: Layout | None = None
    """How a text file is written; detected when absent."""
    hierarchies: dict[str, AnyHierarchy] = Field(default_factory=dict)
    """The hierarchies by name."""

    @field_validator("columns")
    @classmethod
    def _names_differ(cls, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        seen: set[str] = set()
        folded = [(column.name, column.name.lower()) for column in columns]
        twice = sorted({name for name, low in folded if low in seen or seen.add(low)})  # type: ignore[func-returns-value]
        if twice:
            raise ValueError(f"described more than once (engines do not tell A from a): {', '.join(twice)}")
        return columns

    @field_validator("row_key")
    @classmethod
    def _row_key_not_reserved(cls, name: str | None) -> str | None:
        return None if name is None else _free(name)

    @model_validator(mode="after")
    def _row_key_is_no_column(self) -> Self:
        if self.row_key in self.names:
            raise ValueError(f"the row key '{self.row_key}' is never released: do not describe it as a column")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.having("quasi")

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of the columns that nobody has judged."""
        return self.having("undecided")

    @property
    def guessed(self) -> tuple[str, ...]:
        """Names of the columns whose role is a guess that nobody has confirmed."""
        return tuple(column.name for column in self.columns if column.is_guessed)

    @property
    def key(self) -> str:
        """Name of the row key in the frame."""
        return self.row_key or ORDINAL

    def having(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns with one of these roles."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        """Ten thousand columns are not looked through for each of ten thousand names."""
        return {column.name: column for column in self.columns}

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what was remembered about other columns is forgotten."""
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("_by_name", None)
        return copy

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Column]:  # type: ignore[override]
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        if name not in self._by_name:
            raise SchemaError(self.unknown(name))
        return self._by_name[name]

    def unknown(self, name: str, where: str = "") -> Problem:
        """The problem that there is no such column, with the nearest name there is."""
        import difflib

        near = difflib.get_close_matches(name, self.names, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {len(self.columns)} columns"
        return Problem("unknown-column", where, f"there is no column '{name}'", hint)

    def hierarchy(self, name: str) -> Hierarchy:
        """The hierarchy of a column."""
        label = self[name].hierarchy
        if label is None or label not in self.hierarchies:
            message = f"column '{name}' has no hierarchy"
            raise SchemaError(Problem("no-hierarchy", name, message, "declare one under [hierarchies]"))
        return self.hierarchies[label]

    def without(self, names: Sequence[str]) -> Self:
        """The schema without some columns."""
        gone = set(names)
        return self.model_copy(update={"columns": tuple(c for c in self.columns if c.name not in gone)})

    def changed(self, name: str, **fields: Any) -> Self:
        """The schema with some fields of one column changed."""
        columns = tuple(c.model_copy(update=fields) if c.name == name else c for c in self.columns)
        return self.model_copy(update={"columns": columns})

    def problems(self) -> Iterator[Problem]:
        """What is wrong across columns: unknown hierarchies, hierarchies that are themselves broken."""
        for column in self.columns:
            if column.role == "weight" and not column.numeric:
                where = f"schema.columns.{column.name}"
                yield Problem("weight", where, "a weight is a number", 'declare it "continuous" or "discrete"')
            yield from _reasons(column)
            if column.hierarchy is not None and column.hierarchy not in self.hierarchies:
                known = ", ".join(sorted(self.hierarchies)) or "none"
                yield Problem(
                    "unknown-hierarchy",
                    f"schema.columns.{column.name}",
                    f"there is no hierarchy '{column.hierarchy}'",
                    f"declared under [hierarchies]: {known}",
                )
        for name, hierarchy in self.hierarchies.items():
            yield from hierarchy.problems(f"hierarchies.{name}")


def _reasons(column: Column) -> Iterator[Problem]:
    """Reasons stay values: they must not enter a sum, and cannot be gaps at the same time."""
    where = f"schema.columns.{column.name}.reasons"
    if column.reasons and (column.numeric or column.scale == "time"):
        message = f"the column is {column.scale}, and codes that stay values would be taken for amounts or dates"
        yield Problem("reasons-not-coded", where, message, 'list them under "missing", or declare it "nominal"')
    both = {str(code) for code in column.reasons} & {str(code) for code in column.missing}
    if both:
        message = f"codes that are listed under missing too: {len(both)}"
        yield Problem("reasons-and-missing", where, message, "a code either becomes empty or stays a value")
