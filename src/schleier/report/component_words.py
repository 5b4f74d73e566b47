"""The words of a component, from the file beside its module: ``pram.toml`` beside ``pram.py``, wherever that is."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from schleier.core import registry
from schleier.core.description import summary
from schleier.core.registry import Kind
from schleier.report.fields import Telling
from schleier.report.language import Words, code, foreign
from schleier.report.sentence import Sentence, tell_all

PLAIN = (bool, int, float, str, tuple, dict)
"""Types of a default that a document could hold as well."""


@dataclass(frozen=True)
class Effect:
    """What a method did to a column."""

    sentence: Sentence
    kept_where_zero: tuple[str, ...] = ()
    """Facts with a number for each column: 0 in all of them says that the column stayed as it was."""


@dataclass(frozen=True)
class ComponentWords:
    """What a component says of itself in every language; empty for one that has no words."""

    kind: Kind
    word: str
    title: Sentence | None = None
    sentences: tuple[Sentence, ...] = ()
    short: tuple[Sentence, ...] = ()
    """Criteria: the sentence for the front. Attacks: what was found, where that are not persons. The first whose
    conditions hold."""
    outcome: tuple[Sentence, ...] = ()
    """Attacks: what that is against guessing, where it rests on more than what was found; the first likewise."""
    means: Sentence | None = None
    """Attacks: how the technique works."""
    effects: tuple[Effect, ...] = ()
    """Methods: what happened to a column."""
    mind: tuple[Sentence, ...] = ()
    """Methods: what analysts must mind."""
    values: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    covers: tuple[str, ...] = ()
    """Facts that need no telling."""
    facts: tuple[str, ...] = ()
    """Facts a sentence names that the example does not happen to report."""
    groups: str = ""
    """The parameter that maps old values to new ones, to be shown as groups."""
    target: str = ""
    """The parameter that names the columns it changes, where it reads others as well."""

    @property
    def there(self) -> bool:
        """Whether there are words at all."""
        return self.title is not None

    def telling(self, words: Words, as_given: frozenset[str] = frozenset()) -> Telling:
        """What its sentences are told with."""
        return Telling(words, self.values, as_given, lambda kind, inner: _nested(kind, inner, words))

    def titled(self, facts: Mapping[str, Any], words: Words) -> Markup:
        """Its title; its recipe word as code where there is none, or where a fact of it is missing."""
        if self.title is None or not self.title.told(facts, words.lang):
            return code(self.word)
        return self.title.tell(facts, self.telling(words))

    def sentence(self) -> Markup | None:
        """The first sentence of its description, which exists in English only; nothing for an unknown component."""
        declared = declared_of(self.kind, self.word)
        return None if declared is None else foreign(summary(declared).partition(". ")[0].rstrip(".") + ".")


def declared_of(kind: Kind, word: str) -> type[Any] | None:
    """The class of a component, nothing when nobody here knows it.

    >>> declared_of("method", "horoscope") is None
    True
    """
    return registry.get(kind, word) if word in registry.names(kind) else None


def with_defaults(kind: Kind, word: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a document, and the declared default of those it leaves out; secrets have none.

    >>> with_defaults("criterion", "l_diversity", {"l": 3})["kind"]
    'distinct'
    """
    declared = declared_of(kind, word)
    fields = {} if declared is None else declared.model_fields
    hidden = set() if declared is None else declared.secrets()
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in fields.items()
        if name != "name" and name not in hidden and not field.is_required()
    }
    plain = {name: value for name, value in defaults.items() if isinstance(value, PLAIN)}
    return {**plain, **{name: value for name, value in given.items() if name != "name"}}


def _nested(kind: Kind, inner: Mapping[str, Any], words: Words) -> tuple[Markup, list[Markup]]:
    """The title of a component that is a parameter of another one, and what it tells of itself."""
    own = words_of(kind, inner[kind])
    given = {key: value for key, value in inner.items() if key != kind}
    facts = with_defaults(kind, own.word, given)
    return own.titled(facts, words), tell_all(own.sentences, facts, own.telling(words, frozenset(given)))


def words_of(kind: Kind, word: str) -> ComponentWords:
    """The words beside the module of a component; empty ones when there are none.

    >>> str(words_of("attack", "exact_match").titled({}, Words.of("de")))
    'genauer Abgleich'
    """
    place = file_of(kind, word)
    return _read(kind, word, place) if place is not None and place.is_file() else ComponentWords(kind, word)


def file_of(kind: Kind, word: str) -> Path | None:
    """Where the words of a component are looked for; nothing when nobody here knows it."""
    declared = declared_of(kind, word)
    file = None if declared is None else getattr(sys.modules[declared.__module__], "__file__", None)
    return None if file is None else Path(file).with_name(f"{word}.toml")


@cache
def _read(kind: Kind, word: str, file: Path) -> ComponentWords:
    return parsed(kind, word, tomllib.loads(file.read_text(encoding="utf-8")))


def parsed(kind: Kind, word: str, table: Mapping[str, Any]) -> ComponentWords:
    """The words as a file says them."""

    def tables(key: str) -> list[Mapping[str, Any]]:
        found = table.get(key, [])
        return found if isinstance(found, list) else [found]

    def several(key: str) -> tuple[Sentence, ...]:
        return tuple(Sentence.of(one) for one in tables(key))

    def one(key: str) -> Sentence | None:
        return Sentence.of(table[key]) if key in table else None

    return ComponentWords(
        kind=kind,
        word=word,
        title=one("title"),
        sentences=several("sentence"),
        short=several("short"),
        outcome=several("outcome"),
        means=one("means"),
        effects=tuple(
            Effect(Sentence.of(one), tuple(one.get("kept_where_zero", table.get("kept_where_zero", ()))))
            for one in tables("effect")
        ),
        mind=several("mind"),
        values=table.get("values", {}),
        covers=tuple(table.get("covers", ())),
        facts=tuple(table.get("facts", ())),
        groups=table.get("groups", ""),
        target=table.get("target", ""),
    )
