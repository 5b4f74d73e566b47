"""Some records with what stood in them and what is released of them, brought into memory as codes and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from schleier.core.data import named
from schleier.core.pairs import MATCH, matched_by, same_cells

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.measure import Case
    from schleier.core.run import Run
    from schleier.core.schema import Column

BY, DRAW = "_by_", "_draw_"
REPEATED = 5
"""Numbers that occur so often on average are values of their own."""
PIECES = 50
"""Other numbers are cut into so many classes of equal size."""
CELLS = 400_000
"""So many cells are brought into memory: of a file with many columns fewer records."""
FEWEST = 1000
"""Of a file with many columns still so many records."""


@dataclass(frozen=True)
class Cells:
    """One column of some records."""

    values: pa.Array = field(repr=False)
    counted: bool = False
    """Whether differences of its values mean something."""

    @cached_property
    def is_number(self) -> bool:
        """Whether it holds numbers or dates; what is declared so may be read as text still."""
        import numpy as np

        return self.counted and bool(np.isfinite(self.numbers).any())

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """A code for each value, zero for a gap; numbers that hardly repeat are cut into classes."""
        import numpy as np

        encoded = self.values.dictionary_encode()
        if self.is_number and len(encoded.dictionary) * REPEATED > len(encoded):
            numbers, ends = self.numbers, np.zeros(0)
            if (known := np.isfinite(numbers)).any():
                ends = np.quantile(numbers[known], np.arange(1, PIECES) / PIECES)
            return np.where(known, np.searchsorted(ends, numbers) + 1, 0)
        return np.asarray(encoded.indices.fill_null(-1), dtype=np.int64) + 1

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers, and dates as numbers of days or microseconds; NaN for a gap, and for what is none."""
        import numpy as np
        import pyarrow as pa

        kind = self.values.type
        whole = {32: pa.int32(), 64: pa.int64()}.get(kind.bit_width) if pa.types.is_temporal(kind) else None
        try:
            values = (self.values.cast(whole) if whole is not None else self.values).cast(pa.float64(), safe=False)
        except pa.ArrowException:
            return np.full(len(self.values), np.nan)
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)

    @property
    def is_text(self) -> bool:
        """Whether it holds words."""
        import pyarrow as pa

        return bool(pa.types.is_string(self.values.type) or pa.types.is_large_string(self.values.type))


@dataclass(frozen=True)
class SideBySide:
    """Columns of the original that were left out or changed, and the released ones, in the same records."""

    before: Mapping[str, Cells]
    after: Mapping[str, Cells]
    hidden: Mapping[str, NDArray[np.bool_]] = field(repr=False)
    """By column of the original: the records in which its value is not released as it was."""
    learned: NDArray[np.bool_] = field(repr=False)
    """The half of the records to learn from; those of one unit are in the same half."""


def side_by_side(case: Case, run: Run, columns: Sequence[str], records: int) -> SideBySide:
    """At most so many records, drawn by unit where there are units, and the columns of them that were changed."""
    import narwhals as nw
    import numpy as np

    old, new = case.original.schema, case.released.schema
    left, right = matched_by(case)
    types, shown = case.original.frame.collect_schema(), case.released.frame.collect_schema()
    lost = [n for n in old.names if (not columns or n in columns) and not isinstance(types[n], nw.List)]
    kept = [n for n in new.names if not isinstance(shown[n], nw.List)]
    most = max(FEWEST, CELLS // max(len(lost) + len(kept), 1))
    part = min(1.0, min(records, most) / max(case.original.rows, 1))
    by = next(iter(old.having("unit")), old.key)
    olds = {f"_old_{i}_": nw.col(name) for i, name in enumerate(lost)}
    news = {f"_new_{i}_": nw.col(name) for i, name in enumerate(kept)}
    alike = case.released.frame is case.original.frame  # each row stands beside itself
    own = olds | news if alike else olds
    drawn = run.draw(
        replace(case.original, frame=case.original.frame.select(left, **{BY: nw.col(by)}, **own)),
        DRAW,
        "records",
        by=BY,
    )
    both = drawn.frame.filter(nw.col(DRAW) < part)
    if not alike:
        both = both.join(case.released.frame.select(right, **news), on=MATCH, how="inner")
    held = both.collect_schema()
    same = {
        f"_same_{i}_": same_cells(f"_old_{i}_", f"_new_{kept.index(name)}_", held)
        for i, name in enumerate(lost)
        if name in kept
    }
    table = case.original.engine.arrays((both.with_columns(*named(same)) if same else both).sort(MATCH))

    def cells(name: str, number: bool) -> Cells:
        return Cells(table[name].combine_chunks(), number)

    before, hidden = {}, {}
    for i, name in enumerate(lost):
        gone = ~np.asarray(table[f"_old_{i}_"].is_null())
        if name in kept:
            gone &= ~np.asarray(table[f"_same_{i}_"].fill_null(False))
        if gone.any() or name not in kept:
            before[name], hidden[name] = cells(f"_old_{i}_", _measured(old[name])), gone
    after = {name: cells(f"_new_{i}_", _measured(new[name])) for i, name in enumerate(kept)}
    return SideBySide(before, after, hidden, np.asarray(table[DRAW]) < part / 2)


def _measured(column: Column) -> bool:
    return column.numeric or column.scale == "time"
