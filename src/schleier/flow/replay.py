"""Does with other rows what a release did with its own: the fitted steps, the criteria judged again, fresh draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schleier.core.address import spelled
from schleier.core.atomic import whole_file
from schleier.core.run import Listener, Note, silence
from schleier.flow.query import Dialect, Query, query
from schleier.flow.recipe.parents import Override
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Audit
from schleier.flow.release.release import Release
from schleier.flow.release.standing import demand_whole, documents, fitted_recipe
from schleier.flow.run.runner import REPLAY, run


@dataclass(frozen=True)
class Past:
    """A release that stands: its fitted recipe, its audit, and what other rows cannot have."""

    recipe: Recipe
    audit: Audit
    left_out: tuple[str, ...] = ()

    @staticmethod
    def of(folder: Path | str) -> Past:
        """The release in a folder; anything but a whole one is refused."""
        folder = Path(spelled(folder))
        demand_whole(folder, "a replay needs the restricted part of a release, too")
        report, audit = documents(folder)
        recipe = fitted_recipe(folder)
        overrides = tuple(Override(o.where, o.reason) for o in report.overrides)
        return Past(*_fitting(replace(recipe, overrides=overrides), audit))


def replay(
    release: Path | str,
    source: Any,
    *,
    out: Path | str | None = None,
    force: bool = False,
    engine: str | None = None,
    listener: Listener = silence,
) -> Release:
    """Anonymise other rows (a file, an address or a frame) with the fitted steps of a release.

    The rows of the release itself give the same release once more. For others everything random is drawn anew, with a
    key that follows from the run key and from all of these rows: otherwise what is the same in both releases (noise,
    numbers of units, order) would tell which records belong together, and cancel out.

    The criteria are judged and the measures taken on the new rows. What was about the old rows only is left
    out, which the audit notes: files of control and of known persons, attacks with them or with further releases,
    the table of a database.
    """
    past = Past.of(release)
    return run(
        past.recipe,
        source,
        out=out,
        key=bytes.fromhex(past.audit.run_key),
        force=force,
        engine=engine,
        listener=listener,
        notes=[Note("restricted", REPLAY, {"left_out": what}) for what in past.left_out],
        key_of=past.audit.source_fingerprint,
    )


def sql(release: Path | str, dialect: Dialect = "duckdb", *, table: str = "input", partial: bool = False) -> Query:
    """The fitted steps of a release as one query over a table with the columns of the original."""
    past = Past.of(release)
    return query(past.recipe.schema, past.recipe.steps, past.audit.types, dialect=dialect, table=table, partial=partial)


def write_query(query: Query, path: Path) -> None:
    """Write a query to a file that only its owner can read, as a whole or not at all."""
    with whole_file(path, private=True) as place:
        place.write_text(query.text, encoding="utf-8")


def _fitting(recipe: Recipe, audit: Audit) -> tuple[Recipe, Audit, tuple[str, ...]]:
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
    return fitting, audit, tuple(left_out)


def _of_file(attack: Any) -> bool:
    return getattr(attack, "knowledge", "exact") == "file" or bool(getattr(attack, "releases", ()))
