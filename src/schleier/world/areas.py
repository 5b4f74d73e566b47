"""One Land of area clusters: neighbours are asked together, and districts are the points at which a survey asks.

Müller, Blien, Knoche, Wirth et al. (1991), 8.2.3: the microcensus takes whole clusters of about 20 households (30 in
large towns), the social survey about ten persons in each of some voting districts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.world.people import SIZES, Homes
from schleier.world.stream import Stream, pick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLACES, REGIONS, UNIVERSITIES = 396, 16, 12
INHABITANTS = 17_000_000
"""Of the Land, whatever part of it is made: a small world has towns of the same kinds."""
SIZE_LIMITS = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 300_000, 500_000)
"""Nine classes of size of a municipality."""
LARGE = 100_000
CLUSTERS = 24
"""Clusters in a district."""


@dataclass(frozen=True)
class Land:
    """The municipalities of a Land, the largest first."""

    shares: NDArray[np.float64]
    region: NDArray[np.int32]
    """Spatial planning region of each."""
    size_class: NDArray[np.int32]
    """Class of its size."""
    teaching: NDArray[np.float64]
    """How much more often than on average scholars live there: most in the towns with a university."""
    width: NDArray[np.int64]
    """Households in a cluster."""


@dataclass(frozen=True)
class Areas:
    """The households of a block, and in which cluster and district each person lives."""

    at: Homes
    cluster: NDArray[np.int64]
    """Cluster of each person, counted within the block."""
    district: NDArray[np.int64]
    """District of each person, counted within the block."""


def land(key: bytes) -> Land:
    """The same key makes the same Land."""
    import numpy as np

    sizes = 1.0 / (np.arange(1, PLACES + 1) + 2.0) ** 1.05  # Zipf-Mandelbrot, as in the gazetteer
    sizes = np.sort(sizes * np.exp(0.35 * Stream(key, 0).normal("land", PLACES)))[::-1]
    shares = sizes / sizes.sum()
    people = shares * INHABITANTS
    region = Stream(key, 0).pick("region", np.ones(REGIONS), PLACES)
    region[:REGIONS] = np.arange(REGIONS)  # each has a centre
    teaching = np.where(np.arange(PLACES) < UNIVERSITIES, 1.0, 0.08)
    teaching /= (shares * teaching).sum()
    width = np.where(people >= LARGE, 30, 20)
    return Land(shares, region, np.digitize(people, SIZE_LIMITS).astype(np.int32), teaching, width)


def areas(stream: Stream, first: int, count: int, where: Land) -> Areas:
    """Households in clusters in districts, holding exactly ``count`` persons; what is last is cut where they end."""
    import numpy as np

    sizes = stream.pick("household", SIZES, count).astype(np.int64) + 1
    ends = np.cumsum(sizes)
    number = int(np.searchsorted(ends, count)) + 1
    sizes = sizes[:number].copy()
    sizes[-1] -= int(ends[number - 1]) - count
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    index = np.repeat(np.arange(number), sizes)
    couple = (sizes >= 2) & (stream.uniform("couple", number) < 0.84)
    # A district of wide clusters has more households: it is drawn as much less often.
    most = number // (CLUSTERS * int(where.width.min())) + 1
    towns = pick(where.shares / where.width, stream.uniform("district", most))
    width = where.width[towns]
    begin = np.concatenate([[0], np.cumsum(width * CLUSTERS)])
    district = np.searchsorted(begin, np.arange(number), side="right") - 1
    cluster = district * CLUSTERS + (np.arange(number) - begin[district]) // width[district]
    at = Homes(
        household=first + starts[index],
        starts=starts,
        index=index,
        position=np.arange(count) - starts[index],
        couple=couple[index],
        place=towns[district][index],
        size=sizes[index],
    )
    return Areas(at, cluster[index], district[index])
