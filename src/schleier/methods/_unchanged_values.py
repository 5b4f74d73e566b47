"""What a step that should change values left as it was: counted for the audit, refused where it is all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.amount import Amount
from schleier.core.errors import InfeasibleError, Problems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.methods._exchange import Exchange

CHANGED, STAYS = 1, 2
"""Marks of a value that may change its place: it did, or it is what it was."""
FEWEST = 3
"""Fewer values than this stay by chance alone."""
ROUNDED_AWAY, MOST_ROUNDED = 0.2, 0.9
"""Share of values that rounding may put back before the report says so, and before the step is refused."""

Counts = Mapping[str, tuple["NDArray[np.int64]", "NDArray[np.int64]"]]
"""For each column and stratum, how many values may change and how many stay."""


def tell_staying(step: Exchange, data: Dataset, counts: Counts, run: Run) -> None:
    """Count the values that stay, caution where they are many, refuse a column in which all do.

    A column that holds the same value everywhere cannot change, and there is nothing in it to protect.
    """
    found = Problems()
    for name, (may, stay) in counts.items():
        everyone, left = int(may.sum()), int(stay.sum())
        whole = int(((may >= FEWEST) & (stay == may)).sum())
        run.note("restricted", column=name, values=everyone, values_that_stay=left, strata_that_stay=whole)
        if everyone < FEWEST:
            continue
        if left == everyone and _varies(data, name):
            message = f"no value of column '{name}' changes, or none changes enough: all stay as they are"
            found.add("nothing-changes", "columns", message, step.cure)
        elif left > (1 - step.enough) * everyone:
            run.note(column=name, caution="few values changed: the others are no better protected than before")
        elif whole:
            run.note(column=name, caution="in some strata no value changed: they are no better protected than before")
    found.raise_as(InfeasibleError)


def tell_rounding(before: Dataset, after: Dataset, names: Sequence[str], share: float, run: Run) -> None:
    """Say how many values are what they were because they were rounded; ``share`` of them should have changed."""
    import narwhals as nw

    from schleier.core.data import tally

    if not names:
        return
    key, found, sums = before.schema.key, Problems(), dict[str, Any]()
    old = {f"_old_{j}_": nw.col(name).cast(nw.Float64) for j, name in enumerate(names)}
    frame = after.frame.select(key, *names).join(before.frame.select(key, **old), on=key, how="inner")
    for j, name in enumerate(names):
        was, now = nw.col(f"_old_{j}_"), nw.col(name).cast(nw.Float64)
        sums |= {f"_n_{j}_": tally(was != 0), f"_same_{j}_": tally((was != 0) & (was == now))}
        sums[f"_zero_{j}_"] = tally((was != 0) & (now == 0))
    seen = {name: count or 0 for name, count in replace(after, frame=frame).totals(**sums).items()}
    for j, name in enumerate(names):
        values, same, zeros = (int(seen[f"_{what}_{j}_"]) for what in ("n", "same", "zero"))
        run.note("restricted", column=name, rounded_to_the_old_value=same, rounded_to_zero=zeros)
        stays = max(1 - (values - same) / (share * values), 0.0) if values >= FEWEST else 0.0
        if stays >= MOST_ROUNDED:
            message = f"nearly all values of column '{name}' are rounded to what they were: they are too small"
            hint = 'say round = "none", choose larger noise, or use rank_swap or pram for small whole numbers'
            found.add("rounded-away", "columns", message, hint)
        elif stays >= ROUNDED_AWAY:
            caution = "values too small for the noise were rounded to what they were"
            run.note(column=name, caution=caution, share_unchanged=Amount(round(stays, 1)))
    found.raise_as(InfeasibleError)


def _varies(data: Dataset, name: str) -> bool:
    """Whether a column holds different values."""
    import narwhals as nw

    return len(data.counts(nw.col(name))[0]) > 1
