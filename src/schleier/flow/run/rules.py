"""Published rules of a recipe whose result a finished file must show: applied once more they change nothing."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.core.data import Dataset, tally
from schleier.core.run import Run
from schleier.core.traces import Traces
from schleier.flow.recipe.stages import Stage, stages
from schleier.flow.release.edge import canonical

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import Recipe

HARMLESS: Traces = frozenset({"gap", "sample", "selection", "omission", "exchange"})
"""What a later step may leave without making a value that a rule did not let through."""


@dataclass(frozen=True)
class Chain:
    """Rules that were applied one after the other, and columns that show what the last of them left."""

    steps: tuple[Stage, ...]
    columns: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the steps."""
        return tuple(stage.label for stage in self.steps)


def chains(recipe: Recipe) -> tuple[Chain, ...]:
    """The rules behind each released column, columns with the same rules together."""
    walked, found = list(stages(recipe.schema, recipe.steps)), dict[tuple[str, ...], Chain]()
    for name in recipe.after().names:
        rules = _rules(name, walked)
        if rules:
            labels = tuple(stage.label for stage in rules)
            before = found[labels].columns if labels in found else ()
            found[labels] = Chain(rules, (*before, name))
    return tuple(found.values())


def unsettled(data: Dataset, chain: Chain) -> dict[str, int] | None:
    """By column, how many values the rules would still change; none where a rule cannot tell its own result."""
    import narwhals as nw

    run = Run()
    marks = {f"_before_{i}_": name for i, name in enumerate(chain.columns)}
    again: Dataset | None = data.mutate(**{mark: nw.col(name) for mark, name in marks.items()})
    for stage in chain.steps:
        again = stage.step.repeated(again, stage.before, run) if again is not None else None
    if again is None:
        return None
    again = canonical(again)
    types = again.frame.collect_schema()
    changed = {}
    for mark, name in marks.items():
        old, new = nw.col(mark), nw.col(name)
        if types[mark] != types[name] and not (types[mark].is_numeric() and types[name].is_numeric()):
            old, new = old.cast(nw.String), new.cast(nw.String)
        changed[mark] = tally(~old.is_null() & (new.is_null() | (old != new)))
    return {marks[mark]: count for mark, count in again.totals(**changed).items() if count}


def unchecked(recipe: Recipe, checked: Set[str]) -> tuple[str, ...]:
    """Labels of the other steps with a rule for columns that are released."""
    ruled = (stage for stage in stages(recipe.schema, recipe.steps) if stage.step.declares("rule"))
    return tuple(stage.label for stage in ruled if stage.label not in checked and _shown(stage, recipe))


def _shown(stage: Stage, recipe: Recipe) -> bool:
    return bool({*stage.step.changes(stage.before)} & {*recipe.after().names})


def _rules(name: str, walked: Sequence[Stage]) -> tuple[Stage, ...]:
    """The rules whose result a column still shows, the first of them first."""
    found: list[Stage] = []
    for stage in reversed(walked):
        step = stage.step
        if name not in stage.before:
            break  # made by this step
        if name not in step.changes(stage.before):
            continue
        if step.declares("rule"):
            found.insert(0, stage)
            if step.declares("coarsening"):
                break  # its words hide what came before
        elif not (left := step.leaves()) or not left <= HARMLESS:
            break
    return tuple(found)
