"""Axes and classes as the arrays the kernels work with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.search._axes import Axis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.kernels.search.boxes import Space
    from schleier.kernels.search.placing import Points


def space_of(axes: Sequence[Axis], classes: Classes, importance: Sequence[float]) -> Space:
    """All axes, with the trees as far as the values of the classes go."""
    import numpy as np

    from schleier.kernels.search.boxes import Space

    trees = [j for j, axis in enumerate(axes) if axis.kind == "tree"]
    above = [axes[j].above(classes.values[j]) for j in trees]
    shape = len(trees), max((a.shape[0] for a in above), default=1), max((a.shape[1] for a in above), default=1)
    ancestors = np.zeros(shape, dtype=np.int32)
    nodes = max((len(axes[j]) for j in trees), default=0) + 1
    width = np.zeros((*shape[:2], nodes))
    for t, j in enumerate(trees):
        ancestors[t, : above[t].shape[0], : above[t].shape[1]] = above[t]
        width[t, : axes[j].depth + 1] = _widths(axes[j], nodes)
    positions = [np.zeros(0) if axis.kind == "tree" else _positions(axis) for axis in axes]
    lengths = [len(one) for one in positions]
    kinds = [trees.index(j) if j in trees else -1 for j in range(len(axes))]
    gaps = [len(classes.values[j]) if j in trees else -1 for j in range(len(axes))]
    return Space(
        tree=np.array(kinds, dtype=np.int64),
        gap=np.array(gaps, dtype=np.int64),
        position=np.concatenate([*positions, np.zeros(1)]),
        offset=np.cumsum([0, *lengths])[:-1].astype(np.int64),
        ancestors=ancestors,
        width=width,
        depth=np.array([axis.depth for axis in axes], dtype=np.int64),
        importance=np.array(importance, dtype=np.float64),
    )


def spots(axes: Sequence[Axis], classes: Classes) -> Points:
    """The classes as points; on a tree the code is the place of the value among those of the classes."""
    import numpy as np

    from schleier.kernels.search.placing import Points

    codes, known = np.empty_like(classes.codes), np.ones(classes.codes.shape, dtype=np.bool_)
    for j, axis in enumerate(axes):
        own, values = classes.codes[:, j], classes.values[j]
        if axis.kind == "tree":
            codes[:, j] = np.where(own < 0, len(values), own)
            continue
        found, exact = axis.located(values)
        codes[:, j] = np.append(found, np.int32(-1))[own]
        known[:, j] = np.append(exact, True)[own]
    return Points(codes, known, np.array([len(axis) for axis in axes], dtype=np.int64))


def own_codes(space: Space, codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The codes as the axes number their values, also on trees: the same for the same values of other rows."""
    import numpy as np

    result = codes.copy()
    for j, t in enumerate(space.tree):
        if t >= 0:
            result[:, j] = space.ancestors[t, 0, codes[:, j]]
    return np.ascontiguousarray(result)


def _positions(axis: Axis) -> NDArray[np.float64]:
    import numpy as np

    numbers = axis.numbers()
    if len(numbers) < 2:
        return np.zeros(len(numbers))
    low, high = numbers[0], numbers[-1]
    if axis.kind == "list":
        low, high = 0.0, float(len(numbers) - 1)
    places: NDArray[np.float64] = (numbers / 2 - low / 2) / (high / 2 - low / 2)  # the whole may overflow, halves not
    return places


def _widths(axis: Axis, nodes: int) -> NDArray[np.float64]:
    import numpy as np

    result = np.zeros((axis.depth + 1, nodes))
    for level, line in enumerate(axis.above(axis.values)[:, :-1]):
        if level:
            leaves = np.bincount(line, minlength=nodes)
            result[level] = np.maximum(leaves - 1, 0) / max(len(axis) - 1, 1)
    result[axis.depth] = 1.0
    return result
