"""Microaggregation of one block of columns: who forms a group with whom, and the value they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.keyed import KeyedDraws
from schleier.kernels.grouping.best_groups import improved_groups
from schleier.kernels.grouping.centroid_groups import centroid, max_distance, mdav
from schleier.kernels.grouping.group_values import VALUES, along, modes, nearby, standardised
from schleier.kernels.grouping.halving import Floats, Whole, pieces
from schleier.kernels.grouping.mixed_groups import group_mixed
from schleier.kernels.grouping.sorted_groups import fixed, optimal, principal_component, ratio, safe, score
from schleier.kernels.grouping.variable_groups import extended, ward

SORTED = ("one_variable", "component", "score", "individual", "optimal", "safe_interval", "random")
"""Groupings whose groups are numbered along an order."""
PLAIN = ("one_variable", "individual", "optimal", "safe_interval", "random", "bootstrap")
"""Groupings that need no standardised columns."""
FEWEST = 3
"""Different owners in a group: with two, each finds what the other has (footnote 7, L944)."""


@dataclass(frozen=True)
class GroupingPlan:
    """How to group and what to put in place of the values."""

    grouping: str
    k: int
    representative: str = "mean"
    interval: float = 0.05
    published: bool = False
    reach: float = 0.2
    pieces_of: int | None = None
    keep_zeros: bool = False
    distances: tuple[Floats, ...] = ()
    """Between the categories of each column that holds categories; these columns are the last ones."""


def microaggregate(x: Floats, plan: GroupingPlan, owners: Whole | None, draws: KeyedDraws) -> Floats:
    """The block with every value replaced by that of its group; missing is NaN and stays so.

    Records are grouped with those that have gaps (and kept zeros) in the same columns: then every value in a group is
    one of k. What fewer than k records have becomes missing.
    """
    z = x if plan.grouping in PLAIN else standardised(x)
    patterns = states(x, plan)
    if len(x) >= plan.k and owners is None and (patterns == 1).all():
        return _values(x, z, plan, None, draws)
    result = x.copy()
    found, numbers = kinds(patterns)
    for number, pattern in enumerate(found):
        open_, rows = np.flatnonzero(pattern > 0), np.flatnonzero(numbers == number)
        if not len(open_):
            continue
        few = len(rows) < plan.k or (owners is not None and len(np.unique(owners[rows])) < min(FEWEST, plan.k))
        if few:
            result[np.ix_(rows, open_)] = np.nan
            continue
        place, own = np.ix_(rows, open_), None if owners is None else owners[rows]
        some = replace(plan, distances=_some(plan, x.shape[1], open_))
        result[place] = _values(x[place], z[place], some, own, KeyedDraws(draws.key, draws.rows[rows]))
    return result


def states(x: Floats, plan: GroupingPlan) -> NDArray[np.int8]:
    """For each value: 0 missing, -1 a zero that stays, 1 to be changed, 2 negative where signs are kept apart."""
    found = np.where(np.isnan(x), 0, 1).astype(np.int8)
    if plan.keep_zeros or plan.grouping == "safe_interval":
        numbers = x.shape[1] - len(plan.distances)
        found[:, :numbers][x[:, :numbers] == 0] = -1
    if plan.grouping == "safe_interval":
        found[x < 0] = 2
    return found


def kinds(patterns: NDArray[np.int8]) -> tuple[NDArray[np.int8], Whole]:
    """The different rows, and which of them each row is; column by column, as sorting rows takes long."""
    numbers = np.zeros(len(patterns), np.int64)
    for j in range(patterns.shape[1]):
        numbers = numbers * 4 + (patterns[:, j] + 1)
        if j % 20 == 19 or j == patterns.shape[1] - 1:
            numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    first = np.empty(int(numbers.max(initial=-1)) + 1, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return patterns[first], numbers


def _some(plan: GroupingPlan, columns: int, open_: Whole) -> tuple[Floats, ...]:
    numbers = columns - len(plan.distances)
    return tuple(plan.distances[j - numbers] for j in open_ if j >= numbers)


def _values(x: Floats, z: Floats, plan: GroupingPlan, owners: Whole | None, draws: KeyedDraws) -> Floats:
    """Records without gaps: group them and put the shared values."""
    if plan.grouping == "bootstrap":
        return _bootstrap(x, plan.k, draws)
    groups = grouped(x, z, plan, draws)
    if owners is not None:
        fewest = min(FEWEST, plan.k)
        sorted_ = plan.grouping in SORTED
        groups = along(groups, owners, fewest) if sorted_ else nearby(z, groups, owners, fewest)
    result, numbers = np.empty_like(x), x.shape[1] - len(plan.distances)
    for j in range(x.shape[1]):
        value = VALUES[plan.representative] if j < numbers else modes
        result[:, j] = value(x[:, j], groups)
    return result


def grouped(x: Floats, z: Floats, plan: GroupingPlan, draws: KeyedDraws) -> Whole:
    """The number of each record's group; ``z`` are the standardised columns."""
    if plan.pieces_of is None or plan.grouping in SORTED or len(x) <= 2 * plan.pieces_of:
        return _grouped(x, z, plan, draws)
    groups, number = np.empty(len(x), np.int64), 0
    for rows in pieces(np.ascontiguousarray(z), plan.pieces_of):
        part = _grouped(x[rows], z[rows], plan, KeyedDraws(draws.key, draws.rows[rows]))
        groups[rows] = part + number
        number += int(part.max()) + 1
    return groups


def _grouped(x: Floats, z: Floats, plan: GroupingPlan, draws: KeyedDraws) -> Whole:
    k, numbers = plan.k, x.shape[1] - len(plan.distances)
    ways: dict[str, Callable[[], Whole]] = {
        "one_variable": lambda: fixed(x[:, 0], k),
        "component": lambda: fixed(principal_component(z), k),
        "score": lambda: fixed(score(z), k),
        "individual": lambda: fixed(x[:, 0], k),
        "optimal": lambda: optimal(x[:, 0], k),
        "safe_interval": lambda: safe(np.abs(x[:, 0]), k, ratio(plan.interval, k, plan.published)),
        "random": lambda: fixed(draws.uniform("order"), k),
        "max_distance": lambda: max_distance(z, k),
        "centroid": lambda: centroid(z, k),
        "mdav": lambda: mdav(z, k),
        "variable": lambda: extended(z, k, plan.reach),
        "ward": lambda: ward(z, k),
        "best": lambda: improved_groups(z, k),
        "mixed": lambda: group_mixed(x[:, :numbers], x[:, numbers:].astype(np.int64), plan.distances, k),
    }
    return ways[plan.grouping]()


def _bootstrap(x: Floats, k: int, draws: KeyedDraws) -> Floats:
    """The mean of k records drawn with replacement for every record (M11)."""
    total = np.zeros_like(x)
    for turn in range(k):
        total += x[(draws.uniform(f"bootstrap:{turn}") * len(x)).astype(np.int64)]
    return total / k
