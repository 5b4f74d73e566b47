"""Records put together from segments of several records."""

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
from schleier.methods.swap_cyclic import DRAW, FEW, passed_on

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run


class CombineSegments(Method):
    """Leave the columns outside the segments with their record, and take each segment from another similar record.

    >>> CombineSegments(segments=[["income", "rent"], ["disease"]], by=["age"], strata=["sex"]).size
    5
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 13.2 (segments of several records, A6)"
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
    example: ClassVar[dict[str, object]] = {
        "segments": [["income"], ["disease", "schooling"]],
        "by": ["age"],
        "strata": ["sex"],
    }

    segments: tuple[tuple[str, ...], ...] = Field(min_length=1)
    """Lists of columns; the columns of a list come from the same record, each list from another one."""
    by: tuple[str, ...] = Field(min_length=1)
    """Records next to each other in these columns are similar; the first counts most. Ties are broken at random."""
    size: int = Field(default=5, ge=FEW)
    """Donors come from groups of so many similar records; the last group takes the rest."""
    strata: tuple[str, ...] = ()
    """Columns that must be the same in a record and its donors; missing is a value of its own."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        named = (*self._moved, *self.by, *self.strata)
        if len(set(named)) < len(named) or not all(self.segments):
            raise ValueError("a segment needs columns, and segments, by and strata must differ")
        if self.size <= len(self.segments):
            raise ValueError("size must be above the number of segments: each comes from another record")
        return self

    @property
    def _moved(self) -> tuple[str, ...]:
        return tuple(name for part in self.segments for name in part)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """All columns named."""
        return (*self._moved, *self.by, *self.strata)

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns of the segments."""
        return self._moved

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights and units belong to their records."""
        yield from super().problems(schema)
        yield from fixed_columns(schema, self._moved, "segments")

    @property
    def _least(self) -> int:
        return max(FEW, len(self.segments) + 1)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Refuse strata with fewer donors than segments."""
        refuse_small(data, self.strata, self._least)
        return self

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its segments exchanged."""
        refuse_small(data, self.strata, self._least)
        by, size, turns = self.by, self.size, len(self.segments)

        def choose(arrays: Arrays) -> NDArray[np.int64]:
            return passed_on(arrays, by, size, turns)

        drawn = run.draw(data, DRAW)
        mixed = donated(drawn, self.strata, choose, self.segments, [*by, DRAW])
        return replace(mixed, frame=mixed.frame.drop(DRAW))
