"""Slow and obvious: the fewest cells by integer programming, and who is like whom by looking at every pair."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

Row = tuple[Any, ...]


def smallest(rows: list[Row], missing: str, most: int | None = None, gap: Any = None) -> int:
    """The fewest records any record is like, over all combinations of so many columns."""
    width = len(rows[0])
    least = len(rows)
    for columns in combinations(range(width), min(most or width, width)):
        part = [tuple(row[j] for j in columns) for row in rows]
        if missing == "category":
            least = min(least, *Counter(part).values())
            continue
        for mine in part:
            alike = [all(gap in (a, b) or a == b for a, b in zip(mine, other, strict=True)) for other in part]
            least = min(least, sum(alike))
    return least


def fewest_together(rows: list[Row], costs: list[float], k: int, gap: Any = None) -> float:
    """What it costs at least to blank cells so that equal rows, gaps being values, are never fewer than k."""
    choices, nodes = [], dict[Row, int]()
    for i, row in enumerate(rows):
        for blank in range(2 ** len(costs)):
            lost = [j for j in range(len(costs)) if blank >> j & 1]
            if any(row[j] is gap or row[j] == gap for j in lost):
                continue
            after = tuple(gap if j in lost else value for j, value in enumerate(row))
            choices.append((i, nodes.setdefault(after, len(nodes)), sum(costs[j] for j in lost)))
    n, c, v = len(rows), len(choices), len(nodes)
    entries, low = [], np.zeros(n + v + c)
    for a, (i, node, _) in enumerate(choices):
        # each row one choice; a node that is used has k rows; a choice needs its node
        entries += [(i, a, 1.0), (n + node, a, 1.0), (n + v + a, c + node, 1.0), (n + v + a, a, -1.0)]
    entries += [(n + node, c + node, -float(k)) for node in range(v)]
    low[:n] = 1
    across, down, values = (np.array(part) for part in zip(*entries, strict=True))
    matrix = coo_matrix((values, (across, down)), shape=(n + v + c, c + v)).tocsr()
    found = milp(
        np.array([price for *_, price in choices] + [0.0] * v),
        constraints=LinearConstraint(matrix, low, np.concatenate([np.ones(n), np.full(v + c, np.inf)])),
        integrality=np.ones(c + v),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    assert found.status == 0, found.message
    return float(found.fun)


def fewest_alone(rows: list[Row], costs: list[float], k: int, most: int | None = None, gap: Any = None) -> float:
    """The same when a gap may be anything, and each row must be like k rows of the table as it was.

    An integer program of one choice for each row; what a choice reaches is counted by looking at every other row.
    """
    choices = []
    for i, row in enumerate(rows):
        for blank in range(2 ** len(costs)):
            lost = [j for j in range(len(costs)) if blank >> j & 1]
            kept = [j for j in range(len(costs)) if j not in lost]
            price = sum(costs[j] for j in lost if row[j] != gap)
            good = all(
                sum(all(gap in (row[j], other[j]) or row[j] == other[j] for j in seen) for other in rows) >= k
                for seen in combinations(kept, min(most or len(kept), len(kept)))
            )
            if good:
                choices.append((i, price))
    matrix = np.zeros((len(rows), len(choices)))
    for a, (i, _) in enumerate(choices):
        matrix[i, a] = 1
    prices, whole = np.array([price for _, price in choices]), np.ones(len(choices))
    found = milp(prices, constraints=LinearConstraint(matrix, 1, 1), integrality=whole, bounds=Bounds(0, 1))
    assert found.status == 0, found.message
    return float(found.fun)
