"""What an attacker learns from: persons he makes up from the release with the errors he expects, and how pairs compare.

He knows which record each made-up person comes from, so he needs no true pair of anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schleier.core.trust.sides import Numbers, Sides, Words

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
ERROR = 0.05
"""Share of values of a column that an attacker takes for different in the two files where he knows no better."""
SLIP = 0.1
"""Half of the errors in numbers are slips: so large, in standard deviations."""
RARE = 1e-9


@dataclass(frozen=True)
class Common:
    """How often the cells of a column hold what a stranger has, and how far its numbers spread."""

    mass: Floats
    """Of each cell of words (the last is a gap), or of each record's number or interval."""
    spread: float = 1.0


def commons_of(sides: Sides) -> dict[str, Common]:
    """What is common in each column, from both files."""
    return {name: _words(col) if isinstance(col, Words) else _numbers(col) for name, col in sides.columns.items()}


def _words(column: Words) -> Common:
    meets = column.meets[:-1, :-1]
    known, cells = (np.bincount(side[side >= 0], minlength=many) for side, many in _sizes(column))
    single = meets.sum(axis=1) <= 1  # one value; of those that no target has each cell is a value of its own
    counts = known + (meets * (cells * single)[:, None]).sum(axis=0)
    total = max(known.sum() + cells[single].sum(), 1)
    mass = np.where(meets.any(axis=1), meets @ counts, cells) / total
    return Common(np.append(np.clip(mass, RARE, 1.0), 1.0))


def _sizes(column: Words) -> tuple[tuple[NDArray[np.int32], int], tuple[NDArray[np.int32], int]]:
    return (column.known, column.meets.shape[1] - 1), (column.cells, column.meets.shape[0] - 1)


def _numbers(column: Numbers) -> Common:
    known, middles = column.middles()
    points = np.sort(np.concatenate([known[np.isfinite(known)], middles[np.isfinite(middles)]]))
    within = np.searchsorted(points, column.high, "right") - np.searchsorted(points, column.low, "left")
    spread = float(points.std()) if len(points) else 0.0
    return Common(np.clip(within / max(len(points), 1), RARE, 1.0), spread or 1.0)


def simulated(sides: Sides, errors: Mapping[str, float], many: int, rng: np.random.Generator) -> tuple[Sides, Whole]:
    """So many made-up persons in place of the targets, and the record each of them comes from."""
    records = len(sides.records)
    own = np.sort(rng.choice(records, min(many, records), replace=False))
    columns: dict[str, Words | Numbers] = {}
    for name, column in sides.columns.items():
        error = errors.get(name, ERROR)
        if isinstance(column, Words):
            columns[name] = replace(column, known=_said_words(column, own, error, rng))
        else:
            said = _said_numbers(column, own, error, rng)
            gap = np.isnan(said)
            low, high = (
                (-np.inf, np.inf) if np.isinf(column.known).any() or np.isinf(column.low).any() else (np.nan, np.nan)
            )
            columns[name] = replace(column, known=np.where(gap, low, said), upto=np.where(gap, high, said))
    return replace(sides, columns=columns), own


def _said_words(column: Words, own: Whole, error: float, rng: np.random.Generator) -> NDArray[np.int32]:
    """A value that the cell may stand for, frequent ones more often, or by mistake any other; gaps as in his file."""
    values = column.meets.shape[1] - 1
    if not values:
        return np.full(len(own), -1, dtype=np.int32)
    often = np.bincount(column.known[column.known >= 0], minlength=values) + RARE
    sums = np.cumsum(column.meets[:, :-1] * often, axis=1)[column.cells[own]]  # the last row is that of a gap
    drawn = (sums <= (rng.random(len(own)) * sums[:, -1])[:, None]).sum(axis=1)
    found = np.where(sums[:, -1] > 0, np.minimum(drawn, values - 1), -1)  # nothing is known of values no target has
    wrong = rng.random(len(own)) < error
    found = np.where(wrong & (found >= 0), rng.integers(0, values, len(own)), found)
    gaps = rng.random(len(own)) < float((column.known < 0).mean())
    return np.where(gaps, -1, found).astype(np.int32)


def _said_numbers(column: Numbers, own: Whole, error: float, rng: np.random.Generator) -> Floats:
    """A number out of the interval, or by mistake one that is near, or any other; nan for a gap."""
    known, middles = column.middles()
    told = np.sort(known[np.isfinite(known)])
    low, high = column.low[own], column.high[own]
    if not len(told):
        return np.full(len(own), np.nan)
    first, last = np.searchsorted(told, low, "left"), np.searchsorted(told, high, "right")
    drawn = told[np.minimum(first + (rng.random(len(own)) * (last - first)).astype(np.int64), len(told) - 1)]
    found = np.where((last > first) & (low < high), drawn, middles[own])
    grid = 1.0 if bool((told == np.round(told)).all()) else 0.0
    slip = np.abs(rng.normal(0, SLIP * (float(told.std()) or 1.0), len(own)))
    slip = np.maximum(np.round(slip), 1.0) if grid else slip
    near = found + np.where(rng.random(len(own)) < 0.5, -slip, slip)
    wrong, slight = rng.random(len(own)) < error, rng.random(len(own)) < 0.5
    found = np.where(wrong, np.where(slight, near, told[rng.integers(0, len(told), len(own))]), found)
    gaps = rng.random(len(own)) < float((~np.isfinite(known)).mean())
    return np.where(gaps, np.nan, found)


def vectors(
    sides: Sides, commons: Mapping[str, Common], errors: Mapping[str, float], target: Whole, record: Whole
) -> Floats:
    """How each pair compares: two numbers for each column, and what they come to, alone and beside other candidates.

    Pairs stand in the order of their targets. Equal records have equal vectors.
    """
    parts: list[Floats] = []
    score = np.zeros(len(target))
    for name, column in sides.columns.items():
        common, error = commons[name], errors.get(name, ERROR)
        if isinstance(column, Words):
            cell, value = column.cells[record], column.known[target]
            gap, off = (cell < 0) | (value < 0), np.where(column.meets[cell, value], 0.0, 1.0)
            info = -np.log(common.mass[cell])
        else:
            gap, off = _off(column, target, record, common.spread)
            info = -np.log(common.mass[record])
        off = np.where(gap, np.nan, off)
        score += np.where(gap, 0.0, np.where(off == 0, info + np.log1p(-error), np.log(error) - np.log1p(off)))
        parts += [off, np.where(off == 0, info, -1.0)]
    return np.column_stack([*parts, score, *_beside(target, score)])


def _off(column: Numbers, target: Whole, record: Whole, spread: float) -> tuple[NDArray[np.bool_], Floats]:
    known, low, high = column.known[target], column.low[record], column.high[record]
    gap = ~np.isfinite(known) | ~(np.isfinite(low) | np.isfinite(high))
    with np.errstate(invalid="ignore"):
        return gap, np.maximum(np.maximum(low - known, known - high), 0.0) / spread


def _beside(target: Whole, score: Floats) -> list[Floats]:
    """For each pair how much better it is than the best other candidate, how many are as good, and the second best."""
    if not len(target):
        return [np.zeros(0)] * 3
    order = np.lexsort((-score, target))
    starts = np.flatnonzero(np.diff(target[order], prepend=-1))
    which = np.cumsum(np.diff(target[order], prepend=-1) != 0) - 1
    counts = np.diff(starts, append=len(target))
    ranked = score[order]
    best = ranked[starts]
    second = np.where(counts > 1, ranked[np.minimum(starts + 1, len(ranked) - 1)], ranked.min() - 10.0)
    first = np.zeros(len(target), dtype=np.bool_)
    first[starts] = True
    margin, alike = np.empty(len(target)), np.empty(len(target))
    margin[order] = ranked - np.where(first, second[which], best[which])
    alike[order] = np.add.reduceat((ranked >= best[which] - 1e-9).astype(np.float64), starts)[which]
    after = np.empty(len(target))
    after[order] = (best - second)[which]
    return [margin, alike, after]
