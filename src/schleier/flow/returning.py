"""What comes back through released columns: looked at in every run, and before there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from schleier.core.measure import Case, Finding
from schleier.core.pieces import made, piece
from schleier.core.record import Frozen
from schleier.core.schema import Role
from schleier.flow.correct import touched
from schleier.flow.recipe.stages import stages

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.measure import Measure
    from schleier.core.run import Run

WORD = str(piece("coming_back")["measure"])
HIDDEN: tuple[Role, ...] = ("identifier", "quasi", "sensitive", "undecided")
"""Roles of columns that are left out or changed to protect somebody."""
WIDE = 300
"""Of files with more columns it is looked at only where a recipe asks for it."""


class Returning(Frozen):
    """A column that comes back through others."""

    column: str
    """What would be hidden."""
    sources: tuple[str, ...]
    """What gives it back."""
    share: float
    """Share of its hidden values that are told right."""
    blind: float
    """The same without the columns that give it back."""


def returning(finding: Finding | None) -> Iterator[Returning]:
    """The columns that come back, as the measure found it."""
    for column, told in (finding.detail[WORD] if finding else {}).items():  # under its own name
        yield Returning(column=column, sources=told["from"], share=told["share"], blind=told["blind"])


def looking(case: Case) -> tuple[Measure, ...]:
    """The measure for what steps left out or may have changed; none where that is nothing, or too much."""
    schema, released = case.original.schema, case.released.schema
    walked = stages(schema, case.steps)
    maybe = {name for stage in walked for name in touched(stage.step, stage.before, stage.after)}
    columns = [name for name in schema.having(*HIDDEN) if name in maybe or name not in released]
    return (made("coming_back", columns=columns),) if columns and len(schema.columns) <= WIDE else ()


def foresee(data: Dataset, run: Run) -> tuple[Returning, ...]:
    """Identifiers and keys that columns of other roles would give back, were the former gone."""
    gone = data.schema.having("identifier", "quasi")
    if not gone or len(gone) == len(data.schema.columns) or len(data.schema.columns) > WIDE:
        return ()
    released = data.described(data.schema.without(gone))
    with run.within(WORD), run.progress(f"measuring: {WORD}"):
        return tuple(returning(made("coming_back", columns=gone).measure(Case(data, released), run)))
