"""The scale of a column, from what its values allow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from schleier.core.schema import Layout, Scale
from schleier.draft.facts import Facts
from schleier.draft.gaps import EMPTY, codes_for_missing, labelled_as_missing, words_for_missing
from schleier.draft.names import Meaning
from schleier.draft.why import Why

LONG, WORDY = 60, 4
"""A text of so many characters, or of so many words on average, is free text."""
COMPACT = "%Y%m%d"
ODD, MOST_ODD, VOTES = 0.02, 20, 200
"""Share of the values of a column of dates, and different ones, that may be none; values that tell the form of most."""
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
Code = int | float | str


@dataclass(frozen=True)
class Reading:
    """How a column is read: its scale, its codes for missing, its precision, its form of dates."""

    scale: Scale
    missing: tuple[Code, ...] = ()
    reasons: tuple[Code, ...] = ()
    decimals: int | None = None
    date: str | None = None
    why: tuple[Why, ...] = ()
    free: bool = False
    """Whether it holds free text."""


@dataclass(frozen=True)
class Values:
    """The values of one column as one looks at them to tell their type."""

    facts: Facts
    layout: Layout

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """Texts that mean "missing"."""
        return words_for_missing(self.facts.texts) if self.facts.kind == "text" else ()

    @cached_property
    def rest(self) -> list[str]:
        """The other texts."""
        gone = set(self.gaps)
        return [text for text in self.facts.texts if text not in gone]

    @cached_property
    def numbers(self) -> list[float] | None:
        """The values as numbers, if all of them are; codes with leading zeros are none."""
        if self.facts.kind in ("integer", "number", "decimal"):
            return [float(text) for text in self.facts.texts]
        if self.facts.kind != "text" or not self.rest:
            return None
        point, group = re.escape(self.layout.decimal), re.escape(self.layout.thousands)
        whole = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|0|[1-9]\d*)" if group else r"(?:0|[1-9]\d*)"
        grammar = re.compile(rf"\s*[+-]?{whole}(?:{point}\d+)?(?:[eE][+-]?\d{{1,2}})?\s*")
        if not all(grammar.fullmatch(text) for text in self.rest):
            return None
        plain = [text.replace(self.layout.thousands, "") if group else text for text in self.rest]
        return [float(text.replace(self.layout.decimal, ".")) for text in plain]

    @property
    def exact_only_as_text(self) -> bool:
        """Whether they are whole numbers beyond what a number holds exactly: reading them would change them."""
        large = any(abs(number) >= 2**53 for number in self.numbers or [])
        return large and all(re.fullmatch(r"\s*[+-]?\d+\s*", text) for text in self.rest)

    @cached_property
    def decimals(self) -> int:
        """Digits after the decimal mark of the finest number."""
        point = self.layout.decimal if self.facts.kind == "text" else "."
        end = re.compile(rf"{re.escape(point)}(\d*?)0*$")
        ends = (end.search(text.strip()) for text in self.rest)
        return max((len(found[1]) for found in ends if found), default=0)

    @cached_property
    def date(self) -> str | None:
        """The form of the dates, if nearly all values are dates in one form."""
        from schleier.formats import date_format

        if self.facts.kind != "text" or not self.rest:
            return None
        whole = date_format([self.rest])
        if whole is not None or not self.facts.whole:
            return whole
        votes = Counter(form for text in self.rest[:VOTES] if (form := date_format([[text]])) is not None)
        return next((form for form, _ in votes.most_common(1) if self.share_of(self._no_dates(form)) <= ODD), None)

    @cached_property
    def odd(self) -> tuple[str, ...]:
        """Texts among dates that are none, where they are few."""
        found = self._no_dates(self.date) if self.date and self.facts.whole else []
        return tuple(found) if len(found) <= MOST_ODD and self.share_of(found) <= ODD else ()

    @property
    def to_come(self) -> bool:
        """Whether years of two digits would make days of it that are still to come: 53 is read as 2053."""
        if self.date is None or "%y" not in self.date:
            return False
        days = (datetime.strptime(text.strip(), self.date) for text in self.rest if text not in self.odd)
        return max(days, default=datetime.min).date() > datetime.now(UTC).date()

    def _no_dates(self, form: str) -> list[str]:
        from schleier.formats import is_date

        return [text for text in self.rest if not is_date(text.strip(), form)]

    def share_of(self, texts: Sequence[str]) -> float:
        """Share of the filled rows that hold one of some texts."""
        wanted = set(texts)
        held = sum(int(n) for text, n in zip(self.facts.texts, self.facts.counts, strict=True) if text in wanted)
        return held / max(self.facts.filled, 1)

    @property
    def compact(self) -> bool:
        """Whether the values are days without marks, such as 19841231; only a name can tell them from numbers."""
        if self.facts.kind != "text" or not self.rest or not all(re.fullmatch(r"\d{8}", text) for text in self.rest):
            return False
        try:
            years = [datetime.strptime(text, COMPACT).year for text in self.rest]
        except ValueError:
            return False
        return min(years) >= 1850 and max(years) <= 2100


def read_as(facts: Facts, layout: Layout | None, meaning: Meaning | None) -> Reading:
    """How a column is to be read, from its values, what the file says of it, and what its name means.

    What is taken for "missing" is said, so that whoever knows better can object.
    """
    reading = _read(facts, layout, meaning)
    if not reading.missing:
        return reading
    codes = {str(code) for code in reading.missing}
    counted = zip(facts.texts, facts.counts, strict=True)
    held = sum(int(n) for text, n in counted if text in codes or str(_code(text)) in codes)
    if not held:  # the file declares them itself, and they are gaps already
        return reading
    said = Why.of("missing", n=len(codes), share=held / max(facts.rows, 1))
    return replace(reading, why=(*reading.why, said))


def _read(facts: Facts, layout: Layout | None, meaning: Meaning | None) -> Reading:
    values = Values(facts, layout or Layout())
    if facts.filled == 0:
        return Reading("nominal", why=(Why.of("empty"),))
    if facts.kind in ("date", "time"):
        return Reading("time", why=(Why.of("dates"),))
    if meaning is not None and meaning.scale == "time" and values.compact:
        return Reading("time", values.gaps, date=COMPACT, why=(Why.of("dates"),))
    if values.numbers is not None and not values.exact_only_as_text:
        return _number(values, meaning)
    if values.date is not None and meaning is not None and meaning.name == "birth_date" and values.to_come:
        return Reading("nominal", values.gaps, why=(Why.of("short_years"),))
    if values.date is not None:
        other = values.date if values.date != values.layout.date else None
        why = [Why.of("dates"), *([Why.of("odd_dates", share=values.share_of(values.odd))] if values.odd else [])]
        return Reading("time", (*values.gaps, *values.odd), date=other, why=tuple(why))
    return _text(values, meaning)


def _number(values: Values, meaning: Meaning | None) -> Reading:
    facts, numbers = values.facts, values.numbers or []
    # Stored as a floating number, but always whole: statistical packages do so.
    whole = all(number.is_integer() and abs(number) < 2**53 for number in numbers)
    said = [facts.entry.scale, meaning.scale if meaning else None]
    # Packages call every number "scale" until somebody says otherwise: labels say otherwise.
    labelled: Scale | None = "nominal" if facts.labelled else None
    wished = next((one for one in said if one and not (labelled and one in ("continuous", "discrete"))), labelled)
    coded = wished in ("nominal", "ordinal", "place")
    if whole and (coded or (wished is None and facts.whole and facts.distinct <= 2)):
        return _numbered_category(facts, wished)
    known = map(_code, (*map(str, facts.entry.missing), *labelled_as_missing(facts.entry.labels)))
    numeric = [code for code in known if not isinstance(code, str)]
    found: tuple[Code, ...] = tuple(dict.fromkeys([*numeric, *codes_for_missing(numbers)]))
    why = (Why.of("whole" if whole else "numbers"),)
    if whole and wished != "continuous":
        return Reading("discrete", (*values.gaps, *found), why=why)
    decimals = min(values.decimals, 9) if facts.kind == "text" or values.decimals <= 6 else None
    return Reading("continuous", (*values.gaps, *found), decimals=decimals, why=why)


def _numbered_category(facts: Facts, wished: Scale | None) -> Reading:
    """Whole numbers that stand for categories."""
    labels = facts.entry.labels
    scale: Scale = wished if wished in ("nominal", "ordinal", "place") else "nominal"
    spoken = [*labelled_as_missing(labels), *map(str, facts.entry.missing)] if labels else []
    reasons = tuple(dict.fromkeys([*facts.entry.missing, *(_code(text) for text in spoken)]))
    gaps = words_for_missing(facts.texts, EMPTY) if facts.kind == "text" else ()
    return Reading(scale, gaps, reasons=reasons, why=(Why.of("labelled" if labels else "codes"),))


def _text(values: Values, meaning: Meaning | None) -> Reading:
    facts = values.facts
    long = max((len(text) for text in values.rest), default=0)
    words = sum(len(text.split()) for text in values.rest) / max(len(values.rest), 1)
    free = (long >= LONG and facts.spread > 0.2) or (words >= WORDY and facts.spread > 0.5)
    gaps = words_for_missing(facts.texts, EMPTY) if facts.kind == "text" else ()
    if free or (meaning is not None and meaning.scale == "text"):
        return Reading("text", gaps, why=(Why.of("free_text"),), free=True)
    wished = facts.entry.scale or (meaning.scale if meaning else None)
    scale: Scale = wished if wished in ("nominal", "ordinal", "place") else "nominal"
    mixed = sum(NUMBER.fullmatch(text.strip()) is not None for text in values.rest)
    why = Why.of("mixed") if mixed > len(values.rest) / 2 and not _codes(values.rest) else Why.of("words")
    return replace(Reading(scale, gaps, why=(why,)), reasons=tuple(map(str, facts.entry.missing)))


def _codes(texts: list[str]) -> bool:
    """Whether the texts are codes of one length, such as postcodes with leading zeros."""
    return len({len(text) for text in texts}) == 1 or any(re.match(r"0\d", text) for text in texts)


def _code(text: str) -> Code:
    """A code as a number where it is one; 9.0 is 9."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
