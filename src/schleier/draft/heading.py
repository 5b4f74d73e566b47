"""Whether the names of the columns are names: in a file without a header they are the values of a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from schleier.core.errors import DataError, stop
from schleier.draft.facts import Facts
from schleier.draft.formats import FORMS

TELLING = frozenset({"email", "iban", "phone", "pension_number"})
"""Forms that no name of a column has."""
DAY = re.compile(r"\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}-\d{2}-\d{2}[ T]?[\d:]*")
NUMBER = re.compile(r"\s*-?\d{1,15}(?:\.\d+)?\s*")
MOST_DAYS = 2
"""A table over time may have days as names of columns, then of many."""


def refuse_values_as_names(found: Sequence[Facts], where: str) -> None:
    """Stop when the names of the columns look like the values of a first record."""
    telling = [form for form in FORMS if form.name in TELLING]
    named = sum(any(form.fits(facts.name) for form in telling) for facts in found)
    days = sum(DAY.fullmatch(facts.name.strip()) is not None for facts in found)
    # Questions with several answers often have columns of their own that repeat the name, and nothing else.
    words = [
        facts for facts in found if facts.kind == "text" and facts.distinct > 1 and not NUMBER.fullmatch(facts.name)
    ]
    own = sum(facts.name in set(facts.texts) for facts in words)
    if named or 0 < days <= MOST_DAYS or own + _numbers(found) > max(1, len(found) // 3):
        message = "the names of the columns look like values of a record"
        stop(DataError, "no-header", where, message, "put a line with a name for each column above the records")


def _numbers(found: Sequence[Facts]) -> int:
    """Names that are numbers; in a table over time or of items they rise from column to column, and are names."""
    numbers = [float(facts.name) for facts in found if NUMBER.fullmatch(facts.name)]
    return 0 if all(one < other for one, other in pairwise(numbers)) and len(numbers) > 1 else len(numbers)
