"""Gathers the records that are most alike into parts, one part after the other: slow, and a yardstick for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import field_validator

from schleier.core.classes import Classes
from schleier.core.component import secret
from schleier.core.errors import InfeasibleError, stop
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

MOST = 20_000
"""Different combinations of keys; the time grows with their square."""


class PartitionBottomUp(PartitionMethod):
    """Gather records into parts, each time the one that widens the part least, until the criteria are met.

    >>> PartitionBottomUp(criteria=[{"criterion": "k_anonymity", "k": 5}]).criteria[0].k
    5
    """

    counts: ClassVar[frozenset[str]] = frozenset({"in_no_part"})
    reference: ClassVar[str] = "Byun, Kamra, Bertino and Li (2007), greedy k-member clustering"
    example: ClassVar[dict[str, object]] = {"criteria": [{"criterion": "k_anonymity", "k": 3}]}
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "memory"
    random: ClassVar[bool] = True

    members: str | None = secret(None)
    """Learned: the combinations of keys and the part of each, as a compressed Arrow table in base64."""

    @field_validator("members")
    @classmethod
    def _members_readable(cls, members: str | None) -> str | None:
        if members is not None:
            unpacked(members)
        return members

    def divided(self, space: Space, codes: NDArray[np.int32], goal: Goal, run: Run) -> tuple[dict[str, object], object]:
        """Parts of enough records first; then those that fail another criterion are joined with others."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.classes.coding import add_up
        from schleier.kernels.search.boxes import around
        from schleier.kernels.search.clustering import clusters, join_bad_parts

        sizes = goal.table.sizes
        if len(sizes) > MOST:
            message = f"the keys have {len(sizes):,} different combinations; at most {MOST:,} are gathered one by one"
            hint = 'use method = "mondrian", or coarsen the keys first'
            stop(InfeasibleError, "too-many-classes", "columns", message, hint)
        first = int(run.rng("first record").integers(len(sizes)))
        part, parts = clusters(space, codes, sizes, goal.least, first)
        while not goal.only_least and (bad := goal.bad(part, parts)).any() and parts > 1:
            boxes = around(space, codes, part, parts)
            place, parts = join_bad_parts(space, boxes, add_up(sizes, part, parts), bad)
            part = place[part]
        own = own_codes(space, codes)
        held = {f"_code_{j}_": pa.array(own[:, j]) for j in range(own.shape[1])}
        return {"members": packed(held | {"_part_": pa.array(np.asarray(part))})}, part

    def placed(self, space: Space, points: Points, boxes: Boxes, classes: Classes) -> NDArray[np.int64]:
        """The part of a known combination; of any other the narrowest part that covers it."""
        import numpy as np

        from schleier.kernels.classes.coding import number_rows
        from schleier.kernels.search.boxes import box_widths
        from schleier.kernels.search.placing import Points, by_box

        table, own = unpacked(self.members or ""), own_codes(space, points.codes)
        known = np.stack([table[f"_code_{j}_"].to_numpy() for j in range(own.shape[1])], axis=1)
        joint = number_rows(np.concatenate([known, own]) + 1)  # -2 is a value never seen, -1 a missing one
        part = np.full(int(joint.max(initial=-1)) + 1, -1, dtype=np.int64)
        part[joint[: len(known)]] = table["_part_"].to_numpy()
        found = np.where(points.known.all(axis=1), part[joint[len(known) :]], -1)
        rest = np.flatnonzero(found < 0)
        costs = (box_widths(space, boxes) * space.importance).sum(axis=1)
        new = Points(points.codes[rest], points.known[rest], points.lengths)
        found[rest] = by_box(boxes, costs, space, new)
        return found
