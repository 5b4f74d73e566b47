"""Who is alone within each region or subgroup, and whose units are: counts and distributions, never a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.core.classes.request import Missing, Request

if TYPE_CHECKING:
    from schleier.core.data import Dataset

STEPS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Upper ends of the bins of shares: nobody, up to 1 %, up to 5 %, ..., up to all."""


def unique_by_group(
    data: Dataset, keys: tuple[str, ...], by: tuple[str, ...], missing: Missing, least: int
) -> dict[str, Any]:
    """How the share of unique records spreads over subgroups; a missing value of ``by`` makes a subgroup too."""
    import numpy as np

    from schleier.kernels.classes.coding import MISSING, compatible, number_rows

    columns = tuple(dict.fromkeys((*keys, *by)))
    classes = data.classes(Request(keys=columns))
    if missing == "exclude":
        classes = classes.only((classes.codes[:, [columns.index(key) for key in keys]] != MISSING).all(axis=1))
    codes, places = classes.codes.copy(), [columns.index(name) for name in by]
    for j in places:  # a subgroup of its own, also where a missing key may be anything
        codes[codes[:, j] == MISSING, j] = len(classes.values[j])
    sizes = compatible(codes, classes.sizes, gaps="both") if missing == "wildcard" else classes.sizes
    group = number_rows(codes[:, places])
    records = np.bincount(group, weights=classes.sizes)
    shares = np.bincount(group, weights=classes.sizes * (sizes == 1)) / records
    large = records >= least
    told = shares[large]
    found: dict[str, Any] = {"columns": list(by), "groups": int(large.sum()), "left_out": int((~large).sum())}
    place = np.searchsorted(STEPS, told, side="left")
    found |= {
        "worst": float(told.max()) if len(told) else None,
        "median": float(np.median(told)) if len(told) else None,
        "up_to": list(STEPS),
        "counts": np.bincount(place, minlength=len(STEPS)).tolist(),
    }
    return found


def unique_by_unit(data: Dataset, keys: tuple[str, ...], missing: Missing) -> dict[str, int]:
    """Units (households, patients) with a unique record, and records whose class is about one unit only.

    Counted by the engine. Rows without a unit count as one unit together: the strict reading.
    """
    import narwhals as nw

    from schleier.core.data import tally
    from schleier.core.units import distinct

    unit = nw.col(data.schema.having("unit")[0])
    frame = data.frame
    if missing == "exclude":
        frame = frame.filter(*(~nw.col(key).is_null() for key in keys))
    groups = frame.group_by(*(nw.col(key) for key in keys)).agg(
        _n_=nw.len(), _low_=unit.min(), _high_=unit.max(), _gaps_=tally(unit.is_null())
    )
    n, gaps = nw.col("_n_"), nw.col("_gaps_")
    one = (gaps == n) | ((gaps == 0) & (nw.col("_low_") == nw.col("_high_")))
    inside = nw.when(one).then(n).otherwise(nw.lit(0))
    alone = nw.when(n == 1).then(nw.col("_low_"))
    nobody = nw.when((n == 1) & nw.col("_low_").is_null()).then(nw.lit(1)).otherwise(nw.lit(0)).max()
    found = data.engine.arrays(groups.select(records=inside.sum(), units=distinct(alone) + nobody)).to_pylist()[0]
    every = data.engine.arrays(frame.select(units=unit.n_unique()))
    return {
        "units": int(every.column("units")[0].as_py() or 0),
        "with_unique": int(found["units"] or 0),
        "records_in_one": int(found["records"] or 0),
    }
