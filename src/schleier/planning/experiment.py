"""What an experiment with an attack tells: how many persons an attacker must look for, and how often columns differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schleier.core.errors import Problems
from schleier.flow.survey import Differences, Experiment, Tries

MOST = 10**10
LINKS, PAIRS = ("tried", "right"), ("pairs", "identical", "columns")
KEYS = (*LINKS, "wrong", "wanted", *PAIRS)


@dataclass(frozen=True)
class Counts:
    """What was counted: persons looked for and links, or true pairs and those that are the same in all columns."""

    tried: int | None = None
    right: int = 0
    wrong: int = 0
    wanted: int = 1
    pairs: int | None = None
    identical: int = 0
    columns: int = 1

    def told(self) -> Experiment:
        """What follows from it, with 95 % intervals (Wilson).

        >>> found = Counts(tried=7983, right=4, wrong=10, wanted=100).told().tries
        >>> found.tries, found.wrong, round(found.low), round(found.high)
        (199575.0, 250.0, 77655, 513160)
        """
        return Experiment(tries=self._tries(), differences=self._differences())

    def _tries(self) -> Tries | None:
        from schleier.kernels.population.composition import trials_needed
        from schleier.kernels.statistics.trials import Trials

        if self.tried is None:
            return None
        low, high = Trials(self.right, self.tried).interval()
        found = trials_needed(self.wanted, self.tried, self.right, self.wrong) if self.right else None
        return Tries(
            wanted=self.wanted,
            tried=self.tried,
            right=self.right,
            tries=found.tries if found else None,
            wrong=found.false if found else None,
            low=self.wanted / high,
            high=self.wanted / low if low else None,
        )

    def _differences(self) -> Differences | None:
        from schleier.kernels.population.compatibility import implied_p
        from schleier.kernels.statistics.trials import Trials

        if self.pairs is None:
            return None
        low, high = (1 - share ** (1 / self.columns) for share in Trials(self.identical, self.pairs).interval()[::-1])
        rate = implied_p(self.identical, self.pairs, self.columns)
        return Differences(
            pairs=self.pairs, identical=self.identical, columns=self.columns, rate=rate, low=low, high=high
        )


def read_experiment(given: Any, problems: Problems) -> Counts | None:
    """The counts of a section of a design; everything wrong is told."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        problems.add("bad-parameter", "experiment", "must be a section", "write [experiment] with tried and right")
        return None
    parts = [part for part in (LINKS, PAIRS) if any(name in given for name in part)]
    wanted = [name for part in parts for name in part] or list(LINKS)
    for name in wanted:
        if name not in given:
            problems.add("bad-parameter", f"experiment.{name}", "missing", "count it in the experiment")
    for name in KEYS:
        least = 1 if name in ("tried", "wanted", "pairs", "columns") else 0
        if name in given and not (type(given[name]) is int and least <= given[name] <= MOST):
            problems.add("bad-parameter", f"experiment.{name}", f"must be a whole number from {least} to {MOST}")
            return None
    if not all(name in given for name in wanted):
        return None
    found = Counts(**{name: given[name] for name in KEYS if name in given})
    if found.tried is not None and found.right + found.wrong > found.tried:
        problems.add("bad-parameter", "experiment.tried", "there are more links than persons looked for")
    if found.pairs is not None and found.identical > found.pairs:
        problems.add("bad-parameter", "experiment.pairs", "there are more identical pairs than pairs")
    return found
