"""Divides the records along the widest key again and again, as long as every part meets the criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import field_validator

from schleier.core.classes import Classes
from schleier.core.component import secret
from schleier.core.packing import packed, unpacked
from schleier.search._goals import Goal
from schleier.search._partition import PartitionMethod
from schleier.search._spaces import own_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run
    from schleier.kernels.search.boxes import Boxes, Space
    from schleier.kernels.search.placing import Points


class Mondrian(PartitionMethod):
    """Cut the table into ever smaller parts, and show each record with the ranges of its part.

    >>> Mondrian(criteria=[{"criterion": "k_anonymity", "k": 5}], mode="relaxed").mode
    'relaxed'
    """

    counts: ClassVar[frozenset[str]] = frozenset({"in_no_part"})
    reference: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity"
    example: ClassVar[dict[str, object]] = {"criteria": [{"criterion": "k_anonymity", "k": 3}]}

    mode: Literal["strict", "relaxed"] = "strict"
    """Whether all records with the value at a cut go to the same side (strict), or only those with all keys equal."""
    cuts: str | None = secret(None)
    """Learned: the tree of cuts, as a compressed Arrow table in base64."""

    @field_validator("cuts")
    @classmethod
    def _cuts_readable(cls, cuts: str | None) -> str | None:
        if cuts is not None:
            unpacked(cuts)
        return cuts

    def divided(self, space: Space, codes: NDArray[np.int32], goal: Goal, run: Run) -> tuple[dict[str, object], object]:
        """All cuts, level by level."""
        import pyarrow as pa

        from schleier.kernels.search.mondrian import partition

        judge = None if goal.only_least else goal.bad
        cuts, part, _ = partition(space, codes, goal.table.sizes, self._ties(space, codes), goal.least, judge)
        return {"cuts": packed({f"_{name}_": pa.array(column) for name, column in cuts._asdict().items()})}, part

    def placed(self, space: Space, points: Points, boxes: Boxes, classes: Classes) -> NDArray[np.int64]:
        """Down the tree of cuts."""
        from schleier.kernels.search.mondrian import Cuts
        from schleier.kernels.search.placing import by_cuts

        table = unpacked(self.cuts or "")
        cuts = Cuts(*(table[f"_{name}_"].to_numpy() for name in Cuts._fields))
        return by_cuts(cuts, boxes, space, points, self._ties(space, points.codes))

    def _ties(self, space: Space, codes: NDArray[np.int32]) -> NDArray[np.int64] | None:
        from schleier.kernels.search.boxes import ties

        return None if self.mode == "strict" else ties(own_codes(space, codes))
