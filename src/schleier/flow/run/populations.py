"""Population tables of a recipe: what the criteria need of them, read and brought into the state of the release."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.address import Address
from schleier.core.classes.population import MOST, NAMES, padded, recoded
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
from schleier.flow.run.reader import header, look, read

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import DataSection, Recipe

WHAT = {"population": "persons of the population", "gazetteer": "places with their inhabitants"}


def absent(asking: Criterion | Measure, schema: Schema, data: DataSection, where: str) -> Iterator[Problem]:
    """The tables a criterion or measure looks at and the recipe does not name."""
    for name in NAMES:
        if getattr(data, name) is None and any(name in request.populations for request in asking.needs(schema)):
            message = f"this compares the release with a table of {WHAT[name]}, and the recipe names none"
            yield Problem("no-population", where, message, f'name its file under [data]: {name} = "..."')


def misfits(recipe: Recipe) -> list[Problem]:
    """What is wrong with the named tables, as far as their heads tell; no row is read."""
    found = Problems()
    wanted = _wanted(recipe)
    for name in NAMES:
        if getattr(recipe.data, name) is not None:
            try:
                _described(recipe, name, wanted.get(name, ()))
            except SchleierError as error:
                found.extend(error.problems)
    return found.found


def populations(recipe: Recipe, engine: Engine) -> dict[str, Dataset]:
    """The tables that criteria and measures ask for, as they are before the steps."""
    wanted = _wanted(recipe)
    return {name: _read(recipe, name, columns, engine) for name, columns in wanted.items()}


def populations_after(recipe: Recipe, engine: Engine) -> dict[str, Dataset]:
    """The tables in the state of a release made by the steps of a recipe, which must have learned all they need."""
    found, schema, run = populations(recipe, engine), recipe.schema, Run()
    for i, step in enumerate(recipe.steps):
        after = step.after(schema)
        for name, known in found.items():
            found[name] = recoded(known, _settled(step, known, schema, i), schema, after, run)
        schema = after
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


def _wanted(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """The columns of each table that criteria (also those of searches on the way) and measures look at."""
    found: dict[str, dict[str, None]] = {}
    schema = recipe.schema

    def ask(asking: Criterion | Measure) -> None:
        if not any(asking.problems(schema)):
            for request in asking.needs(schema):
                for name in request.populations:
                    found.setdefault(name, {}).update(dict.fromkeys(request.keys))

    for step in recipe.steps:
        if "criteria" in type(step).model_fields:
            for criterion in getattr(step, "criteria", ()) or recipe.criteria:
                ask(criterion)
        if any(step.problems(schema)):
            return {}  # said elsewhere
        schema = step.after(schema)
    for criterion in recipe.criteria:
        ask(criterion)
    for measure in recipe.measures:
        ask(measure)
    named = {name: tuple(columns) for name, columns in found.items() if getattr(recipe.data, name) is not None}
    return {name: tuple(c for c in columns if c in recipe.schema) for name, columns in named.items()}


def _described(recipe: Recipe, name: str, wanted: tuple[str, ...]) -> Schema:
    """The schema of a table: the columns wanted and those recoded together with them, and the persons of a row."""
    where, file, count = _place(recipe, name)
    found = Problems()
    with _placed(where, file):
        held = header(file)[0]
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
        columns += (Column(name=count, scale="continuous"),)
    schema = recipe.schema.model_copy(update={"columns": columns, "row_key": None, "others": "drop", "layout": None})
    with _placed(where, file):
        look(file, schema)[1].raise_as(DataError)
    return schema


def _beside(recipe: Recipe, wanted: tuple[str, ...]) -> set[str]:
    """Columns that are recoded in one step together with those wanted."""
    uses = [set(step.uses(recipe.schema)) for step in recipe.steps if step.declares("rule")]
    return {name for used in uses if used & set(wanted) for name in used if name in recipe.schema}


def _read(recipe: Recipe, name: str, wanted: tuple[str, ...], engine: Engine) -> Dataset:
    where, file, count = _place(recipe, name)
    schema = _described(recipe, name, wanted)
    with _placed(where, file):
        known = read(file, schema, engine)
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
