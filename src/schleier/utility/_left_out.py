"""A measure that has no parts to leave out of: it is measured again on a case without each conspicuous unit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.amount import FARTHEST, GRIDS, enough, farthest, grid_of, settle, settle_all
from schleier.core.run import Run
from schleier.utility._parts import part_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case, Finding, Measure


def disclosed(measure: Measure, case: Case, run: Run, *, each: bool) -> Finding | None:
    """What it finds in what the release shows, on grids that hide the three farthest units.

    Of ``each`` column, or of all together where measuring takes long. Without a word: the sentence is the measure's.
    """
    shown = case.shown()
    old, new = shown.original.schema, shown.released.schema
    names = [c.name for c in old if c.numeric and c.name in new and new[c.name].numeric and c.role != "weight"]
    parts = {name: part_of(shown.original, [name], [], (), weighted=False) for name in names}
    if not all(enough(parts[name].numbers[name], parts[name].units) for name in names):
        return None

    def found(one: Case) -> Finding:
        return measure.measure(one, Run(key=run.key, step=run.step))

    exact = found(shown)
    without = [found(replace(shown, original=rest)) for rest in _rests(shown.original, _conspicuous(parts, each=each))]
    value = settle(exact.value, [one.value for one in without])
    if value is None:
        return None
    detail = settle_all(exact.detail, [one.detail for one in without])
    grid = grid_of(exact.value, [one.value for one in without]) or GRIDS[-1]
    low = None if exact.low is None else min(math.floor(exact.low / grid) * grid, value)
    high = None if exact.high is None else max(math.ceil(exact.high / grid) * grid, value)
    ends = {name: None if end is None else round(end, 2) for name, end in (("low", low), ("high", high))}
    return exact.model_copy(update={"value": float(value), "detail": detail, **ends})


def _conspicuous(parts: dict[str, Any], *, each: bool) -> list[NDArray[np.int64]]:
    """The rows of each unit to leave out."""
    import numpy as np

    scores: dict[int, float] = {}
    units = next((part.units for part in parts.values()), np.zeros(0, dtype=np.int64))
    for name, part in parts.items():
        values = part.numbers[name]
        known = np.isfinite(values)
        spread = float(values[known].std()) or 1.0
        middle = float(np.median(values[known]))
        for unit in farthest(values, part.units):
            far = float(np.nanmax(np.abs(values[part.units == unit] - middle))) / spread
            scores[unit] = max(scores.get(unit, 0.0), far)
    order = sorted(scores, key=lambda unit: (-scores[unit], unit))
    return [np.flatnonzero(units == unit) for unit in (order if each else order[:FARTHEST])]


def _rests(data: Dataset, left_out: Sequence[NDArray[np.int64]]) -> Iterator[Dataset]:
    import narwhals as nw

    key = data.schema.key
    keys = data.engine.arrays(data.frame.select(nw.col(key)).sort(key)).column(key).to_pylist()
    for rows in left_out:
        yield data.filter(~nw.col(key).is_in([keys[row] for row in rows]))
