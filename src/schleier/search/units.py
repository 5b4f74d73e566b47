"""Whole units are suppressed, which may make classes fail that were good: until nothing changes any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.search.goals import Demand, request_of
from schleier.search.stages import Stage

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.search.coarsen import Coarsen

SHARES = (1.0, 0.5, 0.25, 0.1, 0.0)
"""Of the records that may be suppressed: what the search may use, so that there is room for the rest of their units."""


def settled(step: Coarsen, data: Dataset, demands: Sequence[Demand], run: Run) -> tuple[tuple[Stage, ...], int]:
    """The stages of a step with only those combinations that stay good, and how many more records are suppressed.

    Distinct units do not roll up, so the search counted records. Here the rows that would be released are counted anew,
    by units where a criterion asks for them; combinations that fail are suppressed too, with all rows of their units.
    """
    stages = step.stages
    keys = tuple(step.levels or {})
    while True:
        left = step.labelled(data, run, stages, step.suppressed)
        table = left.classes(request_of(keys, demands))
        bad = _failing(table, demands, blank=step.suppressed == "blank")
        gone = data.rows - (_filled(table) if step.suppressed == "blank" else table.records)
        if not bad.any():
            return stages, gone - int(step.suppressed_records or 0)
        stages = _without(stages, table, bad)


def _failing(table: Classes, demands: Sequence[Demand], *, blank: bool) -> NDArray[np.bool_]:
    """Classes that fail; blank records cannot become any blanker, whatever is said of them."""
    import numpy as np

    bad = np.zeros(len(table), dtype=np.bool_)
    for demand in demands:
        bad |= demand.bad(table)
    return bad & ~_empty(table) if blank else bad


def _empty(table: Classes) -> NDArray[np.bool_]:
    import numpy as np

    return np.asarray((table.codes < 0).all(axis=1))


def _filled(table: Classes) -> int:
    return int(table.sizes[~_empty(table)].sum())


def _without(stages: Sequence[Stage], table: Classes, bad: NDArray[np.bool_]) -> tuple[Stage, ...]:
    """The stages without some combinations; a stage that took everything takes what is left of the table."""
    import pyarrow as pa

    failing, good = table.only(bad), pa.table(table.only(~bad).combinations())
    left = (good if stage.kept is None else stage.kept.filter(_beside(stage.kept, failing)) for stage in stages)
    return tuple(replace(stage, kept=kept) for stage, kept in zip(stages, left, strict=True))


def _beside(kept: pa.Table, failing: Classes) -> pa.Array:
    """Which combinations are not those of some classes."""
    import pyarrow as pa

    lost = set(zip(*(column.cast(pa.string()).to_pylist() for column in failing.combinations().values()), strict=True))
    held = zip(*(kept[name].cast(pa.string()).to_pylist() for name in failing.keys), strict=True)
    return pa.array([one not in lost for one in held], pa.bool_())
