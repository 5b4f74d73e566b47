"""Reads a grid and looks at everything it names: all that is wrong is said at once, before anything runs."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from schleier.core import registry
from schleier.core.address import Address, spelled
from schleier.core.component import listed
from schleier.core.errors import Problem, Problems, RecipeError, SchleierError, stop
from schleier.core.limits import is_there, small_text
from schleier.core.record import unexplained
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.validation import explain_validation
from schleier.lab.grid.declared import Called, Declaration, KnowledgeEntry, ReleaseEntry
from schleier.lab.mistakes import Mistakes, preset

MOST_COMBINATIONS = 100_000
"""What axes may multiply to; a technique that asks for no threshold makes fewer experiments of it."""


class Seen(Protocol):
    """What is known of a release before a row is read."""

    @property
    def before(self) -> Schema:
        """The columns of the original."""

    @property
    def after(self) -> Schema:
        """Those of the release."""

    @property
    def digest(self) -> str:
        """Of everything that decides what it is."""


class Looks(Protocol):
    """Looks at a release before a row is read; who makes releases brings it."""

    def __call__(self, recipe: str, folder: str, original: str, change: Mapping[str, Mapping[str, Any]], /) -> Seen:
        """Refuse what cannot be opened."""


class LooksAtFile(Protocol):
    """Looks at a file."""

    def __call__(self, path: str, /) -> tuple[tuple[str, ...], str]:
        """Its columns, and its digest."""


@dataclass(frozen=True)
class Known:
    """A kind of knowledge: its entry, the mistakes in it, and what its file is."""

    entry: KnowledgeEntry
    mistakes: Mistakes | None = field(repr=False)
    columns: tuple[str, ...] = ()
    """Those of the file."""
    digest: str = ""
    truth: tuple[str, ...] = ()
    """The columns of the table of who is who."""


@dataclass(frozen=True)
class Grid:
    """A grid that can run: every file was there, every entry understood."""

    declared: Declaration
    releases: Mapping[str, tuple[ReleaseEntry, Seen]]
    techniques: Mapping[str, Technique]
    knowledge: Mapping[str, Known]


def read_grid(path: Path | str, look: Looks, look_at_file: LooksAtFile) -> Grid:
    """The grid in a file."""
    path = Path(spelled(path))
    try:
        table = tomllib.loads(small_text(path, RecipeError, str(path)))
    except (FileNotFoundError, NotADirectoryError):
        hint = "write one as on the page docs/guide/lab-grid.md"
        stop(RecipeError, "no-grid", str(path), "there is no such grid", hint)
    except tomllib.TOMLDecodeError as error:
        stop(RecipeError, "bad-toml", path.name, f"the text is not valid TOML: {error}")
    except RecursionError:
        stop(RecipeError, "bad-toml", path.name, "tables or lists are nested too deeply")
    except (OSError, ValueError):
        stop(RecipeError, "unreadable", str(path), "the grid cannot be read as UTF-8 text")
    problems = Problems()
    techniques = _techniques(table.get("techniques"), problems)
    declared = _valid(Declaration, table, "", problems)
    if declared is None:
        problems.raise_as(RecipeError)
        raise AssertionError
    _refuse_huge(declared)
    problems.extend(_twice(declared, techniques))
    releases = dict(_releases(declared, path.parent, look, problems))
    knowledge = dict(_knowledge(declared, path.parent, look_at_file, problems))
    problems.extend(_unlinked(declared, releases, knowledge))
    if problems.found:  # no experiment will be looked at, so keys that are nowhere are said here
        problems.extend(_lacking(declared, releases, knowledge))
    problems.raise_as(RecipeError)
    return Grid(declared, releases, techniques, knowledge)


def _valid(model: type[Any], values: Mapping[str, Any], where: str, problems: Problems) -> Any:
    try:
        return unexplained(model, values)
    except ValidationError as error:
        found = explain_validation(error, model, where or "grid")
        # Where something stands is told from the beginning of the grid.
        problems.extend(Problem(p.code, p.where.removeprefix("grid.") or "grid", p.message, p.hint) for p in found)
    return None


def _techniques(entries: object, problems: Problems) -> dict[str, Technique]:
    """The techniques by name; whatever is no list of tables the declaration refuses."""
    found: dict[str, Technique] = {}
    entries = entries if isinstance(entries, list) else []
    for i, entry in enumerate(one for one in entries if isinstance(one, dict)):
        where, word = f"techniques[{i}]", entry.get("attack")
        if not isinstance(word, str):
            known = ", ".join(registry.names("attack"))
            problems.add("no-technique", where, 'the entry does not say attack = "..."', f"there are: {known}")
            continue
        try:
            kind = registry.get("attack", word, where)
        except RecipeError as error:
            problems.extend(error.problems)
            continue
        made = _valid(kind, {name: value for name, value in entry.items() if name != "attack"}, where, problems)
        if made is None:
            continue
        if not _alone(made):
            message = f"'{word}' looks for no persons in one release, and cannot be tried in a grid"
            problems.add("not-in-grid", where, message, "name an attack that has targets")
            continue
        label = made.name or word
        _valid(Called, {"name": label}, where, problems)
        if label in found:
            message = f"there are two techniques '{label}'"
            problems.add("same-name", where, message, "give one of them another name")
        found[label] = made
    return found


def _alone(made: Any) -> bool:
    """Whether it is one technique that looks for persons in one release."""
    single = isinstance(made, Technique) and type(made).parts is Technique.parts
    return single and not made.files() and "targets" in type(made).model_fields


def _refuse_huge(grid: Declaration) -> None:
    """Before anything is put together: axes multiply."""
    axes = (grid.releases, grid.techniques, grid.thresholds, grid.keys, grid.knowledge, grid.method)
    many = math.prod(max(len(axis), 1) for axis in axes)
    if many > MOST_COMBINATIONS:
        message = f"the axes of the grid multiply to {many} experiments, more than {MOST_COMBINATIONS}"
        stop(RecipeError, "too-many-cells", "grid", message, "leave entries out, or write several grids")


def _twice(grid: Declaration, techniques: Mapping[str, Technique]) -> Iterator[Problem]:
    """Entries that cannot be told apart, and parameters that an axis sets."""
    axes: dict[str, list[Any]] = {
        "releases": [one.name for one in grid.releases],
        "knowledge": [one.name for one in grid.knowledge],
        "thresholds": list(grid.thresholds),
        "method": list(grid.method),
        "keys": [tuple(sorted(one)) for one in grid.keys.values()],
    }
    for axis, names in axes.items():
        if any(times > 1 for times in Counter(names).values()):
            message = "two entries are the same, so that their experiments could not be told apart"
            yield Problem("same-name", axis, message, "take one out, or give it another name")
    for name, technique in techniques.items():
        for parameter, axis in (("known", "keys"), ("knowledge", "knowledge")):
            if parameter in technique.model_fields_set and (axis == "knowledge" or grid.keys):
                message = f"the grid says this for all techniques, under {axis}"
                yield Problem("set-by-grid", f"techniques.{name}.{parameter}", message, "leave it out here")


def _releases(
    grid: Declaration, folder: Path, look: Looks, problems: Problems
) -> Iterator[tuple[str, tuple[ReleaseEntry, Seen]]]:
    for i, entry in enumerate(grid.releases):
        placed = entry.model_copy(
            update={
                "recipe": str(folder / entry.recipe) if entry.recipe else "",
                "folder": str(folder / entry.folder) if entry.folder else "",
                "original": str(Address.of(entry.original, folder)) if entry.original else "",
            }
        )
        try:
            yield entry.name, (placed, look(placed.recipe, placed.folder, placed.original, placed.change))
        except SchleierError as error:
            where = f"releases[{i}] ({entry.name})"
            problems.extend(Problem(p.code, f"{where}: {p.where}", p.message, p.hint) for p in error.problems)


def _knowledge(
    grid: Declaration, folder: Path, look_at_file: LooksAtFile, problems: Problems
) -> Iterator[tuple[str, Known]]:
    for i, entry in enumerate(grid.knowledge):
        where = f"knowledge[{i}] ({entry.name})"
        try:
            mistakes = preset(entry.preset, entry.columns, entry.seconds) if entry.preset else entry.mistakes
            columns: tuple[str, ...] = ()
            truth: tuple[str, ...] = ()
            digests = []
            placed = {name: str(folder / file) for name in ("known", "truth") if (file := getattr(entry, name))}
            if lost := [name for name, file in placed.items() if not is_there(Path(file))]:
                for name in lost:
                    problems.add(
                        "no-such-file", f"{where}.{name}", "there is no such file", "check its name and folder"
                    )
                continue
            if placed:
                (columns, first), (truth, second) = look_at_file(placed["known"]), look_at_file(placed["truth"])
                digests = [first, second]
            yield entry.name, Known(entry.model_copy(update=placed), mistakes, columns, "".join(digests), truth)
        except SchleierError as error:
            problems.extend(Problem(p.code, f"{where}: {p.where}", p.message, p.hint) for p in error.problems)


def _unlinked(
    grid: Declaration, releases: Mapping[str, tuple[ReleaseEntry, Seen]], knowledge: Mapping[str, Known]
) -> Iterator[Problem]:
    """Tables of who is who that do not name the row keys of both files."""
    keys = sorted({seen.before.row_key for _, seen in releases.values() if seen.before.row_key is not None})
    for i, entry in enumerate(grid.knowledge):
        known = knowledge.get(entry.name)
        if known is None or not entry.truth or not keys:
            continue
        others = [one for one in known.truth if one not in keys]
        if len(known.truth) != 2 or len(others) != 1 or others[0] not in known.columns:
            message = f"the table of who is who has {listed(known.truth)}, not the row keys of both files"
            hint = (
                f"call one column {listed(keys)}, and the other one as the column of known that tells its entries apart"
            )
            yield Problem("bad-truth", f"knowledge[{i}] ({entry.name}).truth", message, hint)


def _lacking(
    grid: Declaration, releases: Mapping[str, tuple[ReleaseEntry, Seen]], knowledge: Mapping[str, Known]
) -> list[Problem]:
    """Sets of keys with columns that a release, or what an attacker holds, does not have; each is said once."""
    hint = "name columns that both files have, or rename them first"
    found = dict[Problem, None]()
    for name, keys in grid.keys.items():
        for _, seen in releases.values():
            for known in knowledge.values():
                if strange := list(nowhere(f"keys.{name}", keys, known, seen)):
                    found |= dict.fromkeys(strange)
                elif lacking := missing_columns(keys, known, seen.before):
                    message = f"not both files have the column {lacking}"
                    found[Problem("not-in-both", f"keys.{name}", message, hint)] = None
    return list(found)


def nowhere(where: str, keys: tuple[str, ...], known: Known, seen: Seen) -> Iterator[Problem]:
    """Columns to look by that neither a release nor what an attacker holds has: they are misspelt."""
    for one in keys:
        if one not in seen.before and one not in seen.after and one not in known.columns:
            yield seen.before.unknown(one, where)


def missing_columns(keys: tuple[str, ...], known: Known, schema: Schema) -> str:
    """What is wrong with some keys for what an attacker holds; empty when nothing is."""
    held = known.columns if known.entry.known else schema.names
    lacking = [name for name in keys if name not in held]
    return listed(lacking) if lacking else ""


def plain_values(record: BaseModel) -> dict[str, Any]:
    """A record as plain values, for a digest."""
    return record.model_dump(mode="json")
