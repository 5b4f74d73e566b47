"""What methods that compute new amounts from amounts have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schleier.core.errors import Problem
from schleier.core.schema import Judge, Role, Schema

STRICT: tuple[Role, ...] = ("quasi", "undecided", "sensitive", "plain")
"""A column made of others takes the first of these roles that one of them has: what was made of something that nobody
judged is judged by nobody either, unless criteria look at it anyway."""
JUDGES: tuple[Judge, ...] = ("guess", "profile", "person")
"""And the first of these as its judge."""


def not_amounts(schema: Schema, columns: Sequence[str], where: str) -> Iterator[Problem]:
    """Columns with which nothing can be computed: words, weights, and numbers that name somebody."""
    for name in columns:
        if name not in schema:
            continue
        column = schema[name]
        if not column.numeric or column.role in ("identifier", "unit", "weight"):
            what = column.scale if not column.numeric else column.role
            yield Problem("not-numeric", where, f"column '{name}' is {what}: only amounts can be computed with")


def name_in_use(schema: Schema, name: str, where: str, own: Sequence[str] = ()) -> Iterator[Problem]:
    """Whether the name of a new column is in use; engines do not tell A from a."""
    names = {one.lower() for one in (*schema.names, schema.key) if one not in own}
    if name.lower() in names:
        yield Problem("name-taken", where, f"there is a column '{name}' already", "choose another name")


def strictest(schema: Schema, columns: Sequence[str]) -> Role:
    """The role of a column that is made of others."""
    held = {schema[name].role for name in columns}
    return next((role for role in STRICT if role in held), "plain")


def least_sure(schema: Schema, columns: Sequence[str]) -> Judge:
    """Who judged the role of a column that is made of others."""
    held = {"guess" if schema[name].role == "undecided" else schema[name].judged for name in columns}
    return next(judge for judge in JUDGES if judge in held)
