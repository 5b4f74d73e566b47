"""How a fact is shown in a sentence: ``{name}`` by its type, ``{name:share}`` as asked for.

A fact that cannot be shown so raises ``Untold``: its document has another form than its words expect.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from markupsafe import Markup

from schleier.core.amount import FEWER
from schleier.core.registry import Kind
from schleier.report.language import Words, code, name
from schleier.report.untold import Untold, finite

DIGITS = 3
"""Significant digits of a number that was computed."""
NESTED: tuple[Kind, ...] = ("method", "criterion", "measure")
"""Kinds that can be a parameter of another component."""
MANY = 40
"""Columns of a table that are shown in a sentence."""


@dataclass(frozen=True)
class Telling:
    """What a sentence is told with: the words of a language, and those of the component."""

    words: Words
    values: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    """Option -> value -> language -> what it is called."""
    as_given: frozenset[str] = frozenset()
    """Facts that somebody wrote down, such as a limit or a year: shown as they are, not rounded."""
    nested: Callable[[Kind, Mapping[str, Any]], tuple[Markup, list[Markup]]] | None = None
    """The title and the sentences of a component that is a parameter of another one."""


def shown(fact: str, value: Any, form: str, facts: Mapping[str, Any], telling: Telling) -> Markup:
    """A fact in the language of the reader."""
    if value == FEWER:
        return telling.words("mind.few")
    if form == "word":
        return _word(fact, value, telling)
    if form == "interval":
        ends = (facts.get("low"), facts.get("high"))
        low, high = (None if end is None else finite(end) for end in ends)
        return telling.words.interval(finite(value), low, high)
    if form in ("component", "step"):
        return _component(value, telling, told=form == "step")
    if form:
        return FORMS[form](value, telling.words)
    return _by_type(value, telling.words, as_given=fact in telling.as_given)


def _by_type(value: Any, words: Words, *, as_given: bool) -> Markup:
    if isinstance(value, bool):
        return words.value(value)
    if isinstance(value, str):
        return name(value)
    if isinstance(value, Mapping):
        return _table(value, words)
    if isinstance(value, list | tuple):
        if value and all(isinstance(one, list | tuple) for one in value):
            return _keys(value, words)
        if value and not any(isinstance(one, str) for one in value):
            return words.listed([words.value(finite(one)) for one in value])
        return _names(value, words)
    number = finite(value)
    if as_given:
        return words.value(number)
    return Markup(words.number(number, DIGITS if isinstance(number, float) else 10))


def _word(fact: str, value: Any, telling: Telling) -> Markup:
    """What the value of an option is called; several as a list, and a value nobody named as code."""
    if isinstance(value, list | tuple):
        return telling.words.listed([_word(fact, one, telling) for one in value])
    written = _written(value)
    called = telling.values.get(fact, {}).get(written)
    return Markup("{}").format(called.get(telling.words.lang, called["en"])) if called else code(written)


def _written(value: Any) -> str:
    """A value as a recipe writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{finite(value):.10g}"


def _component(value: Any, telling: Telling, *, told: bool) -> Markup:
    """A component inside another one: its title and its parameters, or its title and what it tells."""
    kind = next((kind for kind in NESTED if isinstance(value, Mapping) and isinstance(value.get(kind), str)), None)
    if kind is None:
        raise Untold("not a component")
    title, sentences = telling.nested(kind, value) if telling.nested else (code(value[kind]), [])
    if told:
        return Markup(" ").join([Markup("{}.").format(title), *sentences])
    rest = [Markup("{} {}").format(code(key), telling.words.value(one)) for key, one in value.items() if key != kind]
    return Markup("{} ({})").format(title, Markup(", ").join(rest)) if rest else title


def _codes(value: Any, words: Words) -> Markup:
    """Words of the recipe, such as the criteria that were demanded."""
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise Untold("not a list of words")
    return words.listed([code(one) for one in value])


def _names(value: Any, words: Words) -> Markup:
    if isinstance(value, str):
        return name(value)
    if isinstance(value, Mapping):
        value = list(value)
    if not _texts(value):
        raise Untold("no names of columns")
    return words.names(value, most=MANY) if value else Markup("–")


def _texts(value: Any) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def _table(value: Any, words: Words) -> Markup:
    """Numbers by column: "age 3 and sex 5"."""
    if not isinstance(value, Mapping):
        raise Untold("no table")
    return words.listed(
        [Markup("{} {}").format(name(str(key)), _plain(one, words)) for key, one in value.items()], most=MANY
    )


def _plain(value: Any, words: Words) -> Markup:
    if value == FEWER:
        return words("mind.few")
    return words.value(value) if isinstance(value, str | list | tuple | Mapping) else words.value(finite(value))


def _levels(value: Any, words: Words) -> Markup:
    """Levels of hierarchies by column; 0 is what was there."""
    if not isinstance(value, Mapping):
        raise Untold("no table")
    parts = [
        words("field.level" if finite(level) else "field.level_kept", column=name(str(column)), level=level)
        for column, level in value.items()
    ]
    return words.listed(parts, most=MANY)


def _keys(value: Any, words: Words) -> Markup:
    """The columns looked at, or their combinations."""
    if not isinstance(value, list | tuple) or not value or not all(_texts(one) for one in value):
        raise Untold("no combinations of columns")
    if len(value) == 1:
        return words.names(value[0])
    return words("field.combinations", keys=_groups(value, words))


def _groups(value: Any, words: Words) -> Markup:
    """Groups of columns."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list | tuple) or not all(_texts(one) for one in value):
        raise Untold("no groups of columns")
    each = [Markup("({})").format(Markup(", ").join(name(key) for key in one)) for one in value]
    return words.listed(each, most=MANY)


def _sensitive(value: Any, words: Words) -> Markup:
    """Names of columns; the sensitive ones where none is named."""
    return _names(value, words) if value else words("field.sensitive")


def _conditions(value: Any, words: Words) -> Markup:
    """Conditions of records; listed values of protected columns are only counted in the report."""
    several = value if isinstance(value, list | tuple) else [value]
    return words.listed([_condition(one, words) for one in several])


def _condition(said: Any, words: Words) -> Markup:
    if not isinstance(said, Mapping) or not isinstance(said.get("column"), str):
        raise Untold("no condition")
    parts = []
    for test, value in said.items():
        if test in ("column", "missing") or value is None:
            continue
        if f"condition.{test}" not in words:
            raise Untold("no such condition")
        counted = re.fullmatch(r"(\d{1,15}) values?", value) if isinstance(value, str) else None
        told = words("condition.values", n=int(counted[1])) if counted else words.value(value)
        parts.append(words(f"condition.{test}", value=told))
    if said.get("missing") is not None:
        parts.append(words("condition.missing" if said["missing"] else "condition.not_missing"))
    return Markup("{} {}").format(name(said["column"]), Markup(", ").join(parts))


def _total(value: Any, words: Words) -> Markup:
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else [value]
    many, few = [finite(one) for one in parts if one != FEWER], [words("mind.few") for one in parts if one == FEWER]
    return words.listed([Markup(words.number(sum(many)))] * (bool(many) or not few) + few)


def _count(value: Any, words: Words) -> Markup:
    if isinstance(value, str) or not hasattr(value, "__len__"):
        raise Untold("nothing to count")
    return Markup(words.number(len(value)))


def _classes(value: Any, words: Words) -> Markup:
    """How many classes so many limits make."""
    if not isinstance(value, list | tuple):
        raise Untold("no list of limits")
    return Markup(words.number(len(value) + 1))


FORMS: dict[str, Callable[[Any, Words], Markup]] = {
    "share": lambda value, words: words.share(finite(value)),
    "points": lambda value, words: Markup(words.number(100 * finite(value), DIGITS)),
    "number": lambda value, words: Markup(words.number(finite(value), DIGITS)),
    "whole": lambda value, words: Markup(words.number(math.floor(finite(value)))),
    "value": lambda value, words: words.value(value),
    "name": lambda value, words: name(_written(value)),
    "code": lambda value, words: code(_written(value)),
    "names": _names,
    "table": _table,
    "levels": _levels,
    "keys": _keys,
    "groups": _groups,
    "sensitive": _sensitive,
    "conditions": _conditions,
    "total": _total,
    "count": _count,
    "classes": _classes,
    "codes": _codes,
}
"""Form -> how it shows a fact; those of ``SPECIAL`` need more than the fact."""
SPECIAL = ("word", "interval", "component", "step")
