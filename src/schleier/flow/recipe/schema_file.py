"""Only the schema of a file: of a schema.toml, or of a whole recipe whose steps do not matter here."""

from __future__ import annotations

from pathlib import Path

from schleier.core.address import spelled
from schleier.core.errors import RecipeError, SchemaError, SchleierError, stop
from schleier.core.limits import small_text
from schleier.core.schema import Schema
from schleier.flow.recipe.parents import load, resolve
from schleier.flow.recipe.sections import SECTIONS, schema_section

WAY_OUT = "`schleier describe FILE` writes one"


def schema_from_file(path: Path | str) -> Schema:
    """The sections [schema] and [hierarchies]; everything wrong with them is said at once, nothing else is looked at.

    Files of hierarchies are relative to the file that names them.
    """
    path = Path(spelled(path))
    return schema_from_text(read_schema(path), path)


def read_schema(path: Path) -> str:
    """The text of a file, as it is written there."""
    try:
        return small_text(path, SchemaError, str(path))
    except (FileNotFoundError, NotADirectoryError):
        stop(SchemaError, "no-schema", str(path), "there is no such schema", WAY_OUT)
    except (OSError, ValueError):
        stop(SchemaError, "unreadable", str(path), "the schema cannot be read as UTF-8 text")


def schema_from_text(text: str, path: Path) -> Schema:
    """The schema that a text describes, as if it stood at ``path``."""
    try:
        resolved = resolve(load(text, path.name), path.parent, path)
    except RecipeError as error:
        raise SchemaError(error.problems) from None
    problems = resolved.problems
    for name in resolved.table:
        if name not in SECTIONS:
            problems.add("unknown-section", name, "there is no such section", f"there are: {', '.join(SECTIONS)}")
    if "schema" not in resolved.table:
        problems.add("no-schema", path.name, "the file does not describe the columns", f"write [schema]; {WAY_OUT}")
        problems.raise_as(SchemaError)
    try:
        schema = schema_section(resolved.table, problems)
    except SchleierError as error:
        problems.extend(error.problems)
        raise SchemaError(problems.found) from None
    problems.extend(schema.problems())
    problems.raise_as(SchemaError)
    return schema
