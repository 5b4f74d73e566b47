"""Draft hierarchies: how a column that outsiders may know is made coarser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from schleier.core.hierarchy import ROOT, Hierarchy, parse
from schleier.draft.facts import Facts
from schleier.draft.names import Way
from schleier.draft.roles import Guess

SHARES = (0.01, 0.05, 0.2)
"""A category keeps its name at a level when at least this share of the rows has it."""
BINS = (32, 16, 8, 4, 2)


def hierarchy_of(guess: Guess, other: str) -> Hierarchy | None:
    """A hierarchy for a guessed quasi-identifier; ``other`` is the word for rare categories taken together."""
    definition = _definition(guess, other)
    if definition is None:
        return None
    found = parse(definition)
    return found if not any(found.problems("")) else None


def _definition(guess: Guess, other: str) -> dict[str, Any] | None:
    column, facts = guess.column, guess.facts
    way: Way | None = guess.meaning.hierarchy if guess.meaning else None
    if column.scale == "time":
        return {"dates": ["month", "year", "decade"]}
    if column.numeric:
        if way == "ages":
            return {"intervals": [5, 10, 20]}
        bins = [n for n in BINS if n <= max(facts.distinct // 2, 2)]
        return {"balanced": bins}
    if way == "prefix" or (way == "codes" and is_coded(facts.texts)):
        longest = max((len(text) for text in facts.texts), default=0)
        kept = [n for n in (4, 3, 2, 1) if n < longest]
        return {"prefix": kept} if kept else None
    return _frequent(facts, [str(code) for code in column.missing], other) if facts.whole else None


def _frequent(facts: Facts, gaps: Sequence[str], other: str) -> dict[str, Any] | None:
    """Rare categories taken together, from level to level more of them; a new value becomes the root."""
    total = float(facts.counts.sum())
    shares = {text: float(n) / total for text, n in zip(facts.texts, facts.counts, strict=True) if text not in gaps}
    if len(shares) < 2 or ROOT in shares:
        return None
    word = other if other not in shares else f"({other})"
    levels = [[text if share >= limit else word for text, share in shares.items()] for limit in SHARES]
    useful = [level for i, level in enumerate(levels) if level != ([*shares], *levels)[i] and len(set(level)) > 1]
    return {"rows": [[text, *labels, ROOT] for text, *labels in zip(shares, *useful, strict=True)], "outside": "root"}


def is_coded(texts: Sequence[str]) -> bool:
    """Whether the values are codes of a classification: their first characters say what is near.

    >>> is_coded(["25101", "25112"]), is_coded(["baker", "clerk"])
    (True, False)
    """
    return bool(texts) and all(re.fullmatch(r"[A-Z]?\d{2,}(?:\.\d+)?", text) for text in texts)
