"""Sentences, lists and numbers in the language of the reader; what comes from a report is always escaped."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from schleier.core.errors import Problem, RecipeError

FOLDER = Path(__file__).with_name("words")
"""A folder for each language, and in it a file for each document."""
NARROW = "\u00a0"  # between number and unit: never broken across lines
TINY = 1e-6
BREAKS = re.compile(r"(?<=_)(?=.)|(?<=[^\W\dA-ZÄÖÜ_])(?=[A-ZÄÖÜ])")
"""Where a name may be broken: within it a hyphen would be taken for a part of the name."""
YEARS = 1e4
"""Below this a number that somebody wrote down may be a year or a code, and gets no thousands mark."""
FORMS = ("zero", "one", "other")
"""Forms of a sentence with a number."""


@cache
def languages() -> tuple[str, ...]:
    """Codes of the languages there are.

    >>> languages()
    ('de', 'en')
    """
    return tuple(sorted(folder.name for folder in FOLDER.iterdir() if any(folder.glob("*.toml"))))


def plural_form(n: Any, forms: Container[str]) -> str:
    """Which of the forms of a sentence fits a number: ``zero`` and ``one`` where there are such, else ``other``.

    A list or table counts as its length; without a number it is the form for many.

    >>> [plural_form(n, ("one", "other")) for n in (0, 1, 2, None, ["a"])]
    ['other', 'one', 'other', 'other', 'one']
    """
    if isinstance(n, Sized) and not isinstance(n, str):
        n = len(n)
    if isinstance(n, bool) or not isinstance(n, int | float):
        return "other"
    form = "zero" if n == 0 else "one" if n == 1 else "other"
    return form if form in forms else "other"


@dataclass(frozen=True)
class Words:
    """The words of one language by their key; ``Words.of("de")`` loads them.

    >>> words = Words.of("de")
    >>> str(words.number(1234.5)), str(words.share(0.003)), str(words("role.weight"))
    ('1.234,5', '0,3\\xa0%', 'Hochrechnungsfaktor')
    """

    lang: str
    table: Mapping[str, str]

    @staticmethod
    def of(lang: str) -> Words:
        """The words of a language, or a RecipeError that names the languages there are."""
        if lang not in languages():
            hint = f"there are: {', '.join(languages())}"
            raise RecipeError(Problem("unknown-language", "lang", f"there is no report in '{lang}'", hint))
        return Words(lang, _table(lang))

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def __call__(self, key: str, /, n: float | None = None, **values: Any) -> Markup:
        """The sentence behind a key; ``n`` chooses between ``zero``, ``one`` and ``other`` and is filled in as well."""
        if n is not None:
            values["n"] = n
        if f"{key}.other" in self.table:
            key = f"{key}.{plural_form(n, [form for form in FORMS if f'{key}.{form}' in self.table])}"
        filled = {
            name: self.number(value) if isinstance(value, int | float) else value for name, value in values.items()
        }
        return Markup(escape(self.table[key])).format(**filled)

    def plain(self, key: str, /, n: float | None = None, **values: Any) -> str:
        """The sentence behind a key as plain text, for the terminal and for comments in files.

        >>> Words.of("en").plain("suggest.next", recipe="a&b.toml")
        'Look through it, then: schleier check a&b.toml and schleier run a&b.toml'
        """
        return str(self(key, n=n, **values).unescape())

    def word(self, group: str, word: str) -> Markup:
        """What a word of the recipe is called here; the word itself when nobody translated it."""
        key = f"{group}.{word}"
        return self(key) if key in self.table else name(word)

    def number(self, value: float, digits: int = 10) -> str:
        """A number with the marks of the language, to so many significant digits."""
        if not math.isfinite(value):
            return "–"
        if digits < 10 and value:  # only what stands after the decimal mark is rounded away
            value = round(value, max(digits - 1 - math.floor(math.log10(abs(value))), 0))
        return self._marked(f"{value:,.15g}" if abs(value) < 1e15 else f"{value:.4g}")

    def value(self, value: Any) -> Markup:
        """A parameter as it is: years and codes get no thousands mark, words are shown as words of the recipe."""
        if isinstance(value, bool):
            return self("value.yes") if value else self("value.no")
        if isinstance(value, int | float):
            told = self.number(value)
            return Markup(told.replace(self.table["number.thousands"], "") if abs(value) < YEARS else told)
        if isinstance(value, Mapping):
            pairs = [Markup("{}: {}").format(name(str(k)), self.value(v)) for k, v in value.items()]
            return Markup(", ").join(pairs)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return Markup(", ").join(self.value(one) for one in value)
        return name("–" if value is None else str(value))

    def share(self, share: float) -> Markup:
        """A share in per cent, with the digits it deserves; what is not zero never reads as zero.

        >>> [str(Words.of("en").share(s)) for s in (0, 0.4087, 0.00012, 0.99996, 1e-9)]
        ['0\\xa0%', '40.9\\xa0%', '0.012\\xa0%', 'more than 99.9\\xa0%', 'less than 0.0001\\xa0%']
        """
        return (
            self("share.below", limit=self._percent(TINY))
            if 0 < share < TINY
            else (
                self("share.above", limit=self._percent(0.999)) if 0.9995 <= share < 1 else Markup(self._percent(share))
            )
        )

    def interval(self, share: float, low: float | None, high: float | None) -> Markup:
        """A share with its 95 % interval, where there is one."""
        if low is None or high is None:
            return self.share(share)
        return self("share.interval", share=self.share(share), low=self.share(low), high=self.share(high))

    def listed(self, parts: Sequence[Any], most: int = 12) -> Markup:
        """Parts as "a, b and c"; a long list is cut and says so."""
        shown = [part if isinstance(part, Markup) else escape(part) for part in parts[:most]]
        if len(parts) > most:
            shown.append(self("list.more", n=len(parts) - most))
        if len(shown) < 2:
            return Markup().join(shown)
        return self("list.and", before=Markup(", ").join(shown[:-1]), last=shown[-1])

    def names(self, columns: Sequence[str], most: int = 12) -> Markup:
        """Names of columns as a list."""
        return self.listed([name(column) for column in columns], most)

    def _percent(self, share: float) -> str:
        percent = 100 * share
        digits = 1 if abs(percent) >= 1 or not percent else 1 - math.floor(math.log10(abs(percent)))
        text = f"{percent:.{digits}f}"
        return self._marked(text.rstrip("0").rstrip(".") if "." in text else text) + NARROW + "%"

    def _marked(self, text: str) -> str:
        marks = {",": self.table["number.thousands"], ".": self.table["number.decimal"], "-": "−"}
        return "".join(marks.get(sign, sign) for sign in text)


def name(text: str) -> Markup:
    """A name from the data or the recipe: escaped, set apart, and left alone by translators.

    Where there is no room for it, it is broken after an underscore or before a capital rather than within a word.

    >>> str(name("age_in_years")), str(name("ageInYears"))[34:-7]
    ('<span class="name" translate="no">age_<wbr>in_<wbr>years</span>', 'age<wbr>In<wbr>Years')
    """
    return Markup('<span class="name" translate="no">{}</span>').format(Markup("<wbr>").join(BREAKS.split(text)))


def code(text: str) -> Markup:
    """A word of the recipe: a component, a parameter or the value of an option."""
    return Markup('<code translate="no">{}</code>').format(text)


def plain(markup: Any) -> str:
    """Words without their tags, for a picture or the terminal."""
    return Markup(markup).striptags()


def foreign(text: str) -> Markup:
    """A sentence that exists in English only, marked as such."""
    return Markup('<span lang="en">{}</span>').format(text)


@cache
def _table(lang: str) -> Mapping[str, str]:
    files = sorted((FOLDER / lang).glob("*.toml"))
    return {key: text for file in files for key, text in _flat(tomllib.loads(file.read_text(encoding="utf-8")))}


def _flat(table: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{start}{key}.")
        else:
            yield start + key, value
