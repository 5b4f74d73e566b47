"""Where to cut sorted values into bins of about equally many rows."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

from schleier.core.hierarchy.numbers import exact_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def cuts(
    numbers: NDArray[np.float64], counts: NDArray[np.integer[Any]], bins: Sequence[int]
) -> tuple[tuple[float, ...], ...]:
    """Breaks of each level, finest first; a level's breaks are among those of the level before.

    The quantiles of a coarser level are every so-manieth of the finest, each cut at the same place: that is
    why the numbers of bins must divide one another. Numbers that are not finite are left out.

    >>> import numpy as np
    >>> cuts(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 1, 1]), [4, 2])
    ((2.0, 3.0, 4.0), (3.0,))
    """
    import numpy as np

    kept = np.isfinite(numbers)
    ordered, position = np.unique(numbers[kept], return_inverse=True)
    rows = np.zeros(len(ordered), dtype=np.int64)
    np.add.at(rows, position, np.asarray(counts)[kept])
    places = _quantiles(rows, bins[0])

    def level(count: int) -> tuple[float, ...]:
        step = bins[0] // count
        chosen = sorted(set(places[step - 1 :: step]) - {0, len(ordered)})
        return tuple(roundest(float(ordered[place - 1]), float(ordered[place])) for place in chosen)

    return tuple(level(count) for count in bins)


def _quantiles(rows: NDArray[np.int64], bins: int) -> list[int]:
    """For each inner quantile how many values to leave below it; in whole numbers, so that ties are ties."""
    import numpy as np

    total = int(rows.sum())
    if total == 0:
        return [0] * (bins - 1)
    below = np.concatenate([[0], np.cumsum(rows)]) * bins
    wanted = np.arange(1, bins) * total
    above = np.searchsorted(below, wanted)
    nearer = wanted - below[above - 1] <= below[above] - wanted
    return [int(place) for place in above - nearer]


def roundest(lower: float, upper: float) -> float:
    """The number with the fewest digits above lower and up to upper: a cut that is hardly anybody's value.

    >>> roundest(1987.0, 2310.0), roundest(0.1234, 0.1291), roundest(3.0, 4.0), roundest(-7.0, 12.0)
    (2000.0, 0.129, 4.0, 0.0)
    """
    high = exact_number(upper)
    exponent = max(high.adjusted(), exact_number(lower).adjusted()) + 1
    last = high.as_tuple().exponent
    while isinstance(last, int) and exponent > last:
        step = Decimal(1).scaleb(exponent)
        candidate = float((high / step).to_integral_value(ROUND_FLOOR) * step)
        if lower < candidate <= upper:
            return candidate
        exponent -= 1
    return upper
