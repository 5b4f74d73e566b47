"""Opens a release for experiments: its original, what was released row by row, and what an attacker holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schleier.core import registry
from schleier.core.address import Address
from schleier.core.component import Component
from schleier.core.engine import Engine, Resources
from schleier.core.errors import DataError, Problem, Problems, RecipeError, SchleierError, stop
from schleier.core.limits import is_there
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.flow.recipe.check import check, refuse
from schleier.flow.recipe.entries import validated
from schleier.flow.recipe.keyring import keyring
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.edge import canonical
from schleier.flow.release.past import Past
from schleier.flow.release.release import MANIFEST
from schleier.flow.run.files import Files
from schleier.flow.run.knowledge import knowledge
from schleier.flow.run.populations import populations
from schleier.flow.run.reader import read, read_header
from schleier.flow.run.remake import relink
from schleier.flow.run.steps import take

HINT = "an experiment needs the restricted part of a release, too, or its recipe"


@dataclass(frozen=True)
class Seen:
    """What is known of a release before a row is read."""

    before: Schema
    after: Schema
    digest: str
    """Of everything that decides what it is: its recipe or manifest, and its files."""


def look(recipe: str, folder: str, original: str, change: Mapping[str, Mapping[str, Any]]) -> Seen:
    """Look at a release that is to be made from a recipe, or at one that stands, and refuse what cannot be opened."""
    if folder:
        past = Past.of(folder, HINT)
        rows = original or past.source or ""
        if not rows or not is_there(Address.of(rows).path):
            hint = 'say where they are: original = "..."'
            stop(DataError, "no-original", folder, "the rows the release was made from are not there", hint)
        parts = [(Path(folder) / MANIFEST).read_text(encoding="utf-8"), _digest(rows)]
        return Seen(past.recipe.schema, past.recipe.after(), _of(parts))
    made = _recipe(recipe, original, change)
    refuse(check(made).problems)
    files = {name: _digest(file) for name, file in made.data.files.items() if name not in ("known", "truth")}
    return Seen(made.schema, made.after(), _of([made.to_toml(), json.dumps(files, sort_keys=True)]))


def look_at_file(path: str) -> tuple[tuple[str, ...], str]:
    """The columns of a file, and its digest; a table of who is who is one of them."""
    return tuple(read_header(path)[0]), _digest(path)


@contextmanager
def opened(
    recipe: str,
    folder: str,
    original: str,
    change: Mapping[str, Mapping[str, Any]],
    *,
    known: str = "",
    truth: str = "",
    key: bytes,
) -> Iterator[Case]:
    """A release with its original, row by row, in an engine of one thread: other processes do other experiments."""
    past = Past.of(folder, HINT) if folder else None
    made = past.recipe if past else _recipe(recipe, original, change)
    held = {"known": known or None, "truth": truth or None}
    made = replace(made, data=made.data.model_copy(update=held))
    resources = Resources(None, made.engine.memory_limit, threads=1)
    with closing(registry.get("engine", "duckdb")(resources)) as engine, Files(engine.work) as files:
        if past:
            again = relink(past, original or past.source or "", engine)
            case = Case(again.original, again.released, steps=made.steps)
        else:
            case = _taken(made, engine, files, key)
        people, who = knowledge(made, engine, files)
        yield replace(case, known=people, truth=who)


def _taken(recipe: Recipe, engine: Engine, files: Files, key: bytes) -> Case:
    """The recipe up to its last step: an experiment is not a release, and its criteria are not judged."""
    run = Run(key, recipe.criteria, keys=keyring(recipe))
    people = populations(recipe, engine, files, check(recipe, files=files).tables)
    original = replace(read(recipe.data.file or "", recipe.schema, engine, files), populations=people)
    if original.rows == 0:
        stop(DataError, "no-rows", "data", "the file has no rows")
    data, steps, _ = take(original, recipe.steps, run)
    control = read(recipe.data.control, recipe.schema, engine, files) if recipe.data.control else None
    return Case(original, canonical(data).kept(), control, steps)


def _recipe(path: str, original: str, change: Mapping[str, Mapping[str, Any]]) -> Recipe:
    """A recipe with other rows and other parameters."""
    recipe, problems = Recipe.from_file(path), Problems()
    parts: dict[str, tuple[Any, ...]] = {"steps": recipe.steps, "criteria": recipe.criteria}
    for name, parameters in change.items():
        hits = [(part, i) for part, entries in parts.items() for i, one in enumerate(entries) if _is(one, name)]
        if len(hits) != 1:
            message = f"{len(hits)} steps and criteria of the recipe are called '{name}'"
            problems.add("no-such-step", f"change.{name}", message, "use the name of one entry, or give it a name")
            continue
        part, i = hits[0]
        old = parts[part][i]
        try:
            new = validated(type(old), {**old.parameters(), **parameters}, f"change.{name}")
        except SchleierError as error:
            problems.extend(error.problems)
            continue
        parts[part] = (*parts[part][:i], new, *parts[part][i + 1 :])
    problems.raise_as(RecipeError)
    data = recipe.data.model_copy(update={"file": original}) if original else recipe.data
    if data.file is None:
        raise RecipeError(Problem("no-data", "data.file", "the recipe names no file and no rows were given"))
    return replace(recipe, data=data, steps=parts["steps"], criteria=parts["criteria"], attacks=(), measures=())


def _is(entry: Component, name: str) -> bool:
    return name in (entry.name, entry.word())


def _digest(address: str) -> str:
    """Of the bytes of a file; of a database its address, for its rows are told by nothing else."""
    where = Address.of(address)
    if where.variable or not where.path.is_file():
        return _of([address])
    with where.path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() + where.part


def _of(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
