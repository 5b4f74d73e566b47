"""Takes rows through the steps of a recipe: each is fitted, then applied."""

from __future__ import annotations

from collections.abc import Sequence

from schleier.core.classes.population import followed
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, Problem
from schleier.core.method import Method
from schleier.core.run import Run

HINT = "a replay leaves the steps as they are; replay more rows at once, or write a recipe for these"


def take(
    data: Dataset, steps: Sequence[Method], run: Run, *, again: bool = False
) -> tuple[Dataset, tuple[Method, ...], tuple[str, ...]]:
    """The rows after all steps, the fitted steps, and their labels; ``again`` says that nobody can change the steps."""
    try:
        return _take(data, steps, run)
    except InfeasibleError as error:
        if not again:
            raise
        raise InfeasibleError([Problem("rows-misfit", p.where, p.message, HINT) for p in error.problems]) from error


def _take(data: Dataset, steps: Sequence[Method], run: Run) -> tuple[Dataset, tuple[Method, ...], tuple[str, ...]]:
    fitted, labels = [], []
    for i, step in enumerate(steps):
        label = step.label(data.schema)
        with run.within(label), run.progress(f"step {i + 1} of {len(steps)}: {label}"):
            ready = step.fit(data, run)
            data = followed(data, ready, ready.apply(data, run), run).settled(i + 1)
        fitted.append(ready)
        labels.append(label)
    return data, tuple(fitted), tuple(labels)
