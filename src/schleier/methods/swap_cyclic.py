"""Pass values on in a circle among neighbours (cyclic swapping)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._donors import donated, refuse_small
from schleier.methods._fixed_columns import fixed_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

DRAW, FEW = "_draw_", 3


class SwapCyclic(Method):
    """Group records that are neighbours in ``by``, and pass the values of ``columns`` on in each group.

    >>> SwapCyclic(columns=["rent"], by=["income"]).size
    5
    """

    reference: ClassVar[str] = "Radtke (1988), in Müller, Blien, Knoche and Wirth (1991), 2.1.2.1 (operator A-19)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"exchange"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "distribution": "exact",
        "total": "exact",
        "mean": "exact",
        "variance": "exact",
    }
    example: ClassVar[dict[str, object]] = {"columns": ["income", "disease"], "by": ["age"], "strata": ["sex"]}

    columns: tuple[str, ...] = Field(min_length=1)
    """The columns that are passed on, together: the values of one record stay together."""
    by: tuple[str, ...] = Field(min_length=1)
    """Records next to each other in these columns are neighbours; the first counts most. Ties are broken at random."""
    size: int = Field(default=5, ge=FEW)
    """So many neighbours form a group; the last group takes the rest."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations are swapped separately; missing is a value of its own."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        named = (*self.columns, *self.by, *self.strata)
        if len(set(named)) < len(named):
            raise ValueError(
                "columns, by and strata must differ: a column that is passed on says nothing of neighbours"
            )
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """All columns named."""
        return (*self.columns, *self.by, *self.strata)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights and units belong to their records."""
        yield from super().problems(schema)
        yield from fixed_columns(schema, self.columns)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Refuse strata too small to hide in."""
        refuse_small(data, self.strata, FEW)
        return self

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with values passed on."""
        refuse_small(data, self.strata, FEW)
        by, size = self.by, self.size

        def choose(arrays: Arrays) -> NDArray[np.int64]:
            return passed_on(arrays, by, size, 1)

        drawn = run.draw(data, DRAW)
        swapped = donated(drawn, self.strata, choose, [self.columns], [*by, DRAW])
        return replace(swapped, frame=swapped.frame.drop(DRAW))


def passed_on(arrays: Arrays, by: tuple[str, ...], size: int, turns: int) -> NDArray[np.int64]:
    """The donors of each record of a stratum among its neighbours, one column per turn."""
    import numpy as np

    from schleier.kernels.change.neighbours import neighbour_groups, order, rotated

    place = order([*(arrays[name] for name in by), arrays[DRAW]])
    donors = place[rotated(neighbour_groups(len(place), size), arrays[DRAW][place], turns)]
    found = np.empty_like(donors)
    found[place] = donors
    return found
