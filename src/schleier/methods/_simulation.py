"""What methods have in common that put drawn records in place of the real ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.engine import Source
from schleier.core.errors import InfeasibleError, stop
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema
from schleier.core.traces import Traces
from schleier.methods._discrete import CATEGORICAL, Discrete
from schleier.methods._exchange import generator, with_new_columns

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEWEST = 3


class Simulation(Discrete):
    """Learns what records look like, stratum by stratum, and draws others."""

    scales: ClassVar[Literal["rows", "groups", "memory"]] = "memory"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"simulation"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    ways: ClassVar[tuple[str, ...]] = ("within", "number")

    size: int | None = Field(default=None, ge=2)
    """Number of records to draw. The file then holds only the columns drawn and the strata; when absent, every record
    gets drawn values, and all other columns stay."""
    round: Literal["nearest", "none"] = "nearest"
    """What becomes of whole numbers: rounded (nearest), or broken (none)."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns must differ")
        return self

    @abstractmethod
    def drawn(self, values: Floats, size: int, whole: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
        """``size`` records like those of ``values`` (missing is NaN); ``whole`` says which columns hold steps."""

    def after(self, schema: Schema) -> Schema:
        """Only what is drawn, when another number of records is."""
        schema = super().after(schema)
        if self.size is None:
            return schema
        kept = {*self.columns, *self.splits(schema)}
        return schema.without([name for name in schema.names if name not in kept])

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """The records, unless another number of them is drawn."""
        rows: Keeps = {"rows": "exact", "other columns": "exact"}
        return cls.keeps if known.get("size") is not None else {**cls.keeps, **rows}

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn the categories and strata."""
        return self if self.kept is not None else self.model_copy(update=self.learn(data, run))

    def again(self) -> Self:
        """Other rows are learned anew."""
        return self.model_copy(update={"kept": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with drawn values, or a new one of drawn records."""
        import numpy as np
        import pyarrow as pa

        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        schema, key = data.schema, data.schema.key
        named, by = self.split(data)
        splits, changed = self.splits(schema), (*self.metric(schema), *self.coded(schema))
        wanted = dict.fromkeys((key, *by, *splits, *changed))
        table = data.engine.arrays(named.frame.select(*wanted).sort(key))
        held = len(table)
        if not held:
            return self._empty(data)
        whole = np.array([name not in schema or schema[name].scale != "continuous" for name in changed])
        values = np.stack([self._taken(table.column(name), schema[name]) for name in changed], axis=1)
        parts, sizes = self._parts(table, by)
        rows, fresh = list[Any](), list[Any]()
        for who, size in zip(parts, sizes, strict=True):
            if len(who) < FEWEST:
                message = f"there are strata with fewer than {FEWEST} records: nothing can be learned from them"
                stop(InfeasibleError, "small-strata", "strata", message, "use coarser strata")
            rng = generator(run.subkey("simulation"), str(table.column(key)[int(who[0])].as_py()))
            fresh.append(self.drawn(values[who], int(size), whole, rng))
            rows.append(who[np.arange(size) % len(who)] if self.size is None else rng.choice(who, int(size)))
        row, new = np.concatenate(rows), np.concatenate(fresh)
        columns = {name: self._given(new[:, j], schema[name], table) for j, name in enumerate(changed)}
        run.note(columns=list(changed), records=len(row), of=held, strata=len(parts))
        if self.size is None:
            return replace(
                with_new_columns(data, pa.table({key: table.column(key).take(row), **columns})),
                schema=self.after(schema),
            )
        columns |= {name: table.column(name).take(row) for name in splits}
        after = self.after(schema)
        source = pa.table({key: pa.array(np.arange(len(row))), **{name: columns[name] for name in after.names}})
        return replace(data, frame=data.engine.read(Source(source)), schema=after)

    def _empty(self, data: Dataset) -> Dataset:
        after = self.after(data.schema)
        return replace(data, frame=data.frame.select(after.key, *after.names), schema=after)

    def _parts(self, table: pa.Table, by: tuple[str, ...]) -> tuple[list[Ints], Ints]:
        """The rows of each stratum, and how many records are drawn for it: in proportion."""
        import numpy as np

        from schleier.core.classes.table import sorted_codes
        from schleier.kernels.change.allocation import by_total

        codes = sorted_codes(table.column(by[0]))[1] if by else np.zeros(len(table), dtype=np.int32)
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        sizes = np.array([len(part) for part in parts])
        if self.size is None:
            return parts, sizes
        if self.size < len(sizes):
            message = f"{self.size} records cannot represent {len(sizes)} strata"
            stop(InfeasibleError, "size-too-small", "size", message, "draw more, or merge strata")
        return parts, by_total(sizes, self.size, np.full(len(sizes), self.size))

    def _taken(self, column: Any, described: Column) -> Floats:
        import numpy as np

        cells = column.to_numpy()
        if described.numeric:
            return np.asarray(cells, dtype=np.float64)
        codes = self._codes(cells, described.name)
        return np.where(codes < 0, np.nan, codes + 1.0)

    def _given(self, numbers: Floats, described: Column, table: pa.Table) -> Any:
        """A drawn column as it is released."""
        import numpy as np
        import pyarrow as pa

        gone = np.isnan(numbers)
        if described.scale == "continuous" or (described.scale == "discrete" and self.round == "none"):
            return pa.array(numbers, mask=gone)
        steps = np.where(gone, 0, np.floor(numbers + 0.5)).astype(np.int64)
        if described.scale == "discrete":
            return pa.array(steps, mask=gone)
        assert described.scale in CATEGORICAL
        words = pa.array(self.values[described.name] or [None]).cast(table.schema.field(described.name).type)
        places = np.clip(steps - 1, 0, max(len(words) - 1, 0))
        return words.take(pa.array(places, mask=gone))
