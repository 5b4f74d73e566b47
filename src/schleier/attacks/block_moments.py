"""Block moments: a block with its own mean and variance back tells its members where it hardly spreads."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Blocks, Traces
from schleier.core.trust.aim import MOST, changed_columns, trails
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.view import Array, ValueTrustee, View, Wanted, values_at
from schleier.core.value_attack import NumberAttack

SOURCE = 100
"""Records in a block in the source (L1357): what an attacker tries who is not told."""


class BlockMoments(NumberAttack):
    """Claim the mean of a block of released values for all of it, where two standard deviations lie within reach.

    >>> BlockMoments(sensitive="turnover", block=100).within
    0.05
    """

    reference: ClassVar[str] = "Höhne (2010), 3.3.1 (6.6 h of the attacks): blockwise correction restores the originals"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "block": 3, "targets": 100}
    against: ClassVar[Traces] = frozenset({"stretch"})
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"certain"}))
    released_detail: ClassVar[tuple[str, ...]] = ("certain",)

    block: int | None = Field(default=None, ge=2)
    """Records in a block; all records of a stratum unless given."""
    strata: tuple[str, ...] = ()
    """Columns of the release whose combinations were corrected separately."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each column that was corrected in blocks or strata; blocks as in the source where nothing is known."""
        found: dict[str, Self] = {}
        free = changed_columns(case, cls.against, numbers=True)
        for step, schema, blocks in trails(case, "stretch", Blocks):
            known = Blocks(SOURCE) if blocks is None else blocks
            strata = tuple(name for name in known.strata if name in case.released.schema)
            for name in step.changes(schema) if known.size is not None or strata else ():
                if name in free:
                    found.setdefault(name, cls(sensitive=name, block=known.size, strata=strata))
        return [found[name] for name in free if name in found][:MOST]

    def wanted(self) -> Wanted:
        """The strata of the release, too."""
        return Wanted(self.sensitive, texts=self.strata, within=self.within)

    def claims(self, view: View) -> Array:
        """The mean of blocks of which most values lie within reach of it."""
        import numpy as np

        mean, most, _ = self._blocks(view)
        return values_at(np.where(most <= self.within * np.abs(mean), mean, np.nan), view.place)

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """The share of all values of the release of which such a claim cannot be wrong."""
        import numpy as np

        mean, _, farthest = self._blocks(view)
        held = ~np.isnan(mean)
        sure = farthest[held] <= self.within * (np.abs(mean[held]) - farthest[held])
        return {"certain": float(f"{sure.mean():.6g}") if held.any() else 0.0}

    def _blocks(self, view: View) -> tuple[Array, Array, Array]:
        """Mean and bounds of each record's block, stratum by stratum."""
        import numpy as np

        from schleier.kernels.inference.block_moments import block_bounds
        from schleier.kernels.inference.restoration import group_of

        values = view.release[self.sensitive]
        if not self.strata:
            return block_bounds(values, self.block)
        found = np.empty((3, len(values)))
        strata = group_of(*(view.release[name] for name in self.strata))
        order = np.argsort(strata, kind="stable")
        for who in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1):
            found[:, who] = np.stack(block_bounds(values[who], self.block))
        return found[0], found[1], found[2]
