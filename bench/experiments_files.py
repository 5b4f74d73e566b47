"""Files of the experiments of 1991: samples of a Land with mistakes in them, and what an attacker holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.statistics.trials import Trials
from schleier.lab.mistakes import Mistakes, spoil
from schleier.world.areas import areas, land
from schleier.world.design_files import NUMBERS
from schleier.world.designs import Maker
from schleier.world.people import BLOCK
from schleier.world.stream import Stream

KEY = bytes(range(100, 132))


@dataclass(frozen=True)
class Pair:
    """A file to be attacked, a file of names, and whose record is whose (place by place)."""

    released: pa.Table
    known: pa.Table
    record: NDArray[np.int64]
    entry: NDArray[np.int64]

    def only(self, rows: NDArray[np.bool_]) -> Pair:
        """With some of the records."""
        place = np.cumsum(rows) - 1
        kept = rows[self.record]
        return Pair(self.released.filter(pa.array(rows)), self.known, place[self.record[kept]], self.entry[kept])

    def knowing(self, rows: NDArray[np.bool_]) -> Pair:
        """With some of the entries."""
        place = np.cumsum(rows) - 1
        kept = rows[self.entry]
        return Pair(self.released, self.known.filter(pa.array(rows)), self.record[kept], place[self.entry[kept]])

    def taking(self, released: pa.Table | None = None, known: pa.Table | None = None) -> Pair:
        """With other values."""
        return replace(
            self, released=self.released if released is None else released, known=self.known if known is None else known
        )

    def case(self, keys: Sequence[str], beside: Sequence[str] = ()) -> Case:
        """What an attack may look at; the truth is for the trustee."""
        released = dataset(self.released, keys, "record")
        known = dataset(self.known, [*keys, *beside], "entry", released.engine)
        link = pa.table({"record": self.record, "entry": self.entry})
        columns = [Column(name=name, role="plain", scale="discrete") for name in ("record", "entry")]
        pairs = Dataset.from_frame(link, Schema(columns=columns), released.engine).frame
        return Case(released, released, known=known, truth=pairs.select("record", "entry"))


def dataset(table: pa.Table, keys: Sequence[str], row_key: str, engine: Any = None) -> Dataset:
    """Some columns as a dataset, all of them keys."""
    columns = [Column(name=n, role="quasi", scale="discrete" if n.startswith(NUMBERS) else "nominal") for n in keys]
    held = table.select(keys).add_column(0, row_key, pa.array(np.arange(len(table))))
    return Dataset.from_frame(held, Schema(row_key=row_key, columns=columns), engine)


def plain(table: pa.Table) -> pa.Table:
    """Words as text."""
    kinds = [pa.string() if pa.types.is_dictionary(f.type) else f.type for f in table.schema]
    return table.cast(pa.schema([(f.name, kind) for f, kind in zip(table.schema, kinds, strict=True)]))


def spoiled(table: pa.Table, keys: Sequence[str], mistakes: Mistakes, beside: Sequence[str] = ()) -> pa.Table:
    """The table with mistakes in its keys; ``beside`` are columns with second codes."""
    data = dataset(table, [*keys, *beside], "record")
    told = data.engine.arrays(spoil(data, mistakes, Run(key=KEY)).frame.select("record", *keys)).sort_by("record")
    for name in keys:
        table = table.set_column(table.column_names.index(name), name, told[name])
    return table


def pairs_of(released: pa.Table, known: pa.Table, samples: int) -> list[Pair]:
    """Each sample with the file of names."""
    found = []
    for number in range(samples):
        own = released.filter(pc.equal(released["sample"], number))
        both = np.intersect1d(own["person"].to_numpy(), known["person"].to_numpy(), return_indices=True)
        found.append(Pair(own, known, both[1], both[2]))
    return found


def coded(*tables: pa.Table, keys: Sequence[str]) -> list[NDArray[np.int64]]:
    """The keys of tables as whole numbers, the same for the same value; a gap is a value."""
    parts: list[list[Any]] = [[] for _ in tables]
    for name in keys:
        whole = pa.chunked_array([c.cast(pa.string()) for t in tables for c in t[name].chunks])
        codes = whole.combine_chunks().fill_null("\0").dictionary_encode().indices.to_numpy()
        for part, one in zip(parts, np.split(codes, np.cumsum([len(t) for t in tables])[:-1]), strict=True):
            part.append(one)
    return [np.stack(part, axis=1).astype(np.int64) for part in parts]


def uniqueness(table: pa.Table, keys: Sequence[str]) -> float:
    """Share of records whose combination of keys nobody else has; a gap is a value."""
    counts = table.select(keys).group_by(list(keys)).aggregate([([], "count_all")])["count_all"]
    return float(pc.sum(pc.equal(counts, 1)).as_py() or 0) / max(len(table), 1)


def observed(released: pa.Table, known: Mapping[str, Sequence[pa.ChunkedArray]]) -> NDArray[np.bool_]:
    """Records all of whose values occur, column by column, in the file of names (9.2.1.3)."""
    kept = np.ones(len(released), dtype=np.bool_)
    for name, columns in known.items():
        values = pa.chunked_array([c for one in columns for c in one.cast(pa.string()).chunks])
        inside = pc.is_in(released[name].cast(pa.string()), value_set=pc.unique(values))
        kept &= inside.to_numpy()
    return kept


def samples_of(maker: Maker, persons: NDArray[np.int64]) -> NDArray[np.int64]:
    """In which of all disjoint samples some persons are: for the scatter of what two files have in common."""
    where, found = land(maker.key), np.zeros(len(persons), dtype=np.int64)
    for number in np.unique(persons // BLOCK):
        first = int(number) * BLOCK
        lived = areas(Stream(maker.key, int(number)), first, min(BLOCK, maker.persons - first), where)
        draws = Stream(maker.key, int(number)).generator("sample").random(int(lived.cluster[-1]) + 1)
        here = persons // BLOCK == number
        found[here] = np.floor(draws / maker.sampled).astype(np.int64)[lived.cluster[persons[here] - first]]
    return found


def share(successes: float, attempts: float) -> dict[str, float]:
    """A share with its interval, and what it is of."""
    low, high = Trials(int(successes), int(attempts)).interval()
    part = successes / attempts if attempts else 0.0
    told = {"n": int(successes), "of": int(attempts), "share": part, "low": low, "high": high}
    return {name: round(value, 5) for name, value in told.items()}
