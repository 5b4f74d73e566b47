"""The fitted steps of a recipe as one SQL query, for those who anonymise inside their database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from schleier.core.component import listed
from schleier.core.errors import EngineError, Problems, RecipeError, stop
from schleier.core.method import Method
from schleier.core.schema import Schema
from schleier.core.sql import FOUND, Lookup, Rewrite, canonical, normal, quoted

Dialect = Literal["duckdb", "postgres", "spark"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


@dataclass(frozen=True)
class Query:
    """A query over a table of original rows, and what it does not do."""

    text: str = field(repr=False)
    left_out: tuple[str, ...] = ()
    """Steps that SQL cannot say, by place and label."""
    columns_left_out: tuple[str, ...] = ()
    """Columns those steps work on: a partial query does not return them."""


@dataclass
class _Builder:
    """Grows a query step by step; each step reads what the one before it left."""

    schema: Schema
    types: dict[str, str]
    parts: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def read(self, table: str) -> None:
        """Begin with the rows of a table, in normal form."""
        cells = [f"{normal(c, self.types[c.name])} AS {quoted(c.name)}" for c in self.schema]
        self.parts.append(("_read_", f"SELECT {_lines(cells)}\n  FROM {table}"))

    def add(self, step: Method, place: int) -> None:
        """Add a step, or leave it out with the columns it works on."""
        label, after = step.label(self.schema), step.after(self.schema)
        lost = [c for c in step.uses(self.schema) if c in self.gone and c in after]
        rewrite = None if lost else step.sql(_present(self.schema, self.gone), self.types)
        if rewrite is None:
            self.left_out.append(f"steps[{place}] ({label})")
            new = [n for n in after.names if n not in self.schema]
            self.gone += [c for c in (*step.uses(self.schema), *new) if c not in self.gone]
            self.schema = after
            return
        self.schema = after
        self.types |= {column: cell.kind for column, cell in rewrite.columns.items()}
        cells = [
            f"{rewrite.columns[n].text} AS {quoted(n)}" if n in rewrite.columns else quoted(n)
            for n in self.schema.names
            if n not in self.gone
        ]
        if cells:
            self.parts.append((f"_step_{place + 1}_", f"SELECT {_lines(cells)}\n  FROM {self._from(rewrite)}"))

    def _from(self, rewrite: Rewrite) -> str:
        before = self.parts[-1][0]
        joined = f"{quoted(before)}{_join(rewrite.lookup)}" if rewrite.lookup else quoted(before)
        return f"{joined}\n  WHERE {rewrite.where}" if rewrite.where else joined

    def text(self) -> str:
        """The whole query, with the columns as a release has them."""
        released = [c for c in self.schema if c.name not in self.gone]
        if not released:
            stop(RecipeError, "nothing-left", "steps", "no column is left that SQL could compute")
        cells = [f"{canonical(c, self.types[c.name])} AS {quoted(c.name)}" for c in released]
        with_ = ",\n".join(f"{quoted(part)} AS (\n  {body}\n)" for part, body in self.parts)
        return f"WITH {with_}\nSELECT {_lines(cells)}\nFROM {quoted(self.parts[-1][0])}"


def query(
    schema: Schema,
    steps: Sequence[Method],
    types: Mapping[str, str],
    *,
    dialect: Dialect = "duckdb",
    table: str = "input",
    partial: bool = False,
) -> Query:
    """What fitted steps do to the rows of a table; steps that SQL cannot say are an error unless ``partial``."""
    unknown = [n for n in schema.names if types.get(n, "other") == "other"]
    if unknown:
        message = f"the release does not tell what these columns held: {listed(unknown)}"
        stop(RecipeError, "no-types", "restricted/audit.json", message, "make the release again with this version")
    builder = _Builder(schema, dict(types))
    builder.read(".".join(map(quoted, table.split("."))))
    for place, step in enumerate(steps):
        builder.add(step, place)
    found = Problems()
    for step_left_out in () if partial else builder.left_out:
        hint = "--partial exports the rest, without the columns of these steps"
        found.add("not-in-sql", step_left_out, "this step cannot be said in SQL", hint)
    found.raise_as(RecipeError)
    text = in_dialect(builder.text(), dialect)
    return Query(_head(builder) + text + ";\n", tuple(builder.left_out), tuple(builder.gone))


def in_dialect(text: str, dialect: Dialect) -> str:
    """A query in DuckDB's dialect in that of another database."""
    if dialect == "duckdb":
        return text
    try:
        import sqlglot
    except ImportError:
        sqlglot = None  # type: ignore[assignment]
    if sqlglot is None:
        message = f"the query for {dialect} needs sqlglot"
        stop(EngineError, "not-installed", "--sql", message, 'pip install "schleier[sql]"')
    return str(sqlglot.transpile(text, read="duckdb", write=dialect, pretty=True)[0])


def _head(builder: _Builder) -> str:
    """What a reader must know before the query; names only, each on its line whatever it holds."""
    lines = ["Restricted: the query holds values that the steps learned from the data."]
    lines += [f"Left out, SQL cannot say it: {step}" for step in builder.left_out]
    lines += [f"Not returned, because of that: column {column}" for column in builder.gone]
    return "".join(f"-- {' '.join(line.split())}\n" for line in lines)


def _present(schema: Schema, gone: Sequence[str]) -> Schema:
    return schema.without(gone) if gone else schema


def _join(lookup: Lookup) -> str:
    """A left join with rows written out; a match is told by a last column."""
    if not lookup.rows:
        return f"\n  CROSS JOIN (SELECT CAST(NULL AS BOOLEAN) AS {FOUND}) AS {quoted('_lookup_')}"
    rows = ",\n    ".join(f"({', '.join([*row, 'TRUE'])})" for row in lookup.rows)
    columns = ", ".join([*map(quoted, lookup.keys), FOUND])
    on = " AND ".join(f"{value} = {quoted(key)}" for key, value in lookup.keys.items())
    return f"\n  LEFT JOIN (VALUES\n    {rows}\n  ) AS {quoted('_lookup_')}({columns}) ON {on}"


def _lines(cells: Sequence[str]) -> str:
    return ",\n    ".join(cells)
