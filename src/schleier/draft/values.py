"""What the values of a column tell about it, whatever its name: words for sexes, regions, trades and the like."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from schleier.core.record import Frozen
from schleier.draft.facts import Facts
from schleier.draft.gaps import words_for_missing
from schleier.draft.names import Meaning, meaning_called, spelt

MOST = 2000
"""Different values that are looked up."""
FIRST = 40
"""Values that are looked up first."""
NEARLY_ALL = 0.8
"""Share of the different values, and of the rows, that must be among the words of a meaning."""
FLAGS = tuple(map(frozenset, (("0", "1"), ("yes", "no"), ("ja", "nein"), ("true", "false"), ("t", "f"), ("y", "n"))))
VAGUE = frozenset(
    "none other high low medium single head higher other services public private local health education information "
    "insurance research agree disagree neutral neither".split()
)
"""Words for many things."""
_SIGN = r"(?:[$€£¥₹₽₺₩]|(?:eur|usd|gbp|chf|jpy|sek|nok|dkk|pln|czk|euros?|dollars?|kr|zł|sfr|fr)(?![a-z]))"
MONEY = re.compile(rf"{_SIGN}\s?[-+]?[.,]?\d|\d(?:[.,]-+)?\s?(?:k|m|mio\.?|tsd\.?)?\s?{_SIGN}", re.IGNORECASE)
DIAGNOSIS = re.compile(r"[A-TV-Z]\d\d\.\d{1,3}[A-Z]?[-*+!†]?")
SHORT = 40
"""A longer text that speaks of money is not an amount."""
LEGAL = re.compile(
    r"(?:^|[\s,.&])(?:g?gmbh|ag|kg|ohg|gbr|ug|e\.? ?k\.?|se|kgaa|mbh|ltd\.?|limited|inc\.?|llc|plc|corp\.?|corporation|"
    r"company|& co\.?|s\.?a\.?r\.?l\.?|s\.?a\.?|s\.?p\.?a\.?|s\.?r\.?l\.?|b\.?v\.?|n\.?v\.?|oy|ab|a/s|aps|"
    r"e\.? ?v\.?|eg)"
    r"(?:\s*\(.*\))?\s*$",
    re.IGNORECASE,
)


class Lexicon(Frozen):
    """Words for one meaning."""

    words: frozenset[str]
    needs: frozenset[str] = frozenset()
    """At least one of these must occur: "other" and "high" are said of everything."""


def value_meaning(facts: Facts) -> Meaning | None:
    """The meaning that nearly all values of a column, or the labels of its codes, speak of.

    >>> import numpy as np, pyarrow as pa
    >>> def column(*values):
    ...     return Facts("q7", "text", 90, 0, len(values), pa.array(values), np.full(len(values), 30), whole=True)
    >>> value_meaning(column("male", "female")).name, value_meaning(column("Bayern", "Köln")).name
    ('sex', 'place')
    >>> value_meaning(column("a", "b")) is None
    True
    """
    if facts.kind == "text" and facts.distinct <= MOST and facts.filled:
        return _diagnoses(facts.texts) or _told(facts.texts, facts.counts.tolist())
    labels = [label for code, label in facts.entry.labels.items() if code in _present(facts)]
    return _told(labels, [1] * len(labels)) if labels else None


def answer_meaning(facts: Facts) -> Meaning | None:
    """The meaning of a column of yes and no that is called like one of the values of another: "illinois", "catholic".

    >>> import numpy as np, pyarrow as pa
    >>> flag = Facts("illinois", "integer", 90, 0, 2, pa.array([0, 1]), np.array([60, 30]), whole=True)
    >>> answer_meaning(flag).name
    'place'
    """
    if not is_flag(facts):
        return None
    name = spelt(facts.name)
    known = (meaning for meaning, lexicon in _lexicons().items() if len(name) > 2 and name in lexicon.words - VAGUE)
    if (found := next(map(meaning_called, known), None)) is not None:
        return found
    jobs = _lexicons()["occupation"].words - VAGUE
    return meaning_called("occupation") if " " in name and name.rpartition(" ")[2] in jobs else None  # "web developer"


def is_flag(facts: Facts) -> bool:
    """Whether a column answers yes or no.

    >>> import numpy as np, pyarrow as pa
    >>> is_flag(Facts("x", "integer", 90, 0, 2, pa.array([0, 1]), np.array([60, 30]), whole=True))
    True
    """
    if facts.kind == "boolean":
        return True
    texts = {re.sub(r"\.0+$", "", text.strip().lower()) for text in facts.texts} if facts.distinct <= 2 else set()
    return facts.distinct == 2 and texts in FLAGS


def are_amounts(facts: Facts) -> bool:
    """Whether nearly all values are amounts of money, or ranges of them, by the sign of a currency.

    >>> import numpy as np, pyarrow as pa
    >>> def column(*values):
    ...     return Facts("q7", "text", 90, 0, len(values), pa.array(values), np.full(len(values), 30), whole=True)
    >>> [are_amounts(column(*values)) for values in (("$1,200", "($90.50)"), ("1.200 €", "80 €", "k. A."), ("9", "7"))]
    [True, True, False]
    """
    if facts.kind != "text" or not facts.filled:
        return False
    texts = facts.values.slice(0, 10 * FIRST).to_pylist()
    gone = set(words_for_missing(texts))
    told = [len(text) <= SHORT and MONEY.search(text) is not None for text in texts if text not in gone]
    return bool(told) and sum(told) >= NEARLY_ALL * len(told)


def share_of_firms(facts: Facts) -> float:
    """Share of the values that end like names of firms, and are not merely legal forms; zero where they are few."""
    if facts.kind != "text" or facts.distinct <= 2:
        return 0.0
    texts = [text.strip() for text in facts.texts[: 10 * FIRST]]
    firms = sum(len(text) > 6 and LEGAL.search(text) is not None for text in texts)
    return firms / len(texts) if firms >= max(0.3 * len(texts), 2) else 0.0


def _diagnoses(texts: Sequence[str]) -> Meaning | None:
    """Health, where nearly all values are codes of diagnoses in the form of ICD-10: "E11.90"."""
    codes = sum(DIAGNOSIS.fullmatch(text.strip()) is not None for text in texts[: 10 * FIRST])
    return meaning_called("health") if codes >= max(NEARLY_ALL * len(texts[: 10 * FIRST]), 2) else None


def _present(facts: Facts) -> frozenset[str]:
    texts = facts.texts if facts.distinct <= MOST else []
    return frozenset(re.sub(r"\.0$", "", text) for text in texts)


def _told(texts: Sequence[str], counts: Sequence[int]) -> Meaning | None:
    first = {spelt(_uncoded(text).lower()) for text in texts[:FIRST]}
    if 2 * len(first & _every_word()) < len(first):  # most columns hold nothing of the kind, which is quickly seen
        return None
    words = {text: spelt(_uncoded(text).lower()) for text in texts}
    if all(word.isdigit() or not word for word in words.values()):
        return None
    total = sum(counts)
    for name, lexicon in _lexicons().items():
        known = [word in lexicon.words for word in words.values()]
        rows = sum(n for n, hit in zip(counts, known, strict=True) if hit)
        needed = not lexicon.needs or not lexicon.needs.isdisjoint(words.values())
        if sum(known) >= 2 and needed and sum(known) >= NEARLY_ALL * len(known) and rows >= NEARLY_ALL * total:
            return meaning_called(name)
    return None


def _uncoded(text: str) -> str:
    """A category without the number before it: "3. Married" is "Married"."""
    return re.sub(r"^\s*\d+[.):]?\s+", "", text)


@cache
def _every_word() -> frozenset[str]:
    return frozenset(word for lexicon in _lexicons().values() for word in lexicon.words)


@cache
def _lexicons() -> dict[str, Lexicon]:
    table = tomllib.loads(Path(__file__).with_name("known_values.toml").read_text(encoding="utf-8"))
    return {name: Lexicon(**entry) for name, entry in table.items()}
