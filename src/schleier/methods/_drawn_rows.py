"""Single records of some combinations of values, drawn by the run key: as many of each as are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.data import tally
from schleier.core.matching import matched
from schleier.core.units import draw_units
from schleier.methods._smallest_draws import take_smallest

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

DRAW, PLACE, LAST, DRAWN = "_draw_", "_place_", "_last_", "_drawn_"


def draw_rows(
    data: Dataset, run: Run, combinations: Mapping[str, pa.Array], take: NDArray[np.int64]
) -> tuple[dict[str, pa.Array], int]:
    """The combinations with the largest draw that was taken of each, and how many records these are.

    Where the table has units, units are drawn, each with all its records of the combination.
    """
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    table = pa.table(dict(combinations)).append_column(PLACE, pa.array(np.arange(len(take))))
    rows = matched(_with_draws(data, run), table, list(combinations)).filter(~nw.col(PLACE).is_null())
    rows = replace(rows, frame=rows.frame.select(PLACE, DRAW)).kept()
    members = replace(rows, frame=rows.frame.unique([PLACE, DRAW])) if data.schema.having("unit") else rows
    last = take_smallest(members, [PLACE], DRAW, lambda keys, sizes: take).last
    limits = pa.table({PLACE: np.arange(len(take)), LAST: last})
    near = matched(rows, limits, [PLACE])
    count = near.totals(n=tally(nw.col(DRAW) <= nw.col(LAST)))["n"]
    return {**combinations, LAST: pa.array(last)}, int(count or 0)


def with_drawn(data: Dataset, run: Run, donors: pa.Table) -> Dataset:
    """Every row with a column ``DRAWN`` that tells whether it was drawn."""
    import narwhals as nw

    keys = [name for name in donors.column_names if name != LAST]
    rows = matched(_with_draws(data, run), donors, keys)
    rows = rows.mutate(**{DRAWN: (nw.col(DRAW) <= nw.col(LAST)).fill_null(False)})
    return replace(rows, frame=rows.frame.drop(DRAW, LAST))


def _with_draws(data: Dataset, run: Run) -> Dataset:
    if data.schema.having("unit"):
        return draw_units(data, run, DRAW, "further")
    return run.draw(data, DRAW, "further")
