"""How coarse the keys must be: a quick search on classes, one level at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schleier.core.classes import Classes

RARE = 0.05
"""Share of records that may be left in classes below k: their keys are blanked afterwards."""
LAST = 3.0
"""Nats that a column is worth for still telling anything at all."""
TRIED = 12
"""Keys that are compared at a turn: of more, those that tell most."""
MANY = 100_000
"""Classes beyond which the finest keys are coarsened first, before alternatives are compared."""


def levels_for(classes: Classes, k: int, rare: float = RARE) -> tuple[int, ...]:
    """A level for each key so that at most a share ``rare`` of the records is in classes of fewer than k.

    Greedy: at each turn the key that turns most rare records into common ones for the entropy it loses. A draft, not
    the least loss there is.

    >>> import pyarrow as pa
    >>> from schleier.core.classes.request import Request
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.hierarchy import parse
    >>> from schleier.core.schema import Column, Schema
    >>> age = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
    >>> schema = Schema(columns=[age], hierarchies={"age": parse({"intervals": [10, 20]})})
    >>> data = Dataset.from_frame(pa.table({"age": list(range(20, 40))}), schema)
    >>> levels_for(data.classes(Request(keys=("age",))), k=5)
    (1,)
    """
    return next(levels_for_each(classes, k, (rare,)))


def levels_for_each(classes: Classes, k: int, shares: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """The same for several shares, the largest first: one way leads past all of them."""
    levels = [0] * len(classes.keys)
    tops = [0 if hierarchy is None else hierarchy.depth for hierarchy in classes.hierarchies]
    now = classes
    while len(now) > MANY and (finest := _finest(now, levels, tops)) is not None:
        levels[finest] += 1
        now = classes.at(levels)
    left = _rare(now, k)
    for rare in sorted(shares, reverse=True):
        while left > rare and (step := _best_step(classes, now, levels, tops, k)) is not None:
            place, now = step
            levels[place] += 1
            left = _rare(now, k)
        yield tuple(_relaxed(classes, list(levels), k, rare))


def _best_step(
    classes: Classes, now: Classes, levels: Sequence[int], tops: Sequence[int], k: int
) -> tuple[int, Classes] | None:
    """The key to coarsen next, and the classes after it; none where everything is at its root."""
    best: tuple[float, int, Classes] | None = None
    left = _rare(now, k)
    for j in sorted(_open(levels, tops), key=lambda j: -_entropy(now, j))[:TRIED]:
        tried = classes.at(_moved(levels, j, 1))
        lost = _entropy(now, j) - _entropy(tried, j)
        # Analysts miss a column that says nothing more than all that its last step took away.
        gain = (left - _rare(tried, k)) / max(lost + (LAST if levels[j] + 1 == tops[j] else 0.0), 1e-9)
        if best is None or gain > best[0]:
            best = gain, j, tried
    return None if best is None else best[1:]


def _relaxed(classes: Classes, levels: list[int], k: int, rare: float) -> list[int]:
    """Take back steps that turned out not to be needed, the latest coarse keys first."""
    for j in sorted(range(len(levels)), key=lambda j: -levels[j]):
        while levels[j] and _rare(classes.at(_moved(levels, j, -1)), k) <= rare:
            levels = _moved(levels, j, -1)
    return levels


def _moved(levels: Sequence[int], j: int, by: int) -> list[int]:
    return [level + by if i == j else level for i, level in enumerate(levels)]


def _open(levels: Sequence[int], tops: Sequence[int]) -> list[int]:
    """Keys that can still be coarsened."""
    return [j for j in range(len(levels)) if levels[j] < tops[j]]


def _finest(classes: Classes, levels: Sequence[int], tops: Sequence[int]) -> int | None:
    """The key with most different values that can still be coarsened."""
    return max(_open(levels, tops), key=lambda j: len(classes.values[j]), default=None)


def _entropy(classes: Classes, j: int) -> float:
    """What one key tells: E = -sum p ln p over its values, missing being one of them."""
    import numpy as np

    counts = np.bincount(classes.codes[:, j] + 1, weights=classes.sizes)
    shares = counts[counts > 0] / classes.records
    return float(-(shares * np.log(shares)).sum())


def _rare(classes: Classes, k: int) -> float:
    records, alike = classes.records, classes.sizes if classes.units is None else classes.units
    return float(classes.sizes[alike < k].sum()) / records if records else 0.0
