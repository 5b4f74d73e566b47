"""What methods have in common that give records the values of other records: every value stays in its column."""

from __future__ import annotations

import hashlib
import hmac
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import model_validator

from schleier.core.data import tally
from schleier.core.engine import Source
from schleier.core.errors import InfeasibleError, Problems
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema
from schleier.core.traces import Traces
from schleier.methods._discrete import Discrete
from schleier.methods._small_strata import small_strata
from schleier.methods._unchanged_values import CHANGED, STAYS, tell_staying

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

FEWEST = 3
"""Two records that exchange their values find each other's at once (Höhne L598)."""

Seen = Mapping[str, "NDArray[np.float64]"]
"""Columns of one stratum in row-key order as numbers (values that have none as 1); missing is NaN."""
Places = Mapping[str, "NDArray[np.int64]"]
"""For each changed column and record, the record whose value it gets."""


class Exchange(Discrete):
    """A method that rearranges the values of columns, within strata if there are any."""

    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"exchange"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "missing": "exact",
        "distribution": "exact",
        "total": "exact",
        "mean": "exact",
        "variance": "exact",
    }
    ways: ClassVar[tuple[str, ...]] = ("within", "number")
    cure: ClassVar[str] = "use coarser strata or other columns"
    """What helps where nothing changes."""
    enough: ClassVar[float] = 0.2
    """Unless more than this share of the values of a column changes, the report cautions."""

    round: Literal["nearest"] = "nearest"
    """Every value is one that was there: nothing needs to be rounded."""
    zeros: Literal["move", "keep"] = "move"
    """Whether zeros change places too; "keep" for zeros that follow from other columns (structural zeros)."""
    allow_small_strata: bool = False
    """Accept strata with fewer than three values of a column, which are hardly protected or not at all."""
    public: tuple[str, ...] = ()
    """Secret parameters that are published on purpose."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns must differ")
        return self

    @abstractmethod
    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """Who gets whose value in one stratum; a missing value stays where it is."""

    def moved(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose values change places."""
        return (*self.metric(schema), *self.coded(schema))

    def given(self, schema: Schema) -> tuple[str, ...]:
        """Columns that are looked at and not changed."""
        return ()

    def stays(self, name: str, same: NDArray[np.bool_], place: NDArray[np.int64], seen: Seen) -> NDArray[np.bool_]:
        """Which values of a stratum are no better protected than before; ``same`` tells which are the same."""
        return same

    def after(self, schema: Schema) -> Schema:
        """As it was."""
        return schema

    def fit(self, data: Dataset, run: Run) -> Self:
        """Pool small strata; refuse those in which hardly anything can change places unless they are allowed."""
        if self.kept is not None:
            return self
        import narwhals as nw

        fitted, found = self.model_copy(update=self.learn(data, run)), Problems()
        named, by = fitted.split(data)
        counts = {name: nw.col(name).count() for name in self.moved(data.schema)}
        for name, small, message in small_strata(named, by, counts, FEWEST):
            if self.allow_small_strata:
                run.note(column=name, strata_with_fewer_than_three_values=small)
            else:
                hint = "use coarser strata, or set allow_small_strata = true"
                found.add("small-strata", "strata", message, hint)
        found.raise_as(InfeasibleError)
        return fitted

    def again(self) -> Self:
        """Strata are counted and pooled anew."""
        return self.model_copy(update={"kept": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the values at their new places."""
        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        run.note(columns=list(self.moved(data.schema)), strata=list(self.splits(data.schema)))
        subkey, (named, by) = run.subkey("exchange"), self.split(data)
        return self._grouped(data, named, by, subkey, run) if by else self._at_once(data, subkey, run)

    def moving(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The records of a stratum whose value may change its place."""
        import numpy as np

        there = ~np.isnan(values)
        return np.flatnonzero(there & (values != 0) if self.zeros == "keep" else there)

    def _at_once(self, data: Dataset, subkey: bytes, run: Run) -> Dataset:
        """All rows as one group: positions and not values go through the arrays, so that every type is exact."""
        import pyarrow as pa
        import pyarrow.compute as pc

        key, names = data.schema.key, self._looked_at(data.schema)
        table = in_key_order(data.engine.arrays(data.frame.select(key, *names)), key)
        columns = {name: table.column(name).combine_chunks() for name in table.column_names}
        del table  # ten million values are held once
        seen = {name: self._seen(columns[name], data.schema[name]) for name in names}
        places = self.places(seen, generator(subkey, ""))
        fresh, marks = {}, {}
        for name, place in places.items():
            fresh[name] = columns[name].take(pa.array(place))
            same = pc.equal(columns[name], fresh[name]).fill_null(True).to_numpy(zero_copy_only=False)
            marks[name] = self._marks(name, same, place, seen)
            del same
        del seen, places, place
        tell_staying(self, data, {n: ((m > 0).sum()[None], (m == STAYS).sum()[None]) for n, m in marks.items()}, run)
        return with_new_columns(data, pa.table({key: columns[key], **fresh}))

    def _grouped(self, data: Dataset, named: Dataset, by: tuple[str, ...], subkey: bytes, run: Run) -> Dataset:
        """Stratum by stratum in the engine, each with a generator of its own; what moves is the row key."""
        import narwhals as nw
        import numpy as np
        import pyarrow as pa

        key, schema, held = data.schema.key, data.schema, data.frame.collect_schema()
        moved, names = self.moved(schema), self._looked_at(schema)
        kind = nw.Int64() if held[key].is_integer() else nw.String()
        donors = {name: f"_from_{j}_" for j, name in enumerate(moved)}
        marks = {name: f"_mark_{j}_" for j, name in enumerate(moved)}
        marked = named.mutate(**dict.fromkeys(donors.values(), nw.col(key).cast(kind)))
        marked = marked.mutate(**dict.fromkeys(marks.values(), nw.lit(0).cast(nw.Int64)))
        kinds = {name: held[name] for name in names}

        def kernel(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
            whose = arrays[donors[moved[0]]]
            seen = {name: self._seen(pa.array(arrays[name], from_pandas=True), schema[name]) for name in names}
            places = self.places(seen, generator(subkey, str(whose[0])))
            told = {donors[name]: whose[place] for name, place in places.items()}
            for name, place in places.items():
                same = np.asarray(arrays[name] == arrays[name][place], dtype=bool)
                told[marks[name]] = self._marks(name, same, place, seen).astype(np.int64)
            return told

        text = {name: nw.col(name).cast(nw.String) for name in names if _odd(kinds[name])}
        shown = marked.mutate(**text) if text else marked
        changes = dict.fromkeys(donors.values(), kind) | dict.fromkeys(marks.values(), nw.Int64())
        found = shown.map_groups(by, kernel, changes, names)
        sums = {f"_may_{m}": tally(nw.col(m) > 0) for m in marks.values()}
        sums |= {f"_stay_{m}": tally(nw.col(m) == STAYS) for m in marks.values()}
        table = found.grouped(list(by), sums)
        counts = {name: np.array(table.column(name).to_pylist(), dtype=np.int64) for name in sums}
        told = {name: (counts[f"_may_{m}"], counts[f"_stay_{m}"]) for name, m in marks.items()}
        tell_staying(self, data, told, run)
        frame = data.frame.drop(*moved).join(found.frame.select(key, *donors.values()), on=key, how="left")
        for name, donor in donors.items():
            giver = data.frame.select(nw.col(key).cast(kind).alias("_giver_"), nw.col(name))
            frame = frame.join(giver, left_on=donor, right_on="_giver_", how="left")
        return replace(data, frame=frame.select(*(nw.col(name) for name in held.names())))

    def _marks(self, name: str, same: NDArray[np.bool_], place: NDArray[np.int64], seen: Seen) -> NDArray[np.int8]:
        """For each record 0 where the value may not move, else whether it is protected now."""
        import numpy as np

        found = np.where(self.stays(name, same, place, seen), np.int8(STAYS), np.int8(CHANGED))
        values = seen[name]
        found[np.isnan(values) | (values == 0) if self.zeros == "keep" else np.isnan(values)] = 0
        return found

    def _looked_at(self, schema: Schema) -> list[str]:
        return list(dict.fromkeys((*self.moved(schema), *self.given(schema))))

    def _seen(self, column: Any, described: Column) -> NDArray[np.float64]:
        """A column as numbers: categories by their number where they are numbered, else 1; missing is NaN."""
        import numpy as np
        import pyarrow as pa

        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if described.numeric:
            return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
        if described.name in self.values:
            codes = self._codes(column.to_numpy(zero_copy_only=False), described.name)
            return np.where(codes < 0, np.nan, codes + 1.0)
        return np.where(column.is_null().to_numpy(zero_copy_only=False), np.nan, 1.0)


def generator(subkey: bytes, group: str) -> np.random.Generator:
    """A generator for one group, told from others by the first row key in it: the same on every engine.

    >>> int(generator(bytes(32), "a").integers(100)) == int(generator(bytes(32), "b").integers(100))
    False
    """
    import numpy as np

    digest = hmac.new(subkey, group.encode(), hashlib.sha256).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest[:16], "little")))


def in_key_order(table: pa.Table, key: str) -> pa.Table:
    """A table in the order of its row key; mostly it is already, and sorting takes time and memory."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = table.column(key)
    if pa.types.is_integer(keys.type) and len(keys):
        keys = keys.combine_chunks()
        if pc.all(pc.less(keys[:-1], keys[1:])).as_py() is not False:
            return table
    return table.take(pc.sort_indices(table.column(key)))


def with_new_columns(data: Dataset, table: pa.Table) -> Dataset:
    """The dataset with columns taken from an Arrow table that has the row key too."""
    import narwhals as nw

    changed = [name for name in table.column_names if name != data.schema.key]
    names = data.frame.collect_schema().names()
    fresh = data.engine.read(Source(table))
    if set(names) == set(table.column_names):  # nothing else is in the file
        return replace(data, frame=fresh.select(*(nw.col(name) for name in names)))
    frame = data.frame.drop(*changed).join(fresh, on=data.schema.key, how="left")
    return replace(data, frame=frame.select(*(nw.col(name) for name in names)))


def _odd(kind: Any) -> bool:
    """Whether a type does not travel through an array as it is: only whether it is missing is looked at then."""
    import narwhals as nw

    return not (kind.is_numeric() or isinstance(kind, nw.String | nw.Boolean))
