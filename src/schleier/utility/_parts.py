"""Some columns of a file, or of a subgroup of it, as arrays in the order of the row key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schleier.core.pairs import AFTER, BEFORE, MATCH, matched_by

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case

GROUP, HEAVY, UNIT = "_group_", "_heavy_", "_unit_"


@dataclass(frozen=True)
class Part:
    """Numbers (NaN is missing), words as text, weights, the unit of each row, and its subgroup as text."""

    numbers: Mapping[str, NDArray[np.float64]]
    words: Mapping[str, pa.Array]
    weights: NDArray[np.float64]
    units: NDArray[np.int64]
    groups: tuple[pa.Array, ...] = ()

    def __len__(self) -> int:
        return len(self.weights)

    def matrix(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Some columns side by side."""
        import numpy as np

        return np.column_stack([self.numbers[n] for n in names]) if names else np.zeros((len(self), 0))

    def at(self, rows: NDArray[np.int64]) -> Part:
        """Some of the rows."""
        import pyarrow as pa

        spots = pa.array(rows)
        return Part(
            {n: column[rows] for n, column in self.numbers.items()},
            {n: column.take(spots) for n, column in self.words.items()},
            self.weights[rows],
            self.units[rows],
        )

    def of(self, names: Sequence[str]) -> Part:
        """Some of the columns."""
        numbers = {n: column for n, column in self.numbers.items() if n in names}
        words = {n: column for n, column in self.words.items() if n in names}
        return replace(self, numbers=numbers, words=words)


def part_of(data: Dataset, numbers: Sequence[str], words: Sequence[str], by: Sequence[str], *, weighted: bool) -> Part:
    """What a comparison needs of a file."""
    import narwhals as nw

    weight = data.schema.having("weight")[:1] if weighted else ()
    wanted = {f"{GROUP}{i}": nw.col(n).cast(nw.String) for i, n in enumerate(by)}
    wanted |= {HEAVY: nw.col(weight[0]).cast(nw.Float64)} if weight else {}
    unit = data.schema.having("unit")
    wanted |= {UNIT: nw.col(unit[0]).cast(nw.String)} if unit else {}
    columns = [nw.col(n).cast(nw.Float64) for n in numbers] + [nw.col(n).cast(nw.String) for n in words]
    frame = data.frame.sort(data.schema.key)
    if not columns and not wanted:
        wanted = {HEAVY: nw.lit(1.0)}
        return _part(data.engine.arrays(frame.select(nw.col(data.schema.key), **wanted)), (), (), len(by), "")
    table = data.engine.arrays(frame.select(*columns, **wanted))
    return _part(table, numbers, words, len(by), "")


def paired_parts(case: Case, names: Sequence[str], by: Sequence[str], *, weighted: bool) -> tuple[Part, Part]:
    """The records that are in both files, in the same order; weights and subgroups are those of the original."""
    import narwhals as nw

    left, right = matched_by(case)
    weight = case.original.schema.having("weight")[:1] if weighted else ()
    more = {f"{GROUP}{i}": nw.col(n).cast(nw.String) for i, n in enumerate(by)}
    more |= {HEAVY: nw.col(weight[0]).cast(nw.Float64)} if weight else {}
    unit = case.original.schema.having("unit")
    more |= {UNIT: nw.col(unit[0]).cast(nw.String)} if unit else {}
    before = case.original.frame.select(left, *(nw.col(n).cast(nw.Float64).alias(BEFORE + n) for n in names), **more)
    after = case.released.frame.select(right, *(nw.col(n).cast(nw.Float64).alias(AFTER + n) for n in names))
    table = case.original.engine.arrays(before.join(after, on=MATCH, how="inner").sort(MATCH))
    return _part(table, names, (), len(by), BEFORE), _part(table, names, (), len(by), AFTER)


def _part(table: pa.Table, numbers: Sequence[str], words: Sequence[str], by: int, mark: str) -> Part:
    import numpy as np

    weights = np.nan_to_num(_numbers(table, HEAVY), posinf=0.0) if HEAVY in table.column_names else np.ones(len(table))
    return Part(
        {n: _numbers(table, mark + n) for n in numbers},
        {n: table.column(mark + n).combine_chunks() for n in words},
        np.where(weights > 0, weights, 0.0),
        _units(table),
        tuple(table.column(f"{GROUP}{i}").combine_chunks() for i in range(by)),
    )


def _units(table: pa.Table) -> NDArray[np.int64]:
    """A number for the unit of each row; a row without a unit is one by itself."""
    import numpy as np

    if UNIT not in table.column_names:
        return np.arange(len(table))
    coded = table.column(UNIT).combine_chunks().dictionary_encode()
    own = np.asarray(coded.indices.fill_null(-1), dtype=np.int64)
    return np.where(own < 0, len(coded.dictionary) + np.arange(len(table)), own)


def _numbers(table: pa.Table, name: str) -> NDArray[np.float64]:
    import numpy as np
    import pyarrow as pa

    return np.asarray(table.column(name).cast(pa.float64()).to_numpy(), dtype=np.float64)


def subgroups(old: Part, new: Part, least: int) -> tuple[list[tuple[Part, Part]], int]:
    """The subgroups that have so many records in both files, in order of their values; and how many have not."""
    before, after = _rows(old), _rows(new)
    every = sorted({*before, *after}, key=lambda values: [(v is None, v or "") for v in values])
    large = [g for g in every if min(len(before.get(g, ())), len(after.get(g, ()))) >= least]
    return [(old.at(before[g]), new.at(after[g])) for g in large], len(every) - len(large)


def _rows(part: Part) -> dict[tuple[Any, ...], NDArray[np.int64]]:
    """The rows of each subgroup; missing is a value of its own."""
    import numpy as np

    code = np.zeros(len(part), dtype=np.int64)
    for column in part.groups:
        own = column.dictionary_encode()
        codes = np.asarray(own.indices.fill_null(-1), dtype=np.int64) + 1
        code = np.unique(code * (len(own.dictionary) + 1) + codes, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    rows = np.split(order, starts[1:]) if len(order) else []
    return {tuple(column[int(some[0])].as_py() for column in part.groups): some for some in rows}


def text_codes(*columns: pa.Array) -> tuple[list[NDArray[np.int64]], int]:
    """The same words of several columns under the same code, in alphabetical order; missing is -1."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    every = pa.chunked_array([*columns], type=pa.string()).unique()
    words = every.filter(pc.is_valid(every))
    words = words.take(pc.sort_indices(words))
    codes = [np.asarray(pc.index_in(c, value_set=words).fill_null(-1), dtype=np.int64) for c in columns]
    return codes, len(words)
