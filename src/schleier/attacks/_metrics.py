"""How far a person is from a record: what each column costs, by the metric of the attacker."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from schleier.core.trust.sides import Missing, Numbers, Sides, Words, sides_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.kernels.linkage import penalties
    from schleier.kernels.linkage.densities import Axis

Metric = Literal["hamming", "gower", "euclid", "lambert", "mahalanobis"]
ERROR = 0.05
"""Share of values of a column that an attacker takes for different in the two files where he knows no better."""
LITTLE = 1e-3
"""What a cell that may be the value costs of what one costs that cannot, where what is the same comes first."""


def columns_of(
    sides: Sides, metric: Metric, weights: Mapping[str, float], errors: Mapping[str, float], *, fishing: bool
) -> list[penalties.Words | penalties.Numbers]:
    """What each column costs; where records are looked for among the targets, with both sides exchanged."""
    whole = sum(weights.get(name, 1.0) for name in sides.columns) if metric == "gower" else 1.0
    found = []
    for name, column in sides.columns.items():
        weight, error = weights.get(name, 1.0) / whole, errors.get(name, ERROR)
        found.append(
            _words(column, metric, weight, error, fishing=fishing)
            if isinstance(column, Words)
            else _numbers(column, metric, weight, error, fishing=fishing)
        )
    return found


def compared(
    released: Dataset, known: Dataset, columns: tuple[str, ...], metric: Metric, missing: Missing
) -> tuple[Sides, list[penalties.Words | penalties.Numbers]]:
    """Both files and what each column costs; where a gap may be anything, what is the same is nearer all the same."""
    sides = sides_of(released, known, columns)
    costs = columns_of(sides, metric, {}, {}, fishing=False)
    return sides, exact_first(sides, costs) if missing == "anything" else costs


def exact_first(
    sides: Sides, columns: Sequence[penalties.Words | penalties.Numbers]
) -> list[penalties.Words | penalties.Numbers]:
    """The same, with gaps and cells that stand for several values costing next to nothing: what is the same is nearer.

    For sides in which a gap is a category; here it may be anything.
    """
    import numpy as np

    from schleier.kernels.linkage import penalties

    found: list[penalties.Words | penalties.Numbers] = []
    for column, one in zip(sides.columns.values(), columns, strict=True):
        if isinstance(one, penalties.Numbers) or isinstance(column, Numbers):
            found.append(replace(one, gap=one.gap * LITTLE) if isinstance(one, penalties.Numbers) else one)
            continue
        most, costs = float(one.costs.max(initial=0.0)), one.costs.copy()
        costs[-1, :-1] = costs[:-1, -1] = most * LITTLE
        size = column.meets[:, :-1].sum(axis=1)
        costs += np.where(column.meets.T & (size > 1), most * LITTLE * (1 - 1 / np.maximum(size, 1)), 0.0)
        found.append(replace(one, costs=costs))
    return found


def most_for_gaps(columns: Sequence[penalties.Words | penalties.Numbers]) -> float:
    """What gaps, and cells that stand for several values, cost together at most where what is the same comes first."""
    from schleier.kernels.linkage import penalties

    costs = (float(one.costs.max(initial=0.0)) if isinstance(one, penalties.Words) else one.gap for one in columns)
    return LITTLE * sum(costs)


def exchanged(
    columns: Sequence[penalties.Words | penalties.Numbers],
) -> list[penalties.Words | penalties.Numbers]:
    """The same costs with records looking for persons."""
    from schleier.kernels.linkage import penalties

    return [
        penalties.Words(one.cells, one.known, one.costs.T)
        if isinstance(one, penalties.Words)
        else replace(one, known=one.low, upto=one.high, low=one.known, high=one.known if one.upto is None else one.upto)
        for one in columns
    ]


def _words(column: Words, metric: Metric, weight: float, error: float, *, fishing: bool) -> penalties.Words:
    """A cell that may stand for the value costs nothing; others cost the weight, or as much as errors are unlikely."""
    import numpy as np

    from schleier.kernels.linkage import penalties

    if metric == "lambert":
        others = max(len(column.meets.T) - 2, 1)
        weight *= math.log((1 - error) * others / error)
    known, cells = (np.where(part < 0, many - 1, part) for part, many in _with_gaps(column))
    costs = np.where(column.meets, 0.0, max(weight, 0.0))
    if fishing:
        return penalties.Words(cells, known, costs)
    return penalties.Words(known, cells, costs.T)


def _with_gaps(column: Words) -> tuple[tuple[NDArray[np.int32], int], tuple[NDArray[np.int32], int]]:
    """The codes of both sides, with how many there are when a gap is the last one."""
    return (column.known, column.meets.shape[1]), (column.cells, column.meets.shape[0])


def _numbers(column: Numbers, metric: Metric, weight: float, error: float, *, fishing: bool) -> penalties.Numbers:
    """How far a number is from an interval: in ranges (Gower), standard deviations (Euclid) or those of the errors."""
    import numpy as np

    from schleier.kernels.linkage import penalties

    _, middles = column.middles()
    held = middles[np.isfinite(middles)]
    spread = float(held.std()) if len(held) else 0.0
    scale, power, gap = 1.0, 1, weight
    if metric == "hamming":
        scale, power = weight, 0
    elif metric == "gower":
        width = float(np.ptp(held)) if len(held) else 0.0
        scale = weight / width if width > 0 else 0.0
    elif metric == "euclid":
        scale, power = (math.sqrt(weight) / spread if spread > 0 else 0.0), 2
    else:  # errors are normal, with a share ``error`` of the standard deviation of the column
        scale, power = (math.sqrt(weight / 2) / (error * spread) if spread > 0 else 0.0), 2
        gap = weight * math.log((1 - error) / error)
    here, there = (column.known, column.upto), (column.low, column.high)
    (known, upto), (low, high) = (there, here) if fishing else (here, there)
    return penalties.Numbers(known, low, high, upto=upto, weight=scale, power=power, gap=max(gap, 0.0))


def points_of(sides: Sides, errors: Mapping[str, float]) -> tuple[NDArray[np.float64], ...]:
    """Both files as points, released ones first, and the covariance of the errors an attacker expects (part A, 2.6).

    Words become one coordinate for each value but the last (dichotomised); a cell that may be several values stands
    between them. An error takes a value to any other one; of a number it is normal.
    """
    import numpy as np
    from scipy.linalg import block_diag

    parts = [_placed(column, errors.get(name, ERROR)) for name, column in sides.columns.items()]
    there, here = (np.column_stack([getattr(part, side) for part in parts]) for side in ("released", "known"))
    return there, here, block_diag(*(part.covariance for part in parts))


def axes_of(sides: Sides, errors: Mapping[str, float], *, fishing: bool) -> list[Axis]:
    """The same column by column, each on the principal axes of its errors; the searched file first."""
    from schleier.kernels.linkage.densities import axis_of

    found = []
    for name, column in sides.columns.items():
        error = errors.get(name, ERROR)
        part = _placed(column, error)
        there, here = (part.known, part.released) if fishing else (part.released, part.known)
        found.append(axis_of(part.covariance, there, here, part.values, part.usual, error))
    return found


class _Placed(NamedTuple):
    """A column as points: both files, the covariance of errors, and where each value stands and how frequent it is."""

    released: NDArray[np.float64]
    known: NDArray[np.float64]
    covariance: NDArray[np.float64]
    values: NDArray[np.float64] | None = None
    usual: NDArray[np.float64] | None = None


def _placed(column: Words | Numbers, error: float) -> _Placed:
    return _dichotomised(column, error) if isinstance(column, Words) else _measured(column, error)


def _dichotomised(column: Words, error: float) -> _Placed:
    import numpy as np

    meets = column.meets[:, :-1].astype(np.float64)
    shares = meets / np.maximum(meets.sum(axis=1, keepdims=True), 1)
    values = meets.shape[1]
    known, cells = (np.where(part < 0, many - 1, part) for part, many in _with_gaps(column))
    often = np.bincount(known[known < values], minlength=values).astype(np.float64)
    usual = often / max(often.sum(), 1.0)
    own = np.vstack([np.eye(values), usual])  # a gap stands where the usual person does
    covariance = error_covariance(usual, error)
    last = max(values - 1, 1)
    return _Placed(shares[cells][:, :last], own[known][:, :last], covariance[:last, :last], own[:values, :last], usual)


def error_covariance(usual: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """Covariance of the differences that errors make: with a chance ``error`` a value becomes any other one.

    >>> import numpy as np
    >>> error_covariance(np.array([0.5, 0.5]), 0.2).round(3).tolist()
    [[0.2, -0.2], [-0.2, 0.2]]
    """
    import numpy as np

    others = max(len(usual) - 1, 1)
    to = error / others
    # A difference is u_b - u_a: coordinate a counts leaving a and arriving there.
    arriving = (1 - usual) * to
    square = np.diag(usual * error * (len(usual) > 1) + arriving)
    square -= to * (usual[:, None] + usual[None, :]) * (1 - np.eye(len(usual)))
    mean = arriving - usual * error * (len(usual) > 1)
    return np.asarray(square - np.outer(mean, mean))


def _measured(column: Numbers, error: float) -> _Placed:
    import numpy as np

    known, middles = column.middles()
    held = middles[np.isfinite(middles)]
    centre, spread = (float(held.mean()), float(held.std())) if len(held) else (0.0, 0.0)
    spread = spread or 1.0
    released, mine = (np.nan_to_num((side - centre) / spread)[:, None] for side in (middles, known))
    return _Placed(released, mine, np.array([[error**2]]))
