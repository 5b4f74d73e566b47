"""Techniques as a user names them: a word with parameters, entries of a file, or components made in Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_origin

from schleier.core import registry
from schleier.core.address import spelled
from schleier.core.attack import Attack
from schleier.core.component import listed
from schleier.core.errors import Problem, Problems, RecipeError, stop
from schleier.core.limits import small_text
from schleier.core.measure import Case, Measure
from schleier.core.pieces import piece
from schleier.core.schema import Schema
from schleier.core.unit_attack import UnitAttack
from schleier.flow.recipe.parents import load
from schleier.flow.recipe.parts import components_of

WHERE, FILE = "techniques", "known"
SECTION = "attacks"
FORM = re.compile(r"(?P<word>[^:=,]+)(?::(?P<rest>.*))?", re.DOTALL)


def technique(text: str, where: str = WHERE) -> dict[str, Any]:
    """An entry from a short text: ``NAME:PARAMETER=VALUE,PARAMETER=VALUE``, with ``+`` between the items of a list.

    >>> technique("distance_match:metric=hamming,within=2,known=age+sex")
    {'attack': 'distance_match', 'metric': 'hamming', 'within': 2, 'known': ['age', 'sex']}
    """
    found = FORM.fullmatch(text.strip())
    if found is None:
        stop(RecipeError, "bad-technique", where, "this is no technique", "write NAME, or NAME:PARAMETER=VALUE,...")
    entry: dict[str, Any] = {"attack": found["word"].strip()}
    lists = _lists(entry["attack"])
    for part in filter(None, (found["rest"] or "").split(",")):
        name, mark, value = (one.strip() for one in part.partition("="))
        if not mark or not name:
            message = "a parameter has no value"
            stop(RecipeError, "bad-technique", where, message, "write NAME:PARAMETER=VALUE,...")
        items = [_value(one) for one in value.split("+")] if name in lists or "+" in value else None
        entry[name] = _value(value) if items is None else items
    return entry


def _lists(word: str) -> set[str]:
    """Parameters of an attack that are lists; a word nobody knows is said later."""
    if word not in registry.names("attack"):
        return set()
    fields = registry.get("attack", word).model_fields
    return {name for name, field in fields.items() if (get_origin(field.annotation) or field.annotation) is tuple}


def _value(text: str) -> Any:
    """A number, a switch, or the text itself."""
    try:
        found = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
    return found if isinstance(found, int | float | bool | str) else text.strip()


def techniques_from_file(path: Path | str) -> list[Mapping[str, Any]]:
    """The entries ``[[attacks]]`` of a TOML file, or all that fit; a recipe has them, too."""
    path = Path(spelled(path))
    try:
        text = small_text(path, RecipeError, str(path))
    except FileNotFoundError:
        stop(RecipeError, "no-recipe", str(path), "there is no such file")
    except (OSError, ValueError):
        stop(RecipeError, "unreadable", str(path), "the file cannot be read as UTF-8 text")
    found, every = load(text, path.name).get(SECTION), piece("every_fitting_attack")
    if found == every["attack"]:  # a recipe may say so in a word
        return [every]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found) or not found:
        hint = f'write each as [[{SECTION}]] with attack = "..."'
        stop(RecipeError, "bad-section", str(path), "the file names no techniques", hint)
    return found


def techniques_of(given: Any) -> tuple[Measure, ...]:
    """Components from what was given: themselves, entries, short texts, or one of these alone."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    problems, entries = Problems(), list[Any]()
    for i, one in enumerate(several):
        try:
            entries.append(technique(one, f"{WHERE}[{i}]") if isinstance(one, str) else one)
        except RecipeError as error:
            problems.extend(error.problems)
    wrong = Problems()
    found = components_of("attack", WHERE, entries, wrong)
    problems.extend(_with_word(one, entries) for one in wrong.found)
    problems.raise_as(RecipeError)
    return found


def _with_word(problem: Problem, entries: Sequence[Any]) -> Problem:
    """A problem of a technique at its place, with its word: on a command line nobody counts them."""
    place = re.fullmatch(rf"({WHERE}\[(\d+)\])(\..+)", problem.where)
    entry = entries[int(place[2])] if place else None
    word = entry.get("attack") if isinstance(entry, Mapping) else None
    if place is None or word not in registry.names("attack"):
        return problem
    return replace(problem, where=f"{place[1]} ({word}){place[3]}")


def misfits(techniques: Sequence[Measure], released: Schema) -> Iterator[Problem]:
    """What is wrong with techniques for such a release, each at its place."""
    for i, one in enumerate(techniques):
        for problem in one.problems(released):
            place = f"{WHERE}[{i}] ({one.word()})"
            where = f"{place}.{problem.where}" if problem.where else place
            yield Problem(problem.code, where, problem.message, problem.hint)


def looking_by(techniques: Sequence[Measure], by: Sequence[str]) -> tuple[Measure, ...]:
    """Techniques that look for persons by some columns, unless they name their own."""
    fits = [bool(by) and "known" in type(one).model_fields and not getattr(one, "known", ()) for one in techniques]
    return tuple(
        one.model_copy(update={"known": tuple(by)}) if fit else one for one, fit in zip(techniques, fits, strict=True)
    )


def fitted(techniques: Sequence[Measure], case: Case, *, automatic: bool = False) -> Iterator[Measure]:
    """Techniques as they are tried on a case: with the file where there is one, and on all persons where these are few.

    What a technique says itself stays as it is, unless it was chosen for everybody in the original (``automatic``).
    """
    for one in techniques:
        fields, said, changed = type(one).model_fields, one.model_fields_set, dict[str, Any]()
        if isinstance(one, Attack) and "knowledge" not in said and _held(one, case):
            changed["knowledge"] = "file"
        usual = fields["targets"].default if "targets" in fields else None
        people = case.known if changed.get("knowledge", getattr(one, "knowledge", "")) == "file" else case.original
        unsaid = automatic or "targets" not in said
        if isinstance(usual, int) and unsaid and people is not None and people.rows <= usual:
            changed["targets"] = "all"
        yield one.model_copy(update=changed) if changed else one


def insisted(attack: Attack, released: Schema) -> tuple[str, ...]:
    """Columns an attacker must know: of the keys of the release he may lack some."""
    return tuple(name for name in attack.keys(released) if name in attack.known or name not in released.quasi)


def lacking(attack: Attack, released: Schema, held: Container[str]) -> Iterator[Problem]:
    """What a file of known persons lacks for an attack."""
    if absent := [name for name in insisted(attack, released) if name in released and name not in held]:
        message = f"the file of known persons has no column {listed(absent)}"
        yield Problem("unknown-column", FILE, message, "look for persons by columns that it has")
    units = released.having("unit") if isinstance(attack, UnitAttack) and attack.together else ()
    if absent := [name for name in units if name not in held]:
        message = f"the file of known persons has no column {listed(absent)} that says which rows belong together"
        yield Problem("unknown-column", FILE, message, "add it, or look for each person alone by another technique")


def _held(attack: Attack, case: Case) -> bool:
    """Whether there is a file, and it has what the attack must know."""
    return case.known is not None and not list(lacking(attack, case.released.schema, case.known.schema))


def fitting(case: Case, before: Schema) -> tuple[list[Attack], list[tuple[str, tuple[Problem, ...]]]]:
    """Attacks that fit where only a file and the release are at hand: all that claim something of persons in the file.

    ``before`` is what is known of the rows before the steps. Beside them stand those that fit the release, by their
    words, with what the file lacks for them.
    """
    assert case.known is not None
    released, held = case.released.schema, case.known.schema
    described = replace(case, original=case.original.described(before))
    fit, left = list[Attack](), dict[str, tuple[Problem, ...]]()
    for word, declared in registry.every("attack").items():
        for one in declared.fitting(described) if issubclass(declared, Attack) else ():
            if list(one.problems(released)):
                continue
            if wrong := tuple(lacking(one, released, held)):
                left.setdefault(word, wrong)
            else:
                fit.append(one)
    return fit, list(left.items())
