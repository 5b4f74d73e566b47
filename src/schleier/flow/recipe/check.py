"""Looks ahead through a whole recipe before any row is read, and hands on what it saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core import registry
from schleier.core.caution import Caution
from schleier.core.component import Component, listed
from schleier.core.errors import DataError, Problem, Problems, RecipeError, SchleierError
from schleier.core.method import Method
from schleier.core.schema import Schema
from schleier.flow.recipe.candidates import few_candidates
from schleier.flow.recipe.judging import CHOICE, IN_DOUBT, decide_line, not_judged
from schleier.flow.recipe.keyring import open_keys, undeclared_keys
from schleier.flow.recipe.stages import Stage, stages
from schleier.flow.recipe.weights import telling_weights
from schleier.flow.run.cautions import not_for_everybody
from schleier.flow.run.files import Files
from schleier.flow.run.populations import absent, describe, wanted
from schleier.flow.run.reader import fit

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import Recipe

DATA = "data"
"""Where problems of the data, not of the recipe, are placed."""


@dataclass(frozen=True)
class Outlook:
    """What is ahead of a run: everything that is wrong, and what the run then need not find out again."""

    problems: tuple[Problem, ...]
    stages: tuple[Stage, ...]
    """The steps with the schemas between them, as far as these can be told before a row is read."""
    released: Schema
    """The schema after the last step."""
    wanted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of each table of a population that are compared."""
    tables: Mapping[str, Schema] = field(default_factory=dict)
    """The schema of each of these tables, once its head was looked at."""
    cautions: tuple[Caution, ...] = ()
    """Reservations that are foreseen, whatever the rows are."""
    candidates: Mapping[str, int] = field(default_factory=dict)
    """About how many values a pseudonym of a column may stand for, where they are few."""


def check(recipe: Recipe, *, header: bool = True, files: Files | None = None) -> Outlook:
    """Look ahead through a recipe; with ``header`` also at the heads of its files, which ``files`` then remember."""
    ahead = recipe.outlook
    if not header:
        return ahead
    if files is None:
        with Files() as looked:
            return check(recipe, files=looked)
    tables, misfits = {}, Problems()
    open_keys(recipe, misfits)
    for name in recipe.data.tables:
        try:
            tables[name] = describe(recipe, name, ahead.wanted.get(name, ()), files)
        except SchleierError as error:
            misfits.extend(error.problems)
    first = _header(recipe, recipe.data.file, files) if recipe.data.file is not None else ()
    return replace(ahead, problems=(*first, *ahead.problems, *misfits.found), tables=tables)


def look_ahead(recipe: Recipe, places: Mapping[str, Sequence[int]] | None = None) -> Outlook:
    """What the recipe itself tells; ``places`` says where its entries stood among broken ones."""
    found, places = Problems(), places or {}
    found.extend(recipe.schema.problems())
    walked = _walk(recipe, places.get("steps") or range(len(recipe.steps)), found)
    schema = walked[-1].after if walked else recipe.schema
    for section in ("criteria", "measures", "attacks"):
        entries = getattr(recipe, section)
        for i, entry in zip(places.get(section) or range(len(entries)), entries, strict=True):
            found.extend(problems := list(_placed(entry, schema, f"{section}[{i}]")))
            if not problems:
                found.extend(absent(entry, schema, recipe.data, f"{section}[{i}]"))
    found.extend(_engine(recipe))
    found.extend(_format(recipe.release.format))
    if not schema.columns:
        if open_ones := recipe.schema.undecided:
            line = decide_line(open_ones, recipe.declared, IN_DOUBT, near=True)
            message = f"nothing is left to release until somebody judges ({CHOICE}): {listed(open_ones)}"
            found.add("nothing-judged", "steps", message, line)
        else:
            found.add("nothing-released", "steps", "the steps drop every column", "keep at least one")
    left = schema.having("identifier")
    if left:
        hint = 'add [[steps]] with method = "drop" and roles = ["identifier"]'
        found.add("identifier-released", "steps", f"direct identifiers would be released: {listed(left)}", hint)
    if recipe.release.access == "public":
        found.extend(not_judged(schema, walked, recipe.schema, recipe.declared))
    cautions = tuple(telling_weights(walked, schema))
    few = few_candidates(walked, schema)
    return Outlook(
        tuple(found.found), walked, schema, wanted(recipe, walked, schema), cautions=cautions, candidates=few
    )


def _walk(recipe: Recipe, places: Sequence[int], found: Problems) -> tuple[Stage, ...]:
    """The stages of a recipe; a step with problems leaves the schema as it is."""
    labels: dict[str, int] = {}
    known = iter(places)
    distributed = _distributed(recipe.engine.name)

    def sound(step: Method, schema: Schema) -> bool:
        i = next(known)
        where = f"steps[{i}]"
        problems = list(_placed(step, schema, where))
        found.extend(problems)
        found.extend(undeclared_keys(step, recipe.keys, where))
        for criterion in getattr(step, "criteria", ()) if not problems else ():
            found.extend(absent(criterion, schema, recipe.data, where))
        if recipe.release.access == "public":
            found.extend(not_for_everybody(step, where))
        if distributed and step.scales == "memory":
            message = f"'{step.word()}' needs all rows in memory"
            found.add("needs-memory", where, message, 'run it with engine "duckdb"')
        label = step.label(schema)
        if label in labels:
            message = f"steps[{labels[label]}] and this step have the same label '{label}'"
            found.add("equal-labels", where, message, "give one of them another name")
        labels.setdefault(label, i)
        return not problems

    return tuple(stages(recipe.schema, recipe.steps, sound))


def _distributed(engine: str) -> bool:
    """Whether rows are on other machines; an engine that does not exist is said elsewhere."""
    return engine in registry.names("engine") and bool(registry.get("engine", engine).distributed)


def _engine(recipe: Recipe) -> Iterable[Problem]:
    try:
        engine = registry.get("engine", recipe.engine.name, "engine.name")
    except RecipeError as error:
        return error.problems
    return list(engine.problems(recipe.schema))


def _format(name: str) -> Iterable[Problem]:
    """A release can be written only in a format that writes; where none is named, the input decides."""
    if not name or (name in registry.names("format") and registry.get("format", name).writes):
        return
    forms = [word for word, form in registry.every("format").items() if form.writes]
    message = f"a release cannot be written as '{name}'"
    yield Problem("unknown-format", "release.format", message, f"there are: {', '.join(forms)}")


def _placed(entry: Component, schema: Schema, where: str) -> Iterable[Problem]:
    for problem in entry.problems(schema):
        place = f"{where}.{problem.where}" if problem.where else where
        yield Problem(problem.code, place, problem.message, problem.hint)


def _header(recipe: Recipe, file: str, files: Files) -> Iterable[Problem]:
    try:
        return fit(files.head(file, recipe.schema.layout), recipe.schema).found
    except SchleierError as error:
        return [Problem(p.code, f"{DATA}.file", f"{Path(file).name}: {p.message}", p.hint) for p in error.problems]


def refuse(problems: Sequence[Problem]) -> None:
    """Raise what was found: a DataError when only the data are wrong, else a RecipeError."""
    if problems:
        of_data = all(problem.where.startswith(DATA) for problem in problems)
        raise (DataError if of_data else RecipeError)(list(problems))
