"""What units are made of: a household may be alone as a whole although each of its members looks like many others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


@dataclass(frozen=True)
class Compositions:
    """Compositions of units: which key combinations their members have, each how many times; grouped by how rare.

    ``number[i]`` compositions of ``members[i]`` records are those of ``alike[i]`` units each, with ``records[i]``
    records in all. A record without a unit is taken for a unit of its own, to which it adds none: nobody knows whose
    it is.
    """

    members: NDArray[np.int64] = field(repr=False)
    alike: NDArray[np.int64] = field(repr=False)
    number: NDArray[np.int64] = field(repr=False)
    records: NDArray[np.int64] = field(repr=False)

    @property
    def units(self) -> NDArray[np.int64]:
        """Units of each entry."""
        return self.alike * self.number

    @property
    def smallest(self) -> int | None:
        """The smallest number of units that are alike; nothing where there are no records."""
        return int(self.alike.min()) if len(self.alike) else None

    def rarer(self, k: int) -> tuple[int, int]:
        """How many compositions fewer than k units have, and the records in them."""
        rare = self.alike < k
        return int(self.number[rare].sum()), int(self.records[rare].sum())


def count_compositions(data: Dataset, classes: Classes, unit: str) -> Compositions:
    """The compositions of units, counted where the rows are; rows without a class are left out.

    Every class has two random numbers, and their sums over the members of a unit stand for its composition.

    >>> import pyarrow as pa
    >>> from schleier.core.classes.request import Request
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.schema import Column, Schema
    >>> home = Column(name="home", role="unit", scale="nominal")
    >>> schema = Schema(columns=[home, Column(name="sex", role="quasi", scale="nominal")])
    >>> data = Dataset.from_frame(pa.table({"home": [1, 1, 2, 2, 3], "sex": ["f", "m", "m", "f", "f"]}), schema)
    >>> found = count_compositions(data, data.classes(Request(keys=("sex",))), "home")
    >>> found.members.tolist(), found.alike.tolist()
    ([1, 2], [1, 2])
    """
    import narwhals as nw
    import numpy as np

    from schleier.core.classes.records import by_class
    from schleier.kernels.classes.compositions import class_numbers

    first, second = class_numbers(len(classes))
    rows = by_class(data, classes, {"_first_": first, "_second_": second}, unit)
    whose = nw.col(unit)
    rows = rows.filter(~nw.col("_first_").is_null()).select(
        "_first_",
        "_second_",
        _unit_=whose,
        _alone_=nw.when(whose.is_null()).then(nw.col(data.schema.key)),
        _known_=nw.when(whose.is_null()).then(nw.lit(0)).otherwise(nw.lit(1)),
    )
    units = rows.group_by("_unit_", "_alone_").agg(
        _first_=nw.col("_first_").sum(),
        _second_=nw.col("_second_").sum(),
        _known_=nw.col("_known_").max(),
        _members_=nw.len(),
    )
    alike = units.group_by("_first_", "_second_", "_members_").agg(
        _alike_=nw.col("_known_").sum().cast(nw.Int64), _records_=nw.col("_members_").sum().cast(nw.Int64)
    )
    spectrum = alike.group_by("_members_", "_alike_").agg(
        _number_=nw.len(), _records_=nw.col("_records_").sum().cast(nw.Int64)
    )
    table = data.engine.arrays(spectrum).sort_by([("_members_", "ascending"), ("_alike_", "ascending")])
    names = ("_members_", "_alike_", "_number_", "_records_")
    return Compositions(*(table.column(name).to_numpy().astype(np.int64) for name in names))
