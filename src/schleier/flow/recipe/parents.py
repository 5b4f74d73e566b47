"""A recipe may extend one parent; it may add and tighten, but not silently weaken."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schleier.core.address import Address
from schleier.core.errors import Problem, Problems, RecipeError
from schleier.core.limits import is_there, small_text
from schleier.core.pieces import piece
from schleier.core.validation import nearest

PROFILES = Path(__file__).parents[2] / "profiles"
PROTECTING = ("identifier", "quasi", "sensitive", "unit")
UNJUDGED = "undecided"
"""The role of a column that has none."""

Table = dict[str, Any]


@dataclass(frozen=True)
class Override:
    """A parent's protection that was weakened on purpose; the reason is published."""

    where: str
    reason: str


@dataclass
class Resolved:
    """A recipe without ``extends``: the family merged, and what was weakened on the way."""

    table: Table
    overrides: list[Override] = field(default_factory=list)
    declared: dict[str, Path] = field(default_factory=dict)
    """The file that describes a column, by its name; not those of a text that came from no file."""
    problems: Problems = field(default_factory=Problems)


def load(text: str, where: str = "recipe") -> Table:
    """TOML text as a table."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(Problem("bad-toml", where, f"the text is not valid TOML: {error}")) from None
    except RecursionError:
        raise RecipeError(Problem("bad-toml", where, "tables or lists are nested too deeply")) from None


def resolve(table: Table, folder: Path, file: Path | None = None) -> Resolved:
    """Merge a recipe, which stands in a file, with its parents, the eldest first."""
    family, problems = [(table, folder)], Problems()
    seen: set[Path] = set()
    files = [file]
    while parent := family[-1][0].get("extends"):
        path = _parent(parent, family[-1][1], problems)
        if path is None:
            break
        if path in seen:
            problems.add("circular-extends", "extends", "the recipe extends itself in a circle", "remove one extends")
            break
        seen.add(path)
        try:
            family.append((load(small_text(path, RecipeError, parent), parent), path.parent))
            files.append(path)
        except (RecipeError, OSError, UnicodeDecodeError) as error:
            problems.add("bad-parent", "extends", f"the parent recipe '{parent}' cannot be read: {error}")
            break
    result = Resolved({}, problems=problems)
    for (child, origin), described in zip(reversed(family), reversed(files), strict=True):
        # What a profile proposes is for `suggest`, not for a recipe.
        demands = {k: v for k, v in child.items() if k != "profile"} if origin == PROFILES.resolve() else child
        result.table = _merged(result.table, _anchored(demands, origin), result)
        if described is not None:
            result.declared |= dict.fromkeys(column_names(child), described)
    result.table.pop("extends", None)
    return result


def column_names(table: Table) -> list[str]:
    """The columns a recipe or schema describes itself, as far as it is written as it should be."""
    schema = table.get("schema")
    columns = schema.get("columns") if isinstance(schema, dict) else None
    entries = columns if isinstance(columns, list) else []
    return [one["name"] for one in entries if isinstance(one, dict) and isinstance(one.get("name"), str)]


def _parent(name: object, folder: Path, problems: Problems) -> Path | None:
    if not isinstance(name, str):
        problems.add("bad-extends", "extends", 'extends must be "profile:NAME" or a file')
        return None
    profile = name.removeprefix("profile:") if name.startswith("profile:") else None
    path = PROFILES / f"{profile}.toml" if profile else folder / name
    if profile is not None and not is_there(path):
        known = sorted(file.stem for file in PROFILES.glob("*.toml"))
        hint = f"{nearest(profile, known)} there are: {', '.join(known)}".strip()
        problems.add("unknown-profile", "extends", f"there is no profile '{profile}'", hint)
        return None
    if not is_there(path):
        problems.add("no-parent", "extends", f"there is no recipe '{name}'", "the path is relative to the recipe")
        return None
    return path.resolve()


def _anchored(table: Table, folder: Path) -> Table:
    """Files named by a recipe are relative to that recipe, also when a child in another folder uses it."""
    result = dict(table)
    data = ("file", "control", "known", "truth", "population", "gazetteer")
    files = (("data", data), ("hierarchies", ("table",)), ("keys", ("file",)), ("release", ("table", "listed_in")))
    for section, keys in files:
        tables = result.get(section)
        if isinstance(tables, dict):
            many = section in ("hierarchies", "keys")
            fixed = {k: _joined(v, keys, folder) for k, v in tables.items()} if many else _joined(tables, keys, folder)
            result[section] = fixed
    every = piece("every_fitting_attack")
    if result.get("attacks") == every["attack"]:  # short for one entry, which a child can replace by its name
        result["attacks"] = [every | {"name": every["attack"]}]
    if _tables(result.get("steps")):
        result["steps"] = [_joined(entry, ("vault",), folder) for entry in result["steps"]]
    if _tables(result.get("attacks")):
        result["attacks"] = [_joined(entry, ("releases",), folder) for entry in result["attacks"]]
    return result


def _joined(table: object, keys: tuple[str, ...], folder: Path) -> Any:
    if not isinstance(table, dict):
        return table
    return {k: _placed(v, folder) if k in keys else v for k, v in table.items()}


def _placed(value: object, folder: Path) -> object:
    """An address, or several of them, from the folder of the recipe."""
    if isinstance(value, list):
        return [_placed(one, folder) for one in value]
    return str(Address.of(value, folder)) if isinstance(value, str) else value


def _merged(parent: Table, child: Table, result: Resolved) -> Table:
    """Tables merge by key and the child wins; arrays of tables are parent then child, same name replaces."""
    merged = dict(parent)
    for key, value in child.items():
        old = merged.get(key)
        if isinstance(old, list) and _tables(old) and _tables(value):
            merged[key] = _listed(key, old, value, result)
        elif isinstance(old, dict) and isinstance(value, dict):
            merged[key] = {**old, **value}
            for inner in old.keys() & value.keys():
                if _tables(old[inner]) and _tables(value[inner]):
                    merged[key][inner] = _listed(f"{key}.{inner}", old[inner], value[inner], result)
        else:
            merged[key] = value
    return merged


def _tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _listed(where: str, parent: list[Table], child: list[Table], result: Resolved) -> list[Table]:
    merged = list(parent)
    place = {entry["name"]: i for i, entry in enumerate(parent) if isinstance(entry.get("name"), str)}
    for given in child:
        entry = dict(given)
        reason = entry.pop("override", None)
        spot = place.get(entry["name"]) if isinstance(entry.get("name"), str) else None
        if spot is None:
            merged.append(entry)
            continue
        if _weakens(where, merged[spot], entry):
            label = f"{where}.{entry['name']}"
            if isinstance(reason, str) and reason.strip():
                result.overrides.append(Override(label, reason))
            else:
                message = "this weakens what the parent recipe demands"
                result.problems.add("weakened", label, message, 'say override = "reason"; the reason is published')
        merged[spot] = entry
    return merged


def _weakens(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    if where == "schema.columns":
        before, after = old.get("role", UNJUDGED), new.get("role", UNJUDGED)
        if before == UNJUDGED:
            return after not in (UNJUDGED, *PROTECTING)
        return before in PROTECTING and after not in (before, "identifier")
    if where != "criteria":
        return False
    after, before = _criterion(new), _criterion(old)
    if after is None:
        return False  # reported by the check of the entry itself
    return before is None or bool(after.weaker_than(before))


def _criterion(entry: Mapping[str, Any]) -> Any:
    """The criterion of an entry; none when it is broken."""
    from schleier.flow.recipe.entries import component

    try:
        return component("criterion", entry, "")
    except RecipeError:
        return None
