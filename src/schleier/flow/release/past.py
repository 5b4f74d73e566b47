"""A release that was made before: what is needed to make it once more, of its own rows or of others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schleier.core.address import spelled
from schleier.flow.recipe.parents import Override
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Audit, Report
from schleier.flow.release.standing import demand_sealed, demand_whole, documents, fitted_recipe


@dataclass(frozen=True)
class Past:
    """A release that stands: its fitted recipe, its documents, and what other rows cannot have."""

    recipe: Recipe
    audit: Audit
    report: Report
    folder: Path
    source: str | None = None
    """The file its rows came from; none when they were given in Python."""
    left_out: tuple[str, ...] = ()

    @staticmethod
    def of(folder: Path | str, hint: str = "a replay needs the restricted part of a release, too") -> Past:
        """The release in a folder; anything but a whole one that carries its seal is refused."""
        folder = Path(spelled(folder))
        demand_whole(folder, hint)
        report, audit = documents(folder)
        demand_sealed(folder, audit)
        recipe = fitted_recipe(folder)
        overrides = tuple(Override(o.where, o.reason) for o in report.overrides)
        fitting, left_out = _fitting(replace(recipe, overrides=overrides))
        return Past(fitting, audit, report, folder, recipe.data.file, left_out)

    @property
    def key(self) -> bytes:
        """Its run key."""
        return bytes.fromhex(self.audit.run_key)


def _fitting(recipe: Recipe) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe for other rows, and what is left out of it."""
    files = [name for name in ("control", "known", "truth") if getattr(recipe.data, name) is not None]
    told = [f"attacks[{i}] ({a.word()})" for i, a in enumerate(recipe.attacks) if _of_file(a)]
    left_out = [f"data.{name}" for name in files] + told + ["release.table"] * (recipe.release.table is not None)
    fitting = replace(
        recipe,
        data=recipe.data.model_copy(update={"file": None, **dict.fromkeys(files)}),
        attacks=tuple(attack for attack in recipe.attacks if not _of_file(attack)),
        release=recipe.release.model_copy(update={"table": None}),
        steps=tuple(step.again() for step in recipe.steps),
    )
    return fitting, tuple(left_out)


def _of_file(attack: Any) -> bool:
    return getattr(attack, "knowledge", "exact") == "file" or bool(getattr(attack, "releases", ()))
