"""The words of a component, interpreted: which sentences are told, in which number, with which facts filled in.

A sentence is told when every fact it names is there and all its conditions hold. Nothing here knows a component.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from schleier.core.amount import FEWER
from schleier.report.fields import Telling, shown
from schleier.report.language import languages, plural_form

FIELD = re.compile(r"\{([A-Za-z_][\w.]*)(?::(\w+))?\}")
CONDITION = re.compile(r"(!?)([A-Za-z_][\w.]*)(?:(!?=)(.*))?")
CODE = re.compile(r"`([^`]+)`")
ENGLISH = "en"


def look_up(facts: Mapping[str, Any], name: str) -> Any:
    """The fact of a name, nothing when it is not there; a dot looks into a table.

    >>> look_up({"after": {"unique": 3}}, "after.unique")
    3
    """
    found: Any = facts
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def holds(condition: str, facts: Mapping[str, Any]) -> bool:
    """Whether a condition of the words holds for these facts.

    >>> facts = {"kind": "entropy", "cautions": ["weights"], "cut": False}
    >>> [holds(one, facts) for one in ("kind", "!cut", "kind=entropy", "cautions=weights", "kind!=entropy", "cut=true")]
    [True, True, True, True, False, False]
    """
    negated, name, sign, wanted = _parts(condition)
    found = look_up(facts, name)
    if not sign:
        return bool(found) != bool(negated)
    several = isinstance(found, list | tuple | Mapping)
    equal = any(_text(one) == wanted for one in found) if several else _text(found) == wanted
    return equal == (sign == "=")


def _parts(condition: str) -> tuple[str, str, str, str]:
    match = CONDITION.fullmatch(condition)
    if match is None:
        raise ValueError(f"a condition is 'name', '!name', 'name=value' or 'name!=value', not '{condition}'")
    negated, name, sign, wanted = match.groups(default="")
    return negated, name, sign, wanted


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Sentence:
    """A sentence in all languages, with the conditions under which it is told."""

    texts: Mapping[str, Mapping[str, str]]
    """Language -> form of the number (zero, one, other) -> text."""
    when: tuple[str, ...] = ()
    count: str = ""
    """The fact that chooses the form; a list or table counts as its length."""

    @staticmethod
    def of(table: Mapping[str, Any]) -> Sentence:
        """A sentence as its table in a words file says it."""
        texts = {
            lang: {"other": table[lang]} if isinstance(table[lang], str) else dict(table[lang])
            for lang in languages()
            if lang in table
        }
        return Sentence(texts, tuple(table.get("when", ())), table.get("count", ""))

    def told(self, facts: Mapping[str, Any], lang: str) -> bool:
        """Whether it has something to tell of these facts."""
        if not all(holds(condition, facts) for condition in self.when):
            return False
        if self.count and look_up(facts, self.count) is None:
            return False
        return all(look_up(facts, name) is not None for name, _ in fields(self.text(facts, lang)))

    def text(self, facts: Mapping[str, Any], lang: str) -> str:
        """Its text in the number that the facts ask for, with its fields still open."""
        forms = self.texts.get(lang) or self.texts[ENGLISH]
        return forms[plural_form(look_up(facts, self.count) if self.count else None, forms)]

    def tell(self, facts: Mapping[str, Any], telling: Telling) -> Markup:
        """The sentence with its facts filled in; what is written `so` is code."""
        text = self.text(facts, telling.words.lang)
        parts, start = [], 0
        for match in FIELD.finditer(text):
            parts.append(_marked(text[start : match.start()]))
            name, form = match.group(1), match.group(2) or ""
            value = look_up(facts, name)
            part = shown(name, value, form, facts, telling)
            begins = value == FEWER and not match.start()
            parts.append(Markup(part[:1].upper() + part[1:]) if begins else part)
            start = match.end()
        return Markup().join([*parts, _marked(text[start:])])

    def names(self) -> set[str]:
        """Every fact it names, in its texts, its conditions and its number."""
        return {name for name, _ in self.fields()} | self.asks()

    def fields(self) -> set[tuple[str, str]]:
        """The facts in its texts, each with how it is shown."""
        return {found for forms in self.texts.values() for text in forms.values() for found in fields(text)}

    def asks(self) -> set[str]:
        """The facts that decide whether and in which number it is told."""
        return {_parts(condition)[1] for condition in self.when} | ({self.count} if self.count else set())


def fields(text: str) -> Iterator[tuple[str, str]]:
    """The facts a text names, each with how it is shown.

    >>> list(fields("{n} of {share:share}"))
    [('n', ''), ('share', 'share')]
    """
    yield from ((match.group(1), match.group(2) or "") for match in FIELD.finditer(text))


def tell_all(sentences: Sequence[Sentence], facts: Mapping[str, Any], telling: Telling) -> list[Markup]:
    """Those of the sentences that have something to tell, in their order."""
    return [one.tell(facts, telling) for one in sentences if one.told(facts, telling.words.lang)]


def _marked(text: str) -> Markup:
    return Markup(CODE.sub(r'<code translate="no">\1</code>', str(escape(text))))
