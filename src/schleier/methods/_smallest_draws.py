"""The smallest draws of every stratum, without bringing the rows into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.core.classes.table import sorted_codes
from schleier.core.matching import matched

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

    Keys = dict[str, pa.ChunkedArray]

BUCKETS = 256
"""Draws are counted in so many buckets; then only the bucket in which a stratum gets full is looked at."""
BUCKET, BORDER, STRATUM = "_bucket_", "_border_", "_stratum_"


@dataclass(frozen=True)
class Strata:
    """Combinations of the keys in lexical order, with what was taken from each."""

    keys: dict[str, pa.ChunkedArray]
    sizes: NDArray[np.int64]
    taken: NDArray[np.int64]
    last: NDArray[np.float64]
    """The largest draw that was taken: a row belongs to its stratum's sample when its draw is not above."""


def take_smallest(
    members: Dataset, keys: Sequence[str], draw: str, quota: Callable[[Keys, NDArray[np.int64]], NDArray[np.int64]]
) -> Strata:
    """Take from each stratum the members with the smallest draws.

    ``quota`` says how many of each (at least one), given the keys of the strata and their sizes.

    Two passes: one counts draws in buckets, one fetches those of the deciding bucket (a 256th of all members).
    """
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    from schleier.kernels.change.allocation import border
    from schleier.kernels.classes.coding import add_up, merge

    place = (nw.col(draw) * BUCKETS).floor().cast(nw.Int64)
    members = members.mutate(**{BUCKET: place})
    counted = members.engine.arrays(members.frame.group_by(*(nw.col(key) for key in keys), BUCKET).agg(_n_=nw.len()))
    codes = [sorted_codes(counted.column(key))[1] for key in keys]
    columns = np.stack(codes, axis=1) if codes else np.zeros((len(counted), 0), dtype=np.int32)
    stratum, counts = merge(columns)[1], counted.column("_n_").to_numpy()
    number, first = np.unique(stratum, return_index=True)
    sizes = add_up(counts.astype(np.int64), stratum, len(number))
    values = {key: counted.column(key).take(pa.array(first)) for key in keys}
    taken = quota(values, sizes)
    bucket, within = border(stratum, counted.column(BUCKET).to_numpy(), counts, taken)
    lookup = pa.table({**values, STRATUM: number, BORDER: bucket})
    near = matched(members, lookup, keys).filter(nw.col(BUCKET) == nw.col(BORDER))
    found = members.engine.arrays(near.frame.select(STRATUM, draw))
    of, draws = found.column(STRATUM).to_numpy(), found.column(draw).to_numpy()
    order = np.lexsort((draws, of))
    starts = np.searchsorted(of[order], number)
    return Strata(values, sizes, taken, draws[order][starts + within - 1])
