"""Whether the values of a column bear out what its name says."""

from __future__ import annotations

import re

from schleier.draft.facts import Facts
from schleier.draft.names import Meaning, kind_meaning, meaning_called, meaning_of, spelt

NUMBERED, FEW = 0.5, 10
"""A column called "number" counts as a number of records when such a share of its values differ, and more than so
many."""
LARGEST = 10**8
"""Whole numbers that are all larger count nothing: they were given to somebody."""
NOBODYS = ("identifier", "unit", "weight")
"""Roles that a few categories cannot have, each with words of its own for what it means."""
FRACTION = re.compile(r"\s*[+-]?\d*[.,]\d*[1-9]\d*\s*")
PLAIN = re.compile(r"\s*[+-]?\d+(?:[.,]\d+)?\s*")
LESSONS = 40
"""Nobody goes to school for more years, and there are no more kinds of it that are written as numbers."""
LIVING = re.compile("(?:n |num(?:ber)? (?:of |in )?)?(?:hh|hhld|household|haushalt|family|familie|fam)")
"""Names that call neither a number nor an id: what they hold may number households, or count who lives in one."""
LARGE = 12
"""So many records of a household, on average, are too many."""
VISITED = re.compile("doctor|physician|nurse|(?:haus)?(?:arzt|aerztin)")
REACHED = frozenset(("email", "phone", "account", "online", "official_number"))
YES_OR_NO = frozenset("ja, nein, yes, no, true, false, wahr, falsch, j, n, y, x, t, f, 0, 1".split(", "))


def plausible(meaning: Meaning | None, facts: Facts) -> Meaning | None:
    """A meaning the values do not contradict, or the one they tell instead.

    >>> import numpy as np, pyarrow as pa
    >>> counts = Facts("Note", "integer", 90, 0, 3, pa.array([1, 2, 3]), np.array([30, 30, 30]), whole=True)
    >>> plausible(meaning_of("Note"), counts) is None  # marks, not notes
    True
    """
    if meaning is None or not facts.filled:
        return meaning
    if facts.labelled and (meaning.role in NOBODYS or meaning.hierarchy == "dates"):
        return None  # "Gross household income" in classes, "Country of birth": neither households nor dates
    if meaning.role == "weight" and facts.distinct <= 2 and _is_count(facts):
        return None  # "gew" for "gewerblich"; two parts of a country may well have two weights, with fractions
    if meaning.name in ("household", "numbered"):
        return _unit(meaning, facts)
    if meaning.name == "person_number" and facts.distinct <= FEW and (kind := kind_meaning(facts.name)) is not None:
        return plausible(kind, facts)
    if meaning.name == "person_number":
        return _unit(meaning, facts) if _has_digits(facts) else _several(meaning_of("pupil"), facts)
    if meaning.name == "person":
        # A count of doctors is one of visits.
        visits = VISITED.search(spelt(facts.name)) is not None and _are_small(facts)
        return meaning_called("health") if visits else _several(meaning, facts)
    if meaning.name == "birth_year" and _is_answer(facts):
        return None
    if meaning.name == "education" and _has_fractions(facts) and _is_above(facts, LESSONS):
        return None
    if meaning.name == "technical" and facts.distinct > FEW and _has_fractions(facts):
        return meaning_called("event_date")  # a year of survey is a whole one
    if meaning.name == "record":
        return meaning if facts.spread >= NUMBERED and (facts.distinct > FEW or facts.is_key) else None
    if meaning.scale == "discrete" and facts.kind == "integer" and min(facts.values.to_pylist()) >= LARGEST:
        return None
    if meaning.name == "free_text" and facts.kind != "text":
        return None
    if meaning.name in REACHED and _are_short(facts):
        return None  # how many mails were opened, not where they went
    if meaning.name == "account" and facts.distinct <= FEW:
        return meaning_called("money")  # how much is on the account, not its number
    if meaning.name == "address" and facts.distinct <= FEW and not _has_digits(facts):
        return None  # strata and the like, not streets
    return None if meaning.role == "identifier" and (_is_count(facts) or _is_answer(facts)) else meaning


def _unit(meaning: Meaning, facts: Facts) -> Meaning | None:
    """Numbers of households or persons. Those that never repeat number the records; few are nobody's unit."""
    if _has_fractions(facts):
        return None  # "family income": nobody numbers households with 227.5
    if facts.is_key or (facts.distinct == facts.filled > FEW):
        return meaning_of("record")
    if facts.distinct > FEW and _has_digits(facts):
        sized = meaning.name == "household" and LIVING.fullmatch(spelt(facts.name)) and _are_sizes(facts)
        return meaning_called("household_size") if sized else meaning
    # So few could not hide among each other; but what numbers persons must not be released as it is.
    return (
        meaning_of("pupil") if facts.distinct > 2 and meaning.name == "person_number" and _has_digits(facts) else None
    )


def _are_sizes(facts: Facts) -> bool:
    """Small whole numbers that are shared by so many records that as many cannot live together."""
    small = all(re.fullmatch(r"\d{1,2}(?:\.0+)?", text) for text in facts.texts)
    return small and facts.filled > LARGE * facts.distinct


def _several(meaning: Meaning | None, facts: Facts) -> Meaning | None:
    """People, unless there are so few values that they are kinds of people, or counts of them."""
    return None if facts.distinct <= FEW or _is_count(facts) else meaning


def _are_small(facts: Facts) -> bool:
    """Whole numbers from 0 on, most of them repeated."""
    small = all(re.fullmatch(r"\d{1,3}(?:\.0+)?", text) for text in facts.texts)
    return small and facts.spread < NUMBERED and any(float(text) == 0 for text in facts.texts)


def _has_digits(facts: Facts) -> bool:
    """Whether the values are numbers or codes, but for a few words for missing."""
    return sum(re.search(r"\d", text) is not None for text in facts.texts) > 0.8 * len(facts.values)


def _has_fractions(facts: Facts) -> bool:
    return facts.kind in ("number", "decimal", "text") and any(map(FRACTION.fullmatch, facts.texts))


def _is_above(facts: Facts, limit: float) -> bool:
    """Whether most different values are larger numbers."""
    numbers = [float(text.replace(",", ".")) for text in facts.texts if PLAIN.fullmatch(text)]
    return 2 * sum(number > limit for number in numbers) > len(facts.values)


def _are_short(facts: Facts) -> bool:
    """Numbers of one or two digits: nobody is reached by them."""
    return facts.kind != "boolean" and all(re.fullmatch(r"-?\d{1,2}(?:\.0+)?", text) for text in facts.texts)


def _is_count(facts: Facts) -> bool:
    """Few small whole numbers, or truth values."""
    if facts.kind == "boolean":
        return True
    small = all(re.fullmatch(r"-?\d{1,2}(?:\.0+)?", text) for text in facts.texts)
    return facts.distinct <= FEW and small


def _is_answer(facts: Facts) -> bool:
    return facts.whole and all(text.strip().lower() in YES_OR_NO for text in facts.texts)
