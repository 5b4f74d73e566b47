"""Draft hierarchies: how a column that outsiders may know is made coarser."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from schleier.core.hierarchy import ROOT, Hierarchy, parse
from schleier.draft.facts import Facts
from schleier.draft.names import Way
from schleier.draft.roles import ColumnGuess

SHARES = (0.01, 0.05, 0.2)
"""A category keeps its name at a level when at least this share of the rows has it."""
BINS = (32, 16, 8, 4, 2)
ALL_OR_NOTHING: dict[str, Any] = {"prefix": [0], "outside": "root"}
"""A hierarchy for values of any kind: as they are, or the root."""
LISTED = ("dates", "intervals", "prefix", "balanced", "network")
"""Kinds of hierarchy that list their levels."""


def hierarchy_of(guess: ColumnGuess, other: str) -> Hierarchy | None:
    """A hierarchy for a guessed quasi-identifier; ``other`` is the word for rare categories taken together."""
    definition = _definition(guess, other)
    if definition is None:
        return None
    found = parse(definition)
    return found if not any(found.problems("")) else None


def _definition(guess: ColumnGuess, other: str) -> dict[str, Any] | None:
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
    gaps = [str(code) for code in column.missing]
    return _frequent(facts, gaps, column.labels, other) if facts.whole else None


def _frequent(facts: Facts, gaps: Sequence[str], labels: Mapping[str, str], other: str) -> dict[str, Any] | None:
    """Rare categories taken together, from level to level more of them; a new value becomes the root.

    Among words, codes would say nothing: where the file has words for them, these stand at the coarser levels.
    """
    total = float(facts.counts.sum())
    shares = {text: float(n) / total for text, n in zip(facts.texts, facts.counts, strict=True) if text not in gaps}
    if len(shares) < 2 or ROOT in shares:
        return None
    names = {text: labels.get(re.sub(r"\.0+$", "", text), "").strip() or text for text in shares}
    if len(set(names.values())) < len(names) or ROOT in names.values():  # two codes of one name are two categories
        names = {text: text for text in shares}
    word = other if other not in names.values() else f"({other})"
    levels = [[names[text] if share >= limit else word for text, share in shares.items()] for limit in SHARES]
    before = [[*names.values()], *levels]
    useful = [level for i, level in enumerate(levels) if level != before[i] and len(set(level)) > 1]
    return {"rows": [[text, *labels, ROOT] for text, *labels in zip(shares, *useful, strict=True)], "outside": "root"}


def any_hierarchy(guess: ColumnGuess, other: str) -> Hierarchy:
    """A hierarchy for a quasi-identifier in any case: where nothing is known of the values, all or nothing."""
    return hierarchy_of(guess, other) or parse(ALL_OR_NOTHING)


def thin_hierarchies(hierarchies: Mapping[str, Hierarchy], drafted: Collection[str], most: int) -> dict[str, Hierarchy]:
    """Drafted hierarchies with fewer levels, the deepest first, until a search has so many nodes at most.

    >>> few = thin_hierarchies({"a": parse({"prefix": [4, 3, 2, 1]}), "b": parse({"prefix": [1]})}, ["a", "b"], 12)
    >>> few["a"].to_toml(), few["b"].depth
    ({'prefix': [4, 1]}, 2)
    """
    found = dict(hierarchies)
    while math.prod(h.depth + 1 for h in found.values()) > most:
        name = max((name for name in drafted if found[name].depth > 1), key=lambda n: found[n].depth, default=None)
        if name is None:
            break
        found[name] = _without(found[name])
    return found


def _without(hierarchy: Hierarchy) -> Hierarchy:
    """A hierarchy without one of its levels: one in the middle, as long as there is one."""
    table = hierarchy.to_toml()
    kind = next(key for key in (*LISTED, "rows") if key in table)
    gone = (hierarchy.depth - 1) // 3
    if kind == "rows":
        return parse(table | {"rows": [[*row[: gone + 1], *row[gone + 2 :]] for row in table["rows"]]})
    left = [level for i, level in enumerate(table[kind]) if i != gone]
    return parse(table | {kind: left} if left else ALL_OR_NOTHING)


def is_coded(texts: Sequence[str]) -> bool:
    """Whether the values are codes of a classification: their first characters say what is near.

    >>> is_coded(["25101", "25112"]), is_coded(["baker", "clerk"])
    (True, False)
    """
    return bool(texts) and all(re.fullmatch(r"[A-Z]?\d{2,}(?:\.\d+)?", text) for text in texts)
