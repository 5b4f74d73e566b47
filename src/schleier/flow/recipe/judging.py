"""Who judged the columns that a recipe releases, and the command by which somebody does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import Problem
from schleier.core.schema import Role, Schema
from schleier.core.system import as_typed, seen_from

if TYPE_CHECKING:
    from schleier.flow.recipe.stages import Stage

SCHEMA = "schema.toml"
"""The file a command names where nobody knows which one describes the columns."""
IN_DOUBT: Role = "quasi"
"""The role to propose for what nobody has judged: to call a column plain is for whoever knows that nobody has it."""
CHOICE = "in doubt a column is quasi; plain is for one that nobody outside knows"


def decide_line(columns: Sequence[str], declared: Mapping[str, Path], role: Role | None = None, *, near: bool) -> str:
    """What to type to judge some columns; without a role the guesses are confirmed.

    ``near`` names files as they are found from here; otherwise, for readers elsewhere, only what they are called.

    >>> decide_line(["firm", "my size"], {"firm": Path("/data/schema.toml")}, "quasi", near=False)
    "schleier decide schema.toml --role quasi firm 'my size'"
    """
    by_file: dict[str, list[str]] = {}
    known = next((declared[name] for name in columns if name in declared), Path(SCHEMA))
    for name in columns:
        file = declared.get(name, known)
        by_file.setdefault(shown(file) if near else file.name, []).append(name)
    return " && ".join(_line(file, names, role) for file, names in by_file.items())


def _line(file: str, names: Sequence[str], role: Role | None) -> str:
    if role is None:
        return f"schleier decide {as_typed(file)}"
    option = ["--"] if any(name.startswith("-") for name in names) else []
    return " ".join(["schleier decide", as_typed(file), "--role", role, *option, *map(as_typed, names)])


def shown(file: Path) -> str:
    """A file as it is found from here; one that lies elsewhere by its whole path."""
    near = seen_from(Path.cwd(), file)
    return str(file) if near.startswith(os.pardir) else near


def behind(columns: Sequence[str], stages: Sequence[Stage], schema: Schema) -> tuple[str, ...]:
    """The columns of the file that some released ones are, or were made of, and that nobody has judged."""
    wanted = list(columns)
    for stage in reversed(stages):
        made = [name for name in wanted if name not in stage.before]
        if made:
            read = (name for name in stage.step.uses(stage.before) if name in stage.before.undecided)
            wanted = [name for name in wanted if name not in made] + list(read)
    return tuple(name for name in schema.undecided if name in wanted)


def not_judged(
    released: Schema, stages: Sequence[Stage], schema: Schema, declared: Mapping[str, Path]
) -> Iterator[Problem]:
    """Columns that nobody judged must not go to everybody."""
    if left := released.undecided:
        message = f"nobody has judged these columns ({CHOICE}), and everybody would get them: {', '.join(left)}"
        hint = decide_line(behind(left, stages, schema) or left, declared, IN_DOUBT, near=True)
        yield Problem("undecided-columns", "schema", message, hint)
