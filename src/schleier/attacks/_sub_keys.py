"""An exact match by every few of the known columns, for the holder."""

from __future__ import annotations

from itertools import islice
from math import comb
from typing import TYPE_CHECKING, Any

from schleier.attacks._common_keys import matchable
from schleier.core.engine import Source
from schleier.core.trust.trustee import ALIAS, SET, TARGET, Trustee

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.kernels.linkage.match_file import SubKey

AT_ONCE = 256
"""Sub-keys that the trustee is asked about together."""


def count_sub_keys(columns: int, most: int) -> int:
    """How many sets of at most so many columns there are.

    >>> count_sub_keys(6, 6), count_sub_keys(35, 2)
    (63, 630)
    """
    return sum(comb(columns, size) for size in range(1, min(columns, most) + 1))


def try_sub_keys(trustee: Trustee, columns: tuple[str, ...], most: int) -> list[dict[str, Any]]:
    """For each set of at most so many columns: pairs that are alike in them, one-to-one claims, and right ones."""
    import numpy as np
    import pyarrow as pa

    from schleier.kernels.linkage.match_file import sub_keys

    values, on = matchable(trustee.released.frame, trustee.known.frame, columns)
    records = _combinations(trustee, trustee.released.frame, ALIAS, values, on)
    targets = _combinations(trustee, trustee.known.frame, TARGET, values, on)
    codes = _codes(records, targets, len(columns))
    many = [table["_n_"].to_numpy() for table in (records, targets)]
    found = sub_keys(codes[: len(records)], many[0], codes[len(records) :], many[1], most)
    told: list[dict[str, Any]] = []
    engine = trustee.released.engine
    while some := list(islice(found, AT_ONCE)):
        claims = {
            SET: pa.array(np.repeat(np.arange(len(some)), [len(one.target) for one in some])),
            TARGET: targets[TARGET].take(pa.array(np.concatenate([one.target for one in some]))),
            ALIAS: records[ALIAS].take(pa.array(np.concatenate([one.record for one in some]))),
        }
        right = trustee.answers(engine.read(Source(pa.table(claims))))
        told += [_told(one, columns, right.get(i, (0, 0))[1]) for i, one in enumerate(some)]
    return told


def _told(found: SubKey, columns: tuple[str, ...], right: int) -> dict[str, Any]:
    keys = [columns[j] for j in found.columns]
    return {"keys": keys, "pairs": found.pairs, "claims": len(found.target), "correct": right}


def _combinations(
    trustee: Trustee, frame: nw.LazyFrame[Any], who: str, values: dict[str, nw.Expr], on: list[str]
) -> pa.Table:
    """Different combinations of values, each with its size and one of those who have it, in their order."""
    import narwhals as nw

    groups = frame.select(who, **values).group_by(*on).agg(nw.col(who).min(), _n_=nw.len())
    return trustee.released.engine.arrays(groups).sort_by(who).combine_chunks()


def _codes(records: pa.Table, targets: pa.Table, columns: int) -> NDArray[np.int64]:
    """Values of both files as numbers, the same for the same value of a column; a gap is one of them."""
    import numpy as np
    import pyarrow as pa

    from schleier.attacks._common_keys import GAPS, WIDTH

    found = np.empty((len(records) + len(targets), columns), np.int64)
    for i in range(columns):
        both = pa.chunked_array([*records[f"_v{i}_"].chunks, *targets[f"_v{i}_"].chunks])
        found[:, i] = both.combine_chunks().dictionary_encode().indices.to_numpy()
        masks = [table[GAPS.format(i // WIDTH)].to_numpy() for table in (records, targets)]
        found[(np.concatenate(masks) >> (i % WIDTH)) & 1 == 1, i] = -1
    return found
