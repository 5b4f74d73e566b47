"""Further releases of the same rows: files the steward has, or runs of the same steps with other keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field

from schleier.core.errors import DataError, Problem
from schleier.core.run import Run
from schleier.core.trust.view import called
from schleier.core.value_attack import ValueAttack

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.measure import Case


class RepeatedAttack(ValueAttack):
    """An attack that compares several releases of the same rows."""

    repeat: int = Field(default=4, ge=1, le=100)
    """How many further releases are made from the same steps with other keys: what would happen if it were repeated.
    None where the release holds several columns of it (``held_in``): then these are compared."""
    releases: tuple[str, ...] = ()
    """Files of further releases with the row key, relative to the recipe; then nothing is simulated."""

    def files(self) -> Mapping[str, str]:
        """The files, for the column to be learned."""
        return dict.fromkeys(self.releases, self.sensitive)

    def others(self, case: Case, run: Run) -> Sequence[Dataset]:
        """The files, or simulated releases."""
        shown = self.held_in[0] if self.held_in else None
        if not self.releases and len(self.held_in) > 1:  # the release itself repeats it
            return tuple(called(case.released, name, self.sensitive) for name in self.held_in[1:])
        if not self.releases:
            return tuple(repeated(case, self.repeat, run, self.sensitive, shown))
        absent = [name for name in self.releases if name not in case.further]
        if absent:
            hint = "name them in a recipe, or hand them over as Case(further={...})"
            message = f"{len(absent)} of {len(self.releases)} further releases are not at hand"
            raise DataError(Problem("no-further-release", "releases", message, hint))
        return tuple(called(case.further[name], shown, self.sensitive) for name in self.releases)


def repeated(case: Case, times: int, run: Run, column: str, shown: str | None = None) -> list[Dataset]:
    """So many further runs of the fitted steps, each with a key of its own; the column may be ``shown`` as another."""
    found = []
    for turn in range(times):
        fresh, data = Run(key=run.subkey(f"repeat {turn}")), case.original
        for step in case.steps:
            with fresh.within(step.label(data.schema)):
                data = step.apply(data, fresh)
        data = called(data, shown, column)
        found.append(replace(data, frame=data.engine.keep(data.frame.select(data.schema.key, column))))
    return found
