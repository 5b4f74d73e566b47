"""The gate for numbers that were computed from original values: told so coarsely that no single unit shows.

An amount has no dimension (standard deviations, shares, correlations). It is computed from what the release shows
(``core.visible``) of ten units at least, again without each of the three units farthest from the median, and printed
on the finest grid that is at least twice the largest change. Where no grid is coarse enough it stays with the holder.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

GRIDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
LEAST = 10
"""Units an amount is computed from at least, and that lie beyond a quantile."""
FEWER = f"fewer than {LEAST}"
"""How so few units are told."""
HUGE = 1e12
"""A number without dimension that is larger is none."""
DIGIT = 1e-6
"""The last digit of a share in steps."""
FARTHEST, CANDIDATES = 3, 256
"""Units that are left out one by one, and values among which they are looked for first."""
DOMINANT = 0.5
"""A unit with this share of all a column holds would see its own value in any amount of it."""


class Number(float):
    """A broken number that everybody may read, of a kind that says why."""


class Amount(Number):
    """Computed from original values; it passed the gate."""


class Design(Number):
    """A parameter, or what follows from parameters, numbers of records and the released file."""


def tail_mean() -> Any:
    """A learned parameter everybody may read: the mean of a tail in which nobody dominates."""
    return Field(default=None, json_schema_extra={"tail_mean": True})


def tail_means(component: type[BaseModel]) -> frozenset[str]:
    """The parameters of a component that are means of tails."""
    extras = {name: field.json_schema_extra for name, field in component.model_fields.items()}
    return frozenset(name for name, extra in extras.items() if isinstance(extra, dict) and extra.get("tail_mean"))


def settle(value: float | None, without: Sequence[float | None]) -> Amount | None:
    """A number on the finest grid that hides every unit, given what it is without some of them; none if there is none.

    >>> settle(0.12345, [0.1212, 0.125]), settle(0.12345, [0.9])
    (0.12, None)
    """
    found = [value, *without]
    if not all(one is not None and abs(one) < HUGE for one in found):  # neither missing nor without end
        return None
    exact = float(value or 0.0)
    grid = grid_of(exact, [float(one or 0.0) for one in without])
    return None if grid is None else Amount(round(round(exact / grid) * grid, 2))


def grid_of(exact: float, without: Sequence[float]) -> float | None:
    """The finest grid at least twice as wide as leaving out a unit moves the number; none where none is.

    >>> grid_of(0.5, [0.51, 0.47]), grid_of(0.5, [2.0])
    (0.1, None)
    """
    change = max((abs(one - exact) for one in without), default=0.0)
    return next((one for one in GRIDS if one >= 2 * change), None)


def step_of(records: int) -> float:
    """The share that ten of so many records are.

    >>> step_of(5000), step_of(8)
    (0.002, 1.0)
    """
    return min(LEAST / max(records, 1), 1.0)


def in_steps(value: Any, records: int) -> Any:
    """The broken numbers inside lists and tables to the nearest step; whole numbers, words and answers stay.

    >>> in_steps({"share": 0.34, "records": 50}, 50)
    {'share': 0.4, 'records': 50}
    """
    if isinstance(value, Mapping):
        return {name: in_steps(one, records) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_steps(one, records) for one in value]
    if not isinstance(value, float):
        return value
    return _amount(round(value / step_of(records)), value, records) if abs(value) < HUGE else None


def settle_all(value: Any, without: Sequence[Any]) -> Any:
    """The same for every broken number inside lists and tables; whole numbers, words and answers stay.

    >>> settle_all({"mean": 0.1234, "compared": 3}, [{"mean": 0.1236, "compared": 3}])
    {'mean': 0.12, 'compared': 3}
    """
    if isinstance(value, Mapping):
        parts = {k: [w.get(k) if isinstance(w, Mapping) else None for w in without] for k in value}
        return {k: settle_all(one, parts[k]) for k, one in value.items()}
    if isinstance(value, float):
        return settle(value, [float(w) if isinstance(w, int | float) else None for w in without])
    return value


def hide_few(value: Any, names: Collection[str], *, counted: bool = False) -> Any:
    """Tables and lists in which what has one of these names counts units: fewer than ten are told as such.

    >>> hide_few({"capped": {"above": 3, "below": 0}, "left_out": 12, "levels": {"age": 2}}, {"capped", "left_out"})
    {'capped': {'above': 'fewer than 10', 'below': 0}, 'left_out': 12, 'levels': {'age': 2}}
    """
    if isinstance(value, Mapping):
        return {name: hide_few(one, names, counted=counted or name in names) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [hide_few(one, names, counted=counted) for one in value]
    number = counted and isinstance(value, int | float) and not isinstance(value, bool)
    return FEWER if number and 0 < value < LEAST else value


def in_tens(value: Any, records: int) -> Any:
    """Counts among so many records of an original, in tens, and shares in steps that hold ten records, both upwards.

    Nobody learns that there are two of a kind, nor by taking all others from the whole.

    >>> in_tens({"records": 5000, "unique": 2, "pairs": 0, "share": 2 / 5000}, 5000)
    {'records': 5000, 'unique': 10, 'pairs': 0, 'share': 0.002}
    >>> in_tens([2, 18, 130], 150), in_tens(2 / 100, 100), in_tens(in_tens(1404 / 1596, 1596), 1596)
    ([10, 20, 130], 0.1, 0.883459)
    """
    if isinstance(value, Mapping):
        return {name: one if name == "records" else in_tens(one, records) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_tens(one, records) for one in value]
    if isinstance(value, float):
        step = step_of(records)
        # What was told so before stays as it is: it was rounded to six digits, and may lie a little above its step.
        tens = math.ceil(round((value - min(DIGIT / 2, step / 1000)) / step, 9)) if abs(value) < HUGE else None
        return None if tens is None else _amount(tens, value, records)
    counted = isinstance(value, int) and not isinstance(value, bool)
    return min(math.ceil(value / LEAST) * LEAST, max(records, value)) if counted else value


def _amount(tens: int, exact: float, records: int) -> Amount:
    """So many tens of the records as a share; no share of them is more than all."""
    found = round(tens * step_of(records), 6)
    return Amount(min(found, 1.0) if exact <= 1 else found)


def farthest(
    values: NDArray[np.float64], units: NDArray[np.int64], weights: NDArray[np.float64] | None = None
) -> list[int]:
    """The units whose numbers are farthest from the median, by their weight where there are weights.

    >>> import numpy as np
    >>> farthest(np.array([1.0, 2.0, 3.0, 90.0, 4.0]), np.array([0, 1, 2, 3, 4]))
    [3, 0, 1]
    """
    import numpy as np

    known = np.isfinite(values)
    if not known.any():
        return []
    values, units = values[known], units[known]
    far = np.abs(values - np.median(values)) * (1.0 if weights is None else np.abs(weights[known]))
    few = CANDIDATES
    while few < len(far):  # only the ends of a long column are put in order
        ends = np.flatnonzero(far >= np.partition(far, len(far) - few)[len(far) - few])
        if count_units(units[ends]) >= FARTHEST:
            far, units = far[ends], units[ends]
            break
        few *= 16
    order = np.lexsort((units, -far))
    return list(dict.fromkeys(units[order].tolist()))[:FARTHEST]


def count_units(units: NDArray[np.int64]) -> int:
    """How many different units there are.

    >>> import numpy as np
    >>> count_units(np.array([7, 0, 7]))
    2
    """
    import numpy as np

    if (size := int(units.max(initial=-1)) + 1) > 8 * len(units):  # a few of many
        return len(np.unique(units))
    there = np.zeros(size, dtype=np.bool_)
    there[units] = True
    return int(there.sum())


def rarest(words: pa.Array, units: NDArray[np.int64]) -> list[int]:
    """Units with the words that fewest records have.

    >>> import numpy as np, pyarrow as pa
    >>> rarest(pa.array(["a", "a", "b", "a", "b"]), np.arange(5))
    [2, 4, 0]
    """
    import numpy as np

    codes = np.asarray(words.dictionary_encode().indices.fill_null(-1), dtype=np.int64) + 1
    sizes = np.bincount(codes)[codes] if len(codes) else codes
    return list(dict.fromkeys(units[np.lexsort((units, sizes))].tolist()))[:FARTHEST]


def enough(values: NDArray[np.float64], units: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> bool:
    """Whether a column has numbers of ten units, none of which holds most of all there is, nor most of the weight.

    >>> import numpy as np
    >>> enough(np.ones(10), np.arange(10)), enough(np.array([1.0] * 10 + [90.0]), np.arange(11))
    (True, False)
    """
    import numpy as np

    known = np.isfinite(values)
    if not known.any():
        return False
    there = np.flatnonzero(np.bincount(units[known]))
    weigh = np.ones(int(known.sum())) if weights is None else np.abs(weights[known])
    every = [np.bincount(units[known], weights=amounts)[there] for amounts in (np.abs(values[known]) * weigh, weigh)]
    small = all(not held.sum() or float(held.max()) < DOMINANT * float(held.sum()) for held in every)
    return len(every[0]) >= LEAST and small


def without(detail: Any, paths: Sequence[str]) -> Any:
    """A table of tables without some parts; a star stands for any name.

    >>> without({"columns": {"age": {"after": 1.5, "mean": 0.1}}}, ["columns.*.after"])
    {'columns': {'age': {'mean': 0.1}}}
    """
    for path in paths:
        first, _, rest = path.partition(".")
        if isinstance(detail, Mapping):
            detail = {
                name: without(one, [rest] if rest else ()) if first in ("*", name) else one
                for name, one in detail.items()
                if rest or first not in ("*", name)
            }
    return detail
