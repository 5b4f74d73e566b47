"""Ways to make a column tell less: the levels of its hierarchy, or what a steward would do where it has none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.classes.table import coarse_labels, sorted_codes
from schleier.core.errors import DataError
from schleier.core.hierarchy import Hierarchy, parse
from schleier.core.hierarchy.cuts import roundest
from schleier.core.pieces import piece
from schleier.core.sets import holds_lists

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.schema import Column
    from schleier.kernels.classes.coarser import Coarse

Kind = Literal["bands", "bins", "dates", "first", "level", "cap", "rare", "drop", "blank"]
"""Bands of a width, bins of equally many records, parts of a calendar, first characters, a level of another hierarchy,
a cap on large numbers, rare values blanked, the column left out; or rare combinations of all keys blanked."""
MOST_LEVELS = 8
"""Levels of a hierarchy that are tried; of a deeper one, some."""
BANDS = (3, 40)
"""Bands that a column of numbers is cut into, from and to."""
SHORT = 10
"""Whole numbers that reach less far are few enough to be left as they are, or capped."""
UNITS = ("month", "quarter", "year", "decade")
RARE = (0.01, 0.05, 0.2)
"""A value is rare below these shares of the records."""
CAPPED = (0.01, 0.05, 0.1, 0.25)
"""Shares of the records whose numbers are capped."""
FEWEST = 20
"""Records beyond a cap, at least: a limit is told, and must be nobody's value."""
CODE = re.compile(r"[A-Z]?\d{2,}(?:\.\d+)?")
"""Codes of a classification: their first characters say what is near."""


@dataclass(frozen=True)
class Option:
    """One option: the code each code becomes, and the step of a recipe that does it."""

    kind: Kind
    coarse: Coarse
    step: Mapping[str, Any] = field(repr=False)
    by: int | float | str | None = None
    """Width, bins, unit, characters, level, limit, or smallest number of records."""

    @property
    def values(self) -> int:
        """Different values that are left, missing not counted."""
        import numpy as np

        return int((np.unique(self.coarse) >= 0).sum())


def leave_out(column: str, values: int) -> Option:
    """The column left out: the most that any option can do."""
    from schleier.kernels.classes.coarser import nothing

    return Option("drop", nothing(values), piece("leave_out", columns=[column]))


def options(
    column: Column, values: pa.Array, counts: NDArray[np.int64], hierarchy: Hierarchy | None
) -> Iterator[Option]:
    """All options short of leaving the column out; ``counts`` are the records of each value, and of none behind them.

    >>> import numpy as np, pyarrow as pa
    >>> from schleier.core.schema import Column
    >>> age = Column(name="age", role="quasi", scale="discrete")
    >>> found = options(age, pa.array(range(80)), np.append(np.ones(80, int), 0), None)
    >>> [(option.kind, option.by, option.values) for option in found]
    [('bands', 2, 40), ('bands', 5, 16), ('bands', 10, 8), ('bands', 20, 4), ('cap', 59, 60)]
    """
    import pyarrow as pa

    found: Iterator[Option] = iter(())
    kind = values.type
    if hierarchy is not None:
        found = _levels(column.name, values, counts, hierarchy)
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        found = _each(column.name, values, "dates", UNITS)
    elif column.scale in ("discrete", "continuous", "time"):
        found = _numbers(column, values, counts)
    elif column.scale != "text" and not holds_lists(kind):
        found = _categories(column.name, values, counts)
    before: dict[Kind, int] = {}
    for option in found:
        if (
            1 < option.values < before.get(option.kind, len(values))
        ):  # one that leaves as much as the one before is none
            before[option.kind] = option.values
            yield option


def _levels(name: str, values: pa.Array, counts: NDArray[np.int64], hierarchy: Hierarchy) -> Iterator[Option]:
    if hierarchy.learns:
        hierarchy = hierarchy.fit(values, counts[:-1])
    table = hierarchy.to_toml()
    kinds: dict[str, Kind] = {"intervals": "bands", "balanced": "bins", "dates": "dates", "prefix": "first"}
    word = next((word for word in kinds if word in table), None)
    for level in range(1, hierarchy.depth, math.ceil(hierarchy.depth / MOST_LEVELS)):
        coarse = _coarse(name, values, hierarchy, level)
        if coarse is None:
            return
        step = piece("coarser_values", column=name, level=level)
        yield Option(kinds[word] if word else "level", coarse, step, table[word][level - 1] if word else level)


def _each(name: str, values: pa.Array, word: str, steps: tuple[Any, ...]) -> Iterator[Option]:
    """Hierarchies of one level that need nothing of the data."""
    kinds: dict[str, Kind] = {"intervals": "bands", "dates": "dates", "prefix": "first"}
    for one in steps:
        hierarchy = parse({word: [one]})
        coarse = _coarse(name, values, hierarchy, 1)
        if coarse is not None:
            step = piece("coarser_values", column=name, level=1, hierarchy=hierarchy.to_toml())
            yield Option(kinds[word], coarse, step, one)


def _numbers(column: Column, values: pa.Array, counts: NDArray[np.int64]) -> Iterator[Option]:
    """Bands of round widths, and caps on the largest numbers."""
    import numpy as np

    from schleier.core.hierarchy.numbers import floats, is_whole

    numbers = floats(values)
    if not len(numbers) or not np.isfinite(numbers).all():
        return
    below = np.cumsum(counts[:-1])
    total, whole = int(below[-1]), is_whole(values)
    low, high = (float(numbers[np.searchsorted(below, share * total)]) for share in (0.01, 0.99))
    widths = tuple(islice(_widths(high - low, whole), MOST_LEVELS))
    yield from _each(column.name, values, "intervals", widths)
    if not column.numeric:
        return
    seen = set[float]()
    for share in CAPPED:
        allowed = np.flatnonzero((total - below <= 1.5 * share * total) & (total - below >= FEWEST))
        if not len(allowed):
            continue
        near = allowed[np.argmin(np.abs(total - below[allowed] - share * total))]
        after = float(numbers[near + 1])
        limit = roundest(float(numbers[near]) - 1, after - 1) if whole else roundest(float(numbers[near]), after)
        if limit in seen or limit >= after:
            continue
        seen.add(limit)
        cap = int(limit) if limit.is_integer() else limit
        last = near if numbers[near] == limit else near + 1
        coarse = np.append(np.minimum(np.arange(len(numbers)), last), -1).astype(np.int32)
        yield Option("cap", coarse, piece("cap", column=column.name, upper=cap), cap)


def _widths(reach: float, whole: bool) -> Iterator[float]:
    """Round widths, narrow to wide, that make a sensible number of bands.

    >>> list(_widths(90, True)), list(_widths(0.9, False))
    ([5, 10, 20], [0.05, 0.1, 0.2])
    """
    if not 0 < reach < 1e12:
        return
    for power in range(math.floor(math.log10(reach)) - 2, math.floor(math.log10(reach)) + 1):
        for digit in (1, 2, 5):
            width = digit * 10**power if power >= 0 else round(digit * 10.0**power, -power)
            if BANDS[0] <= reach / width <= BANDS[1] and (not whole or (width >= 2 and power >= 0 and reach >= SHORT)):
                yield width


def _categories(name: str, values: pa.Array, counts: NDArray[np.int64]) -> Iterator[Option]:
    """First characters of codes, and rare values blanked."""
    import pyarrow as pa

    texts = [str(text) for text in values.cast(pa.string()).to_pylist()] if _written(values.type) else []
    if texts and all(CODE.fullmatch(text) for text in texts):
        lengths = {len(text) for text in texts}
        if pa.types.is_integer(values.type) and len(lengths) > 1:
            lengths = set()  # numbers that lost their leading zeros
        yield from _each(name, values, "prefix", tuple(range(max(lengths, default=1) - 1, 0, -1))[:MOST_LEVELS])
    yield from _rare(name, counts)


def _rare(name: str, counts: NDArray[np.int64]) -> Iterator[Option]:
    import numpy as np

    from schleier.kernels.classes.rare import common

    codes = np.append(np.arange(len(counts) - 1), -1).astype(np.int32)
    there = counts > 0
    for share in RARE:
        least = max(math.ceil(share * int(counts.sum())), 2)
        keep, helpless = common(codes[there][:, None], counts[there], [0], least)
        coarse = codes.copy()
        coarse[there] = np.where(keep, codes[there], -1)
        if not helpless.any():
            yield Option("rare", coarse, piece("blank_rare", columns=[name], min_count=least), least)


def _coarse(name: str, values: pa.Array, hierarchy: Hierarchy, level: int) -> Coarse | None:
    """The code of each value at a level; nothing where the hierarchy does not know a value."""
    import numpy as np

    try:
        _, codes = sorted_codes(coarse_labels(hierarchy, level, values, name))
    except DataError:
        return None
    return np.append(codes, np.int32(-1))


def _written(kind: pa.DataType) -> bool:
    import pyarrow as pa

    from schleier.core.hierarchy.contract import is_text

    return is_text(kind) or bool(pa.types.is_integer(kind))
