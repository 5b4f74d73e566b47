"""What a release left as it was: a report must not say of a step that it did something where it did nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.measure import Case
from schleier.core.pieces import made, piece
from schleier.flow.correct import touched

if TYPE_CHECKING:
    from schleier.flow.recipe.stages import Stage
    from schleier.flow.run.runner import RunOutcome


def unchanged_columns(outcome: RunOutcome, stages: Sequence[Stage]) -> tuple[str, ...]:
    """Released columns in which every record has the value it had; only what may have changed is looked at."""
    original, released = outcome.original.schema, outcome.released.schema
    kept = [name for name in released.names if name in original]
    maybe = {name for stage in stages for name in touched(stage.step, stage.before, stage.after)}
    maybe |= {column.name for column in released if column.decimals is not None}  # they were rounded
    changed = _changed(outcome, [name for name in kept if name in maybe])
    return tuple(name for name in kept if name not in changed)


def nothing_changed(outcome: RunOutcome, records: int, unchanged: Sequence[str]) -> bool:
    """Whether the file holds nothing but records of the original, all of them, as they were."""
    return records == outcome.records and tuple(unchanged) == outcome.released.schema.names


def _changed(outcome: RunOutcome, columns: list[str]) -> set[str]:
    """Those of some columns in which a value differs; what a measure has counted is not counted again."""
    told: dict[str, float] = {}
    for one in outcome.findings:
        if piece("cells_changed")["measure"] == one.exact.name:
            told |= one.exact.detail["columns"]
    if rest := [name for name in columns if name not in told]:
        counted = made("cells_changed", columns=rest).measure(Case(outcome.original, outcome.released), outcome.run)
        told |= counted.detail["columns"]
    return {name for name in columns if told[name]}
