"""Every record at least three times: triple aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._donors import donated, refuse_small

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

LEFT_ALONE = ("identifier", "unit", "weight")


class TripleRecords(Method):
    """Group similar records by ``k``, and give all of a group the values of one that stands for them.

    >>> TripleRecords(columns=["age", "income"]).k
    3
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 2.2.1 (triple aggregates, operator A-17)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    traces: ClassVar[Traces] = frozenset({"average"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["age", "region", "income", "disease"], "strata": ["sex"]}

    columns: tuple[str, ...] = ()
    """The columns that become alike, and the order in which records are sorted by them: the most important first. All
    but identifiers, units, weights and strata when empty."""
    k: int = Field(default=3, ge=3)
    """Every record occurs at least so many times."""
    represent: Literal["record", "artificial"] = "record"
    """Who stands for a group: its middle record, or an artificial one of medians and most frequent values."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations are treated separately and stay as they are; missing is a value of its own."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        named = (*self.columns, *self.strata)
        if len(set(named)) < len(named):
            raise ValueError("columns and strata must differ")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that become alike, and the strata."""
        every = tuple(c.name for c in schema if c.role not in LEFT_ALONE and c.name not in self.strata)
        return (*(self.columns or every), *self.strata)

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns that become alike."""
        return tuple(name for name in self.uses(schema) if name not in self.strata)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Refuse strata with fewer than ``k`` records."""
        refuse_small(data, self.strata, self.k)
        return self

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with every record at least ``k`` times."""
        refuse_small(data, self.strata, self.k)
        names = [name for name in self.uses(data.schema) if name not in self.strata]
        scales = [data.schema[name].scale in ("ordinal", "discrete", "continuous", "time") for name in names]
        k, single = self.k, self.represent == "record"

        def choose(arrays: Arrays) -> NDArray[np.int64]:
            return _stand_in(arrays, names, scales, k, single=single)

        return donated(data, self.strata, choose, [names] if single else [[name] for name in names], names)


def _stand_in(arrays: Arrays, names: list[str], ordered: list[bool], k: int, *, single: bool) -> NDArray[np.int64]:
    """For each record of a stratum the record whose values it gets: one for all columns, or one for each."""
    import numpy as np

    from schleier.kernels.change.neighbours import central, middle, neighbour_groups, order

    place = order([arrays[name] for name in names])
    group = neighbour_groups(len(place), k)
    if single:
        parts = [middle(group)]
    else:
        told = zip(names, ordered, strict=True)
        parts = [central(arrays[name][place], group, ordered=sorts) for name, sorts in told]
    found = np.empty((len(place), len(parts)), dtype=np.int64)
    found[place] = np.stack([place[part] for part in parts], axis=1)
    return found
