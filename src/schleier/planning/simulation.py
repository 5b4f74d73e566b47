"""Surveys that could happen: drawn from the design, and who would be alone in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from schleier.flow.survey import Simulated
from schleier.kernels.statistics.trials import Z95
from schleier.planning.design import Design

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Draw = Callable[[np.random.Generator], NDArray[np.int64]]

REPEATS = 1000
"""Simulated surveys, if that is quick enough."""
FEWEST = 20
"""Simulated surveys below which nothing is said."""
BUDGET = 10_000_000
"""Answers that are drawn for one simulation ..."""
SLOWEST = 100_000_000
"""... and for one of the fewest surveys."""
LARGEST = 2**62
"""Combinations that are numbered directly."""


def repeats_for(design: Design, sizes: Sequence[int], wanted: int = REPEATS) -> int:
    """Surveys that are simulated: as many as wanted, fewer where they are large, none where they are too large."""
    each = min(_by_persons(design, sizes), _by_cells(design, sizes))
    return 0 if FEWEST * each > SLOWEST else max(FEWEST, min(wanted, BUDGET // each))


def uniques(design: Design, sizes: Sequence[int], repeats: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Persons alone in each simulated survey (rows) among its first ``sizes`` persons (columns, ascending).

    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from schleier.planning.design import Question
    >>> one = Design(3, Fraction(5), (Question("sex", (Fraction(1),)),))
    >>> uniques(one, [1, 2, 3], 1, np.random.Generator(np.random.Philox(key=1))).tolist()
    [[1, 0, 0]]
    """
    import numpy as np

    by_cells = _by_cells(design, sizes) < _by_persons(design, sizes)
    draw = _counted(design, sizes) if by_cells else _asked(design, sizes)
    return np.array([draw(rng) for _ in range(repeats)], dtype=np.int64).reshape(repeats, len(sizes))


def _by_persons(design: Design, sizes: Sequence[int]) -> int:
    """Draws for one survey, person by person."""
    return max(sizes) * len(design.blocks)


def _by_cells(design: Design, sizes: Sequence[int]) -> int:
    """Draws for one survey, combination by combination; each takes about four times as long."""
    return 4 * math.prod(len(block.shares) for block in design.blocks) * len(sizes)


def _asked(design: Design, sizes: Sequence[int]) -> Draw:
    """Surveys in which person after person is asked."""
    import numpy as np

    limits = [_limits([float(share) for share in block.shares]) for block in design.blocks]

    def draw(rng: np.random.Generator) -> NDArray[np.int64]:
        key, top = np.zeros(max(sizes), dtype=np.int64), 1
        for edges in limits:
            drawn = np.searchsorted(edges, rng.random(len(key)), side="right")
            if top * len(edges) > LARGEST:  # number only those that occur
                kept, key = np.unique(key, return_inverse=True)
                top = len(kept)
            key, top = key * len(edges) + drawn, top * len(edges)
        return _alone(key, sizes)

    return draw


def _counted(design: Design, sizes: Sequence[int]) -> Draw:
    """Surveys of which only the number of persons with each combination is drawn, size after size."""
    import numpy as np

    shares = np.ones(1)
    for block in design.blocks:
        shares = np.multiply.outer(shares, [float(share) for share in block.shares]).ravel()
    shares /= shares.sum()
    steps = np.diff([0, *sizes])

    def draw(rng: np.random.Generator) -> NDArray[np.int64]:
        counts, found = np.zeros(len(shares), dtype=np.int64), []
        for more in steps:
            counts += rng.multinomial(more, shares)
            found.append(np.count_nonzero(counts == 1))
        return np.array(found, dtype=np.int64)

    return draw


def _limits(shares: list[float]) -> NDArray[np.float64]:
    import numpy as np

    edges = np.cumsum(shares)
    last = max(i for i, share in enumerate(shares) if share > 0)
    edges[last:] = 1.0  # rounding must not reach an answer that nobody gives
    return edges


def _alone(key: NDArray[np.int64], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Persons alone among the first of all, for many sizes at once.

    A combination counts from its first person on until its second comes, so two sorted lists of arrivals suffice.
    """
    import numpy as np

    order = np.argsort(key, kind="stable")
    sorted_ = key[order]
    starts = np.flatnonzero(np.r_[True, sorted_[1:] != sorted_[:-1]])
    second = starts + 1
    second = second[(second < len(key)) & (sorted_[np.minimum(second, len(key) - 1)] == sorted_[starts])]
    arrived, joined = np.sort(order[starts]), np.sort(order[second])
    return np.searchsorted(arrived, sizes) - np.searchsorted(joined, sizes)


def size_summary(counts: NDArray[np.int64]) -> Simulated:
    """The simulated surveys of one size in numbers."""
    import numpy as np

    mean, spread = float(counts.mean()), float(counts.std(ddof=1))
    error = Z95 * spread / math.sqrt(len(counts))
    low, high = np.quantile(counts, [0.025, 0.975])
    return Simulated(
        repeats=len(counts),
        favourable=int(counts.min()),
        unfavourable=int(counts.max()),
        mean=mean,
        mean_low=max(mean - error, 0.0),
        mean_high=mean + error,
        low=float(low),
        high=float(high),
    )
