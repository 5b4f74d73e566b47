"""A person judges columns: the role is written into the schema, with the day, and all else stays as it stands there."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

from schleier.core.address import Address, spelled
from schleier.core.atomic import whole_file
from schleier.core.errors import Problems, SchemaError, stop
from schleier.core.schema import Role, Schema
from schleier.flow.recipe.judging import CHOICE, IN_DOUBT, decide_line, shown
from schleier.flow.recipe.parents import column_names, load, resolve
from schleier.flow.recipe.schema_file import read_schema, schema_from_text
from schleier.flow.recipe.toml_text import Unclear, changed_text

ROLES = tuple(role for role in get_args(Role) if role != "undecided")
"""What can be decided: to leave it open is no decision."""


@dataclass(frozen=True)
class Decision:
    """What a person decided, and what is still open."""

    file: Path
    decided: dict[str, str]
    """The role of each column that was judged."""
    schema: Schema
    """As it is now."""
    declared: Mapping[str, Path] = field(default_factory=dict)
    """The file that describes a column."""
    new_keys: tuple[str, ...] = ()
    """Columns that became keys now: a recipe that was drafted before does not make them coarser."""
    new_names: tuple[str, ...] = ()
    """Columns that name people now: a recipe that was drafted before may still change them."""
    data: str = ""
    """The file with the rows, as the schema names it; empty where it does not."""


def decide(path: Path | str, columns: Sequence[str] = (), role: str | None = None) -> Decision:
    """Judge columns of a schema, or of a recipe; without a role the guesses that are there are confirmed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "schema.toml"
    >>> _ = path.write_text('[[schema.columns]]\\nname = "size"\\nscale = "discrete"\\n')
    >>> decide(path, ["size"], "plain").decided
    {'size': 'plain'}
    """
    path = Path(spelled(path))
    schema = schema_from_text(read_schema(path), path)
    text = path.read_bytes().decode()  # with its line breaks as they are
    table = load(text, path.name)
    declared = resolve(table, path.parent, path).declared
    wanted = tuple(columns) or (() if role else schema.guessed)
    _demand_sound(path, schema, wanted, role, declared, column_names(table))
    chosen = {name: role or schema[name].role for name in wanted if role or schema[name].is_guessed}
    if not chosen:
        return Decision(path, {}, schema, declared)
    day = datetime.datetime.now(tz=datetime.UTC).astimezone().date()
    judged = {"judged": '"person"', "judged_on": day.isoformat()}
    try:
        text = changed_text(text, {name: {"role": f'"{said}"', **judged} for name, said in chosen.items()})
    except Unclear:
        hint = 'write role, judged = "person" and judged_on into it by hand'
        stop(SchemaError, "unclear-schema", str(path), "the columns are written in a way that cannot be changed", hint)
    before = schema
    schema = schema_from_text(text, path)  # a role may not fit the column
    with whole_file(path.resolve()) as place:
        place.write_bytes(text.encode())
        place.chmod(path.stat().st_mode)
    new_keys = tuple(name for name in schema.quasi if name not in before.quasi)
    known = before.having("quasi", "sensitive", "unit")
    new_names = tuple(name for name in schema.having("identifier") if name in known)
    return Decision(path, chosen, schema, declared, new_keys, new_names, _rows(table, path))


def _rows(table: Mapping[str, Any], path: Path) -> str:
    """The file with the rows, as it is found from here."""
    said = table.get("data", {}).get("file", "")
    address = Address.of(said) if isinstance(said, str) and said else None
    if address is None or address.variable:
        return said if address else ""
    return str(Address(shown(path.parent / address.path), address.part))


def _demand_sound(
    path: Path,
    schema: Schema,
    columns: Sequence[str],
    role: str | None,
    declared: Mapping[str, Path],
    own: Sequence[str],
) -> None:
    """Everything that is wrong with what was asked for."""
    found = Problems()
    taken = cast(Role, role if role in ROLES else IN_DOUBT)
    if role is not None and role not in ROLES:
        found.add("unknown-role", "--role", f"there is no role '{role}' to decide on", f"there are: {', '.join(ROLES)}")
    if role is not None and not columns:
        names = schema.undecided
        line = decide_line(names, dict.fromkeys(names, path), taken, near=True) if names else ""
        hint = line or f"there are: {', '.join(schema.names)}"
        found.add("which-columns", "--role", "say which columns have this role", hint)
    found.extend(schema.unknown(name, str(path)) for name in columns if name not in schema)
    known = [name for name in columns if name in schema]
    if elsewhere := [name for name in known if name not in own]:
        message = f"a parent of this file describes: {', '.join(elsewhere)}"
        line = decide_line(elsewhere, declared, taken if role else None, near=True)
        found.add("described-elsewhere", str(path), message, line)
    if role is None and (still := [name for name in known if schema[name].role == "undecided"]):
        message = f"there is no role to be confirmed ({CHOICE}) of: {', '.join(still)}"
        found.add("no-role", str(path), message, decide_line(still, declared, IN_DOUBT, near=True))
    found.raise_as(SchemaError)
