"""What pydantic finds wrong with parameters, in our words: all of it, with the way out, and without a value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from schleier.core.errors import Problem
from schleier.core.record import fields_of

SHOULD = {
    "int_type": "be a whole number",
    "int_parsing": "be a whole number",
    "int_parsing_size": "be a smaller whole number",
    "int_from_float": "be a whole number",
    "float_type": "be a number",
    "float_parsing": "be a number",
    "finite_number": "be a number, not nan or infinity",
    "string_type": "be a text",
    "bool_type": "be true or false",
    "bool_parsing": "be true or false",
    "tuple_type": "be a list",
    "list_type": "be a list",
    "set_type": "be a list",
    "frozen_set_type": "be a list",
    "dict_type": "be a table",
    "mapping_type": "be a table",
    "model_type": "be a table",
    "model_attributes_type": "be a table",
    "date_type": "be a date",
    "date_parsing": "be a date",
    "date_from_datetime_parsing": "be a date",
    "date_from_datetime_inexact": "be a date",
    "literal_error": "be {expected}",
    "greater_than": "be greater than {gt}",
    "greater_than_equal": "be at least {ge}",
    "less_than": "be less than {lt}",
    "less_than_equal": "be at most {le}",
    "too_short": "have at least {min_length}",
    "too_long": "have at most {max_length}",
    "string_too_short": "have at least {min_length}",
    "string_too_long": "have at most {max_length}",
    "string_pattern_mismatch": "be written in another form",
}
"""What a parameter should be, by what pydantic calls its failure; where it is silent, pydantic's own words stay."""
BE, A_NUMBER, A_WHOLE_NUMBER = "should be ", "a number", "a whole number"
EMPTY = "should not be empty"
THINGS = {"too_short": "entr", "too_long": "entr", "string_too_short": "character", "string_too_long": "character"}
ENDINGS = {"entr": ("y", "ies"), "character": ("", "s")}


def explain_validation(error: ValidationError, model: type[BaseModel], where: str) -> list[Problem]:
    """Everything a validation found, each at its place.

    >>> from schleier.core.record import unexplained
    >>> from schleier.core.schema import Column
    >>> try:
    ...     unexplained(Column, {"nam": "age", "role": "quassi"})
    ... except ValidationError as error:
    ...     for problem in explain_validation(error, Column, "columns[0]"):
    ...         print(problem)
    columns[0].role: should be 'identifier', 'quasi', 'sensitive', 'weight', 'unit', 'plain' or 'undecided' \
(did you mean 'quasi'?)
    columns[0].scale: this parameter is required
    columns[0].nam: there is no such parameter (did you mean 'name'?)
    """
    found: dict[tuple[str, str], list[Problem]] = {}
    meant = set[str]()
    for detail in error.errors(include_url=False):
        place, known, about = _place(detail, model, where)
        problem = _problem(detail, place, known)
        if detail["type"] == "string_pattern_mismatch":  # no pattern: what it is for, with an example
            problem = replace(problem, hint=about)
        if near := re.fullmatch(r"did you mean '(.+)'\?", problem.hint if problem.code == "unknown-parameter" else ""):
            meant.add(f"{place.rpartition('.')[0]}.{near[1]}".removeprefix("."))
        found.setdefault((place, problem.code), []).append(problem)
    problems = [_as_one(parts) for parts in found.values()]
    return [
        one
        for one in problems
        # Whoever misspelt a parameter has not forgotten it, and a list of which all entries are wrong is not empty.
        if not (one.code == "missing-parameter" and one.where in meant)
        and not (one.message == EMPTY and any(other.where.startswith(f"{one.where}[") for other in problems))
    ]


def nearest(name: object, known: Iterable[str]) -> str:
    """The hint which of the known names was meant; empty when none is near.

    >>> nearest("colum", ["column", "upper"]), nearest("x", ["column"])
    ("did you mean 'column'?", '')
    """
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def _problem(detail: Any, place: str, known: Sequence[str]) -> Problem:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        hint = nearest(detail["loc"][-1], known) or f"there are: {', '.join(known)}"
        return Problem("unknown-parameter", place, "there is no such parameter", hint)
    if kind == "missing":
        return Problem("missing-parameter", place, "this parameter is required")
    if kind == "value_error":
        return Problem("bad-parameter", place, detail["msg"].removeprefix("Value error, "))
    if kind in ("too_short", "string_too_short") and context["min_length"] == 1:
        return Problem("bad-parameter", place, EMPTY)
    if kind in SHOULD:
        message = f"should {SHOULD[kind].format(**context)}{_thing(kind, context)}"
    else:
        message = "should " + detail["msg"].removeprefix("Input ").removeprefix("should ")
    choices = re.findall(r"'([^']*)'", context.get("expected", "")) if kind == "literal_error" else []
    given = detail.get("input")
    return Problem("bad-parameter", place, message, nearest(given, choices) if isinstance(given, str) else "")


def _thing(kind: str, context: Mapping[str, Any]) -> str:
    if kind not in THINGS:
        return ""
    one, many = ENDINGS[THINGS[kind]]
    number = context.get("min_length", context.get("max_length"))
    return f" {THINGS[kind]}{one if number == 1 else many}"


def _as_one(parts: Sequence[Problem]) -> Problem:
    """Of a parameter that may be one thing or another: all it may be, in one sentence."""
    told = list(dict.fromkeys(one.message.removeprefix(BE) for one in parts if one.message.startswith(BE)))
    if len(told) < 2:
        return parts[0]
    if A_NUMBER in told:
        told = [one for one in told if one != A_WHOLE_NUMBER]
    first, last = ", ".join(told[:-1]), told[-1]
    return replace(parts[0], message=BE + (f"{first} or {last}" if first else last))


def _place(detail: Any, model: type[BaseModel], where: str) -> tuple[str, list[str], str]:
    """Where it is, which parameters there are, and what its own is for.

    Keys of tables may be values, and are not told unless they name records.
    """
    here: list[Any] = [model]
    place, last, about = where, len(detail["loc"]) - 1, ""
    for i, part in enumerate(detail["loc"]):
        if isinstance(part, int):
            place, here = f"{place}[{part}]", [inner for kind in here for inner in _entries(kind)]
            continue
        fields = [fields_of(one)[part] for one in here if _is_record(one) and part in one.model_fields]
        unknown = detail["type"] == "extra_forbidden" and i == last
        if fields or unknown:
            place = f"{place}.{part}"
        if fields:
            about = " ".join((fields[0].description or "").split())
            here = [kind for field in fields for kind in _kinds(field.annotation)]
        elif tables := [get_args(kind)[1] for kind in here if get_origin(kind) in (dict, Mapping)]:
            here = [kind for value in tables for kind in _kinds(value)]
            if any(map(_is_record, here)):
                place = f"{place}.{part}"
        # What is neither a field nor a key names one of several types that the field may have.
    known = [name for one in here if _is_record(one) for name in one.model_fields]
    return place.removeprefix("."), list(dict.fromkeys(known)), about


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _kinds(annotation: Any) -> Iterator[Any]:
    """The types a field may have, one by one."""
    if get_origin(annotation) is Annotated:
        yield from _kinds(get_args(annotation)[0])
    elif get_origin(annotation) in (tuple, list, dict, Mapping, Literal, set, frozenset) or not get_args(annotation):
        yield annotation
    else:
        for one in get_args(annotation):
            yield from _kinds(one)


def _entries(kind: Any) -> Iterator[Any]:
    """The types of the entries of a list."""
    for one in get_args(kind):
        if one is not Ellipsis:
            yield from _kinds(one)
