"""Which pairs are worth a look, and by which columns the files are laid together to learn from.

Candidates are the likeliest records of each target by the assumed errors, among all pairs. To learn how often true
pairs differ in a column, pairs that agree in other columns are taken, and what agrees cannot be learnt from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schleier.extras.linkage._columns import RARE, Codes, Compared

if TYPE_CHECKING:
    from schleier.kernels.linkage import penalties

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

TABLE = 4_000_000
"""Entries a table of what values and cells cost may have; larger ones only ask whether both are the same."""
PAIRS = 1_000_000
"""Pairs that are enough to learn from."""
SINGLE = 0.5
"""Share of cells that must be one value, for pairs to be laid together by a column."""


def costs_of(columns: Sequence[Compared]) -> list[penalties.Words | penalties.Numbers]:
    """What each column costs a pair: how much less likely it is than the likeliest one."""
    return [_cost(column) for column in columns]


def _cost(column: Compared) -> penalties.Words | penalties.Numbers:
    from schleier.kernels.linkage import penalties

    codes, chances = column.codes, [level.chance for level in column.levels]
    shares, single = codes.shares(), max(codes.single, RARE)
    same = np.log(chances[0] / (shares * single))
    many = len(codes.holds)
    usual = codes.agreement()
    other = np.log(sum(chances[1 + (many > 0) :]) / max(1 - usual, 0.01))
    fits = np.log(chances[1] / np.maximum(codes.masses() * (1 - single), RARE)) if many else np.zeros(0)
    most = float(max(same.max(initial=0.0), fits.max(initial=0.0), 0.0))
    values, value = np.unique(codes.known, return_inverse=True)
    nobody = ~np.isin(codes.cells, values) & (codes.cells >= 0)  # values that no target has are all alike
    cells, cell = np.unique(np.where(nobody, -2 - many, codes.cells), return_inverse=True)
    if len(values) * len(cells) > TABLE and not many:
        gaps = [np.where(side < 0, np.nan, side).astype(np.float64) for side in (codes.known, codes.cells)]
        mean = float(shares @ same)
        return penalties.Numbers(gaps[0], gaps[1], gaps[1], weight=mean - other, power=0, gap=max(mean, 0.0))
    weights = np.full((len(values), len(cells)), other)
    for k, code in enumerate(cells):
        if -2 - many < code < -1:
            weights[:, k] = np.where(codes.holds[-2 - code, values], fits[-2 - code], other)
    weights[:, cells == -1] = 0.0
    weights[values == -1] = 0.0
    here, there = np.nonzero((values[:, None] == cells) & (values[:, None] >= 0))
    weights[here, there] = same[values[here]]
    return penalties.Words(value.reshape(-1), cell.reshape(-1), most - weights)


def rules_to_learn(columns: Sequence[Compared]) -> list[tuple[int, ...]]:
    """Two sets of columns, each of which leaves few pairs that agree in all of it; they share as little as possible."""
    usable = [j for j, column in enumerate(columns) if column.codes.single >= SINGLE]
    usable.sort(key=lambda j: columns[j].codes.agreement())
    rules: list[tuple[int, ...]] = []
    for _ in range(2):
        used = {j for rule in rules for j in rule}
        order = sorted(usable, key=lambda j: j in used)  # stable: the most telling of the unused ones first
        for size in range(1, len(columns)):
            if size > len(order):
                break
            if 0 < pairs_of([columns[j].codes for j in order[:size]]) <= PAIRS:
                rules.append(tuple(order[:size]))
                break
    return list(dict.fromkeys(tuple(sorted(rule)) for rule in rules))


def pairs_of(codes: Sequence[Codes]) -> int:
    """How many pairs have the same value in all of some columns.

    >>> one = Codes(np.array([0, 1, -1]), np.array([0, 0, -1, 2]), np.zeros((0, 3), dtype=np.bool_))
    >>> pairs_of([one])
    2
    """
    targets = len(codes[0].known)
    whole = np.zeros(targets + len(codes[0].cells), dtype=np.int64)
    gap = np.zeros(len(whole), dtype=np.bool_)
    for column in codes:
        both = np.concatenate([column.known, column.cells])
        gap |= both < 0
        _, whole = np.unique(whole * (column.holds.shape[1] + 1) + np.maximum(both, 0), return_inverse=True)
    many = int(whole.max(initial=0)) + 1
    here, there = whole[:targets][~gap[:targets]], whole[targets:][~gap[targets:]]
    return int(np.bincount(here, minlength=many) @ np.bincount(there, minlength=many))
