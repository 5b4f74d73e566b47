"""The same persons recorded twice or three times: how often a column differs, and whose error it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.statistics.trials import Trials

Values = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True)
class Changes:
    """What became of one column between two records of the same persons."""

    pairs: int
    """Persons recorded twice."""
    different: int
    """Both records have a value, and it is not the same."""
    only_first: int
    """The second record has no value, the first one has."""
    only_second: int
    """The first record has no value, the second one has."""
    neither: int
    """No record has a value: nothing differs."""

    @property
    def off(self) -> Trials:
        """Pairs that do not match: a value against none is as bad as another value (L7641-7665)."""
        return Trials(self.different + self.only_first + self.only_second, self.pairs)

    @property
    def answered(self) -> Trials:
        """Pairs that differ among those with two values."""
        return Trials(self.different, self.pairs - self.only_first - self.only_second - self.neither)


@dataclass(frozen=True)
class Attribution:
    """Deviations between one file and two waves of another, by whose error they are, as shares of all persons.

    ``deviating`` is the sum of ``single`` and ``repeated``; ``total`` is that and both kinds of gaps.
    """

    persons: int
    single: float
    """Errors of the file recorded once: both waves agree against it (differences of definition included)."""
    repeated: float
    """Errors of the file recorded twice: one wave is against the other and the single file."""
    missing_single: float
    """No value in the file recorded once, but one in a wave."""
    missing_repeated: float
    """A value in the file recorded once, but a wave has none."""

    @property
    def deviating(self) -> float:
        """Deviations without gaps: column (2) of Table 4.4."""
        return self.single + self.repeated

    @property
    def total(self) -> float:
        """Deviations with gaps: column (1) of Table 4.4."""
        return self.deviating + self.missing_single + self.missing_repeated


def change_rates(first: Values, second: Values, recode: Mapping[Any, Any] | None = None) -> Changes:
    """Compare two records of the same persons, one column, in the same order; None and not-a-number are missing.

    ``recode`` maps values of both files to common ones (a finer code to a coarser); others stay as they are.

    >>> found = change_rates(["a", "b", None, "c"], ["a", "c", "b", "c"])
    >>> found.different, found.only_second, found.off.share, round(found.answered.share, 3)
    (1, 1, 0.5, 0.333)
    """
    (one, two), gaps = _told([first, second], recode)
    both = ~(gaps[0] | gaps[1])
    return Changes(
        pairs=len(one),
        different=int((both & (one != two)).sum()),
        only_first=int((gaps[1] & ~gaps[0]).sum()),
        only_second=int((gaps[0] & ~gaps[1]).sum()),
        neither=int((gaps[0] & gaps[1]).sum()),
    )


def attribute(single: Values, wave: Values, later_wave: Values, recode: Mapping[Any, Any] | None = None) -> Attribution:
    """Whose error a deviation is, when one file was recorded once and the other twice (L8048-8055).

    Where all three differ it is divided as the clear cases are; in halves when there is no clear case.

    >>> found = attribute(["a", "b", "a", "a"], ["a", "a", "a", None], ["a", "a", "b", "a"])
    >>> found.single, found.repeated, found.missing_repeated, found.total
    (0.25, 0.25, 0.25, 0.75)
    """
    (once, one, two), gaps = _told([single, wave, later_wave], recode)
    complete = ~(gaps[0] | gaps[1] | gaps[2])
    return attributed(
        persons=len(once),
        by_single=int((complete & (one == two) & (one != once)).sum()),
        by_wave=int((complete & (one != two) & ((once == one) | (once == two))).sum()),
        undecided=int((complete & (one != two) & (once != one) & (once != two)).sum()),
        missing_single=int((gaps[0] & ~(gaps[1] & gaps[2])).sum()),
        missing_wave=int((~gaps[0] & (gaps[1] | gaps[2])).sum()),
    )


def attributed(
    persons: int, by_single: int, by_wave: int, undecided: int, missing_single: int, missing_wave: int
) -> Attribution:
    """The same from counts: both waves against the single file, one wave against both others, all three different.

    >>> attributed(100, by_single=6, by_wave=2, undecided=4, missing_single=0, missing_wave=0).single
    0.09
    """
    clear = by_single + by_wave
    part = by_single / clear if clear else 0.5
    per = 1 / persons if persons else 0.0
    return Attribution(
        persons=persons,
        single=(by_single + undecided * part) * per,
        repeated=(by_wave + undecided * (1 - part)) * per,
        missing_single=missing_single * per,
        missing_repeated=missing_wave * per,
    )


def _told(
    columns: Sequence[Values], recode: Mapping[Any, Any] | None
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.bool_]]]:
    """Columns as common codes, and where each has no value."""
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError("the records are not of the same persons: the columns have different lengths")
    codes: dict[Any, int] = {}
    told, gaps = [], []
    for column in columns:
        plain = column.tolist() if isinstance(column, np.ndarray) else list(column)
        values = [recode.get(value, value) if recode else value for value in plain]
        gap = np.array(
            [value is None or (isinstance(value, float) and math.isnan(value)) for value in values], dtype=np.bool_
        )
        place = [-1 if hole else codes.setdefault(value, len(codes)) for value, hole in zip(values, gap, strict=True)]
        told.append(np.array(place, dtype=np.int64))
        gaps.append(gap)
    return told, gaps
