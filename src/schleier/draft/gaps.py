"""Values that mean "missing" without being empty: words, and codes that stand apart from the numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

EMPTY = frozenset("na, n/a, #n/a, #na, n.a., nan, null, none, nil, -, --, ---, ., .., ?, ???, (null), <na>".split(", "))
"""Texts that are nothing but a gap."""
SAID = frozenset(
    "missing, fehlt, k.a., k. a., ka, keine angabe, keine antwort, no answer, unknown, unbekannt, not available, "
    "not stated, refused, verweigert, weiss nicht, weiß nicht, don't know, dont know, trifft nicht zu, "
    "not applicable".split(", ")
)
"""Texts that say why there is a gap: among numbers they are gaps, among categories a category."""
LABELS = re.compile(
    r"(?<!\w)(?:missing|keine angabe|k\. ?a\.|no answer|refus\w+|verweiger\w+|wei(?:ß|ss) nicht|don'?t know|"
    r"not applicable|trifft nicht zu|not stated|unknown|unbekannt|nicht erhoben|not asked|entfällt|n/a)(?!\w)|"
    r"^\s*na\s*$",
    re.IGNORECASE,
)
NEGATIVE = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -97, -98, -99, -997, -998, -999, -9997, -9998, -9999)
NINES = tuple(int(f"9{'9' * n}{last}") for n in range(8) for last in "789")
"""97, 98, 99 need two digits, 997 three, and so on."""
APART = 5
"""A code of nines is a code when it is at least so many times as large as every other value."""


def words_for_missing(values: Sequence[str], words: frozenset[str] = EMPTY | SAID) -> tuple[str, ...]:
    """Texts that mean "missing"; "NA" is Namibia among other codes of two capitals.

    >>> words_for_missing(["12", "k.A.", "NA"]), words_for_missing(["DE", "FR", "NA"])
    (('k.A.', 'NA'), ())
    """
    found = [value for value in values if value.strip().lower() in words]
    rest = [value for value in values if value not in found]
    if rest and all(re.fullmatch("[A-Z]{2}", value) for value in rest):
        found = [value for value in found if value != "NA"]
    return tuple(found)


def codes_for_missing(numbers: Collection[float]) -> tuple[int, ...]:
    """Numbers that stand for "missing" among numbers that are measured or counted.

    >>> codes_for_missing([0, 17, 44, 61, -9, -8]), codes_for_missing([17, 44, 999]), codes_for_missing([-9, -4.5, 3])
    ((-9, -8), (999,), ())
    """
    below = {n for n in numbers if n < 0}
    found = {int(n) for n in below if n in NEGATIVE} if below <= set(NEGATIVE) else set()
    rest = [n for n in numbers if n not in found]
    nines = {n for n in rest if n in NINES}
    others = [n for n in rest if n not in nines]
    if others and nines and min(nines) >= APART * max(*others, 1):
        found |= {int(n) for n in nines}
    # A column of nothing but codes is a column of codes: then they are its values.
    return tuple(sorted(found)) if len(found) < len(numbers) else ()


def labelled_as_missing(labels: Mapping[str, str]) -> tuple[str, ...]:
    """Codes whose label says that nothing is there.

    >>> labelled_as_missing({"1": "ja", "8": "Weiß nicht", "9": "keine Angabe"})
    ('8', '9')
    """
    return tuple(code for code, label in labels.items() if LABELS.search(label))
