"""How well columns are guessed, by kind, on files that were labelled by somebody who had not seen the guesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOUND = frozenset({"identifier", "unit", "quasi"})
"""What must be found: keys and identifiers."""
SAFE = frozenset({"plain", "weight"})
"""What is released as it is, and does not count as known outside."""


@dataclass
class Score:
    """Columns by what they are and what they were taken for."""

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, file: str, truth: Mapping[str, Any], guessed: Mapping[str, str]) -> None:
        """One file."""
        for name, told in truth.items():
            accepted = [told] if isinstance(told, str) else list(told)
            guess = guessed.get(name, "absent")
            # Where stewards differ about a column, leaving it undecided is as right as either.
            unsure = guess == "undecided" and any(_side(one) != _side(accepted[0]) for one in accepted)
            kind = "either" if unsure else guess if guess in accepted else accepted[0]
            self.pairs[kind, guess] += 1
            if unsure:
                continue
            if _side(kind) != _side(guess):
                self.wrong.append((file, name, "|".join(accepted), guess))

    def recall(self, kinds: Iterable[str] = FOUND) -> float:
        """Of the columns of these kinds, the share that was found to be a key or an identifier."""
        mine = Counter({pair: n for pair, n in self.pairs.items() if pair[0] in set(kinds)})
        return _share(sum(n for (_, guess), n in mine.items() if guess in FOUND), sum(mine.values()))

    def precision(self, kinds: Iterable[str] = FOUND) -> float:
        """Of the columns taken for these kinds, the share that are keys or identifiers."""
        mine = Counter({pair: n for pair, n in self.pairs.items() if pair[1] in set(kinds)})
        return _share(sum(n for (kind, _), n in mine.items() if kind in FOUND), sum(mine.values()))

    def taken_for_safe(self) -> float:
        """Of the keys and identifiers, the share that would be released as it is: the one error that does harm."""
        mine = Counter({pair: n for pair, n in self.pairs.items() if pair[0] in FOUND})
        return _share(sum(n for (_, guess), n in mine.items() if guess in SAFE), sum(mine.values()))

    def of_kind(self, kind: str) -> tuple[int, float, float]:
        """Columns of a kind, the share guessed as exactly that, and the share of such guesses that are right."""
        mine = sum(n for (truth, _), n in self.pairs.items() if truth == kind)
        taken = sum(n for (_, guess), n in self.pairs.items() if guess == kind)
        return mine, _share(self.pairs[kind, kind], mine), _share(self.pairs[kind, kind], taken)


def _side(role: str) -> bool:
    return role in FOUND


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def guess(file: Path) -> dict[str, str]:
    """The role of every column, as a draft takes it."""
    from schleier.draft.describe import describe

    draft = describe(file)
    return {one.column.name: "identifier" if one.is_key else one.column.role for one in draft.guesses}
