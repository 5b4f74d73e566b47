"""Population tables of a recipe: what the criteria need of them, read and brought into the state of the release."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.address import Address
from schleier.core.classes.population import MOST, NAMES, padded, recode_population
from schleier.core.component import listed
from schleier.core.criterion import Criterion
from schleier.core.data import Dataset, tally
from schleier.core.engine import Engine
from schleier.core.errors import DataError, Problem, Problems, RecipeError, SchleierError, stop
from schleier.core.hierarchy import Hierarchy
from schleier.core.measure import Measure
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.flow.run.files import Files
from schleier.flow.run.reader import fit, read

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import DataSection, Recipe
    from schleier.flow.recipe.stages import Stage

WHAT = {"population": "persons of the population", "gazetteer": "places with their inhabitants"}


def absent(asking: Criterion | Measure, schema: Schema, data: DataSection, where: str) -> Iterator[Problem]:
    """The tables a criterion or measure looks at and the recipe does not name."""
    for name in NAMES:
        if getattr(data, name) is None and any(name in request.populations for request in asking.needs(schema)):
            message = f"this compares the release with a table of {WHAT[name]}, and the recipe names none"
            yield Problem("no-population", where, message, f'name its file under [data]: {name} = "..."')


def populations(
    recipe: Recipe, engine: Engine, files: Files | None = None, described: Mapping[str, Schema] | None = None
) -> dict[str, Dataset]:
    """The tables that criteria and measures ask for, as they are before the steps.

    ``described`` are their schemas where the files were looked at before.
    """
    with nullcontext(files) if files else Files(engine.work) as looked:
        schemas = described or {
            name: describe(recipe, name, columns, looked) for name, columns in recipe.outlook.wanted.items()
        }
        return {name: _read(recipe, name, schemas[name], engine, looked) for name in recipe.outlook.wanted}


def populations_after(recipe: Recipe, engine: Engine) -> dict[str, Dataset]:
    """The tables in the state of a release made by the steps of a recipe, which must have learned all they need."""
    found, run = populations(recipe, engine), Run()
    for i, stage in enumerate(recipe.outlook.stages):
        for name, known in found.items():
            settled = _settled(stage.step, known, stage.before, i)
            found[name] = recode_population(known, settled, stage.before, stage.after, run)
    return found


def _settled(step: Method, known: Dataset, schema: Schema, place: int) -> Method:
    """The fitted step: what it would learn must not depend on rows, of which there are none here."""
    if not (step.declares("rule") and set(step.uses(schema)) & set(known.schema.names)):
        return step
    try:
        wide = padded(known, step, schema)
        fitted = step.fit(replace(wide, frame=wide.frame.head(0)), Run())
        settled = all(_declared(value, schema) for value in _changes(step, fitted))
    except SchleierError:
        settled = False
    if not settled:
        message = "this step learns from the data, and the population table must be recoded as they were"
        hint = "verify with the fitted recipe of the release: restricted/transformation.toml"
        stop(RecipeError, "not-fitted", f"steps[{place}] ({step.word()})", message, hint)
    return fitted


def _changes(step: Method, fitted: Method) -> list[Any]:
    names = type(step).model_fields
    return [getattr(fitted, name) for name in names if getattr(fitted, name) != getattr(step, name)]


def _declared(value: Any, schema: Schema) -> bool:
    """Whether a learned value is only a hierarchy as the schema declares it."""
    return isinstance(value, Hierarchy) and not value.learns and value in schema.hierarchies.values()


def wanted(recipe: Recipe, stages: Sequence[Stage], released: Schema) -> dict[str, tuple[str, ...]]:
    """The columns of each table that criteria (also those of searches on the way) and measures look at."""
    found: dict[str, dict[str, None]] = {}
    if not all(stage.sound for stage in stages):
        return {}  # nobody knows what comes after a step that does not fit

    def ask(asking: Criterion | Measure, schema: Schema) -> None:
        if not any(asking.problems(schema)):
            for request in asking.needs(schema):
                for name in request.populations:
                    found.setdefault(name, {}).update(dict.fromkeys(request.keys))

    for stage in stages:
        if "criteria" in type(stage.step).model_fields:
            for criterion in getattr(stage.step, "criteria", ()) or recipe.criteria:
                ask(criterion, stage.before)
    everyone: tuple[Criterion | Measure, ...] = (*recipe.criteria, *recipe.measures)
    for asking in everyone:
        ask(asking, released)
    named = {name: tuple(columns) for name, columns in found.items() if name in recipe.data.tables}
    return {name: tuple(c for c in columns if c in recipe.schema) for name, columns in named.items()}


def describe(recipe: Recipe, name: str, wanted: tuple[str, ...], files: Files) -> Schema:
    """The schema of a table: the columns wanted and those recoded together with them, and the persons of a row."""
    where, file, count = _place(recipe, name)
    found = Problems()
    with _placed(where, file):
        held = files.head(file).kinds
    lacking = [column for column in wanted if column not in held]
    if lacking:
        message = f"the table has no column {listed(lacking)}, which a criterion compares"
        found.add("population-column", where, message, "add it, under the name it has in the data before the steps")
    if count is not None and count not in held:
        found.add("population-column", f"{where}_count", f"the table has no column '{count}'", "correct the name")
    beside = _beside(recipe, wanted) & set(held)
    if count in {*wanted, *beside}:
        message = f"column '{count}' is compared with the data and cannot count persons"
        found.add("count-is-key", f"{where}_count", message, "name another column")
    found.raise_as(DataError)
    columns = tuple(c.model_copy(update={"role": "quasi"}) for c in recipe.schema if c.name in {*wanted, *beside})
    if count is not None:
        columns += (Column(name=count, role="plain", scale="continuous"),)
    schema = recipe.schema.model_copy(update={"columns": columns, "row_key": None, "others": "drop", "layout": None})
    with _placed(where, file):
        fit(files.head(file), schema).raise_as(DataError)
    return schema


def _beside(recipe: Recipe, wanted: tuple[str, ...]) -> set[str]:
    """Columns that are recoded in one step together with those wanted."""
    uses = [set(step.uses(recipe.schema)) for step in recipe.steps if step.declares("rule")]
    return {name for used in uses if used & set(wanted) for name in used if name in recipe.schema}


def _read(recipe: Recipe, name: str, schema: Schema, engine: Engine, files: Files) -> Dataset:
    where, file, count = _place(recipe, name)
    with _placed(where, file):
        known = read(file, schema, engine, files)
    if not known.rows:
        stop(DataError, "no-rows", where, "the table has no rows")
    if count is None:
        return known
    _refuse_uncountable(known, count, where)
    return known.described(known.schema.changed(count, role="weight"))


def _refuse_uncountable(known: Dataset, count: str, where: str) -> None:
    """Stop when the persons a row stands for are missing, negative, without end, or nobody at all."""
    import narwhals as nw

    value, found = nw.col(count), Problems()
    seen: Mapping[str, Any] = known.totals(gaps=tally(value.is_null()), below=tally(value < 0), all=value.sum())
    if seen["gaps"]:
        message = f"{seen['gaps']} rows do not say in column '{count}' how many persons they stand for"
        found.add("bad-count", where, message, "write 0 for nobody, or leave the rows out")
    if seen["below"]:
        message = f"{seen['below']} rows of column '{count}' stand for fewer than no persons"
        found.add("bad-count", where, message, "correct the file")
    total = float(seen["all"] or 0)
    if not math.isfinite(total) or total > MOST:
        found.add("bad-count", where, f"column '{count}' counts more persons than there can be", "correct the file")
    if not found.found and not total > 0:
        found.add("no-rows", where, f"by its column '{count}' the table holds no person", "is it the right column?")
    found.raise_as(DataError)


@contextmanager
def _placed(where: str, file: str) -> Iterator[None]:
    """What is wrong with a file is said where the recipe names it."""
    try:
        yield
    except SchleierError as error:
        name = Address.of(file).path.name
        problems = [Problem(p.code, where, f"{name}: {p.message}", p.hint) for p in error.problems]
    else:
        return
    raise DataError(problems)


def _place(recipe: Recipe, name: str) -> tuple[str, str, str | None]:
    return f"data.{name}", str(getattr(recipe.data, name)), getattr(recipe.data, f"{name}_count")
