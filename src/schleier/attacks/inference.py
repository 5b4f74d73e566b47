"""Inference: take the value of the released record that is most like the person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import compared
from schleier.attacks.attribute_inference import AttributeInference
from schleier.core.measure import Case
from schleier.core.trust.trustee import ALIAS, CLAIM, TARGET

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

MANY = 300_000
"""Records up to which it is tried without being asked for."""
ALIKE = 1e-6
"""Distances that differ by less are the same."""


class Inference(AttributeInference):
    """Claim for each target the value of the nearest record; where several are as near, the one most of them have.

    >>> Inference(sensitive="disease", known=["age", "sex"]).metric
    'gower'
    """

    reference: ClassVar[str] = (
        "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216): inference; Giomi, Boenisch, "
        "Wehmeyer and Tasnádi (2022), A unified framework for quantifying privacy risk in synthetic data (Anonymeter)"
    )
    example: ClassVar[dict[str, object]] = {"sensitive": "disease", "known": ["age", "sex", "region"], "targets": 100}

    metric: Literal["hamming", "gower", "euclid", "lambert"] = "gower"
    """How far apart two records are, as for ``distance_match``."""
    nearest: int = Field(default=10, ge=1, le=1000)
    """So many records at most decide where they are equally near."""
    without: int = Field(default=0, ge=0)
    """For so many targets at most it is also seen what a release made without them says of them; 0 for none."""
    missing: Literal["category", "anything"] = "anything"
    """A gap may be anything, or is a value of its own that differs from all others."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, for each sensitive column by all keys, where all pairs can be compared in seconds."""
        small = case.released.rows <= MANY
        return super().fitting(case) if small else []

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """Targets with the value claimed; those without a claim are left out."""
        import narwhals as nw
        import numpy as np
        import pyarrow as pa

        from schleier.core.classes.table import sorted_codes
        from schleier.core.engine import Source
        from schleier.kernels.classes.coding import add_up, sum_pairs
        from schleier.kernels.linkage.penalties import nearest_records

        sides, costs = compared(released, known, columns, self.metric, self.missing)
        value = nw.col(self.sensitive).cast(nw.String if self.within is None else nw.Float64).alias(CLAIM)
        column = released.engine.arrays(released.frame.select(ALIAS, value)).sort_by(ALIAS)[CLAIM]
        items, codes = sorted_codes(column)
        item, one = codes.astype(np.int64), np.ones(len(codes), dtype=np.int64)
        near = nearest_records(costs, self.nearest)
        tied = (near.distance <= near.distance[:, :1] + ALIKE) & (near.record >= 0)
        record = near.record[tied]
        totals = add_up(one, item % (len(items) + 1), len(items) + 1)  # no value is the last one
        found = sum_pairs(np.nonzero(tied)[0].astype(np.int64), item[record], one[record])
        claims = self._claims(items, totals, found, len(sides.targets))
        told = pa.table({TARGET: sides.targets, CLAIM: claims})
        return released.engine.read(Source(told.filter(told[CLAIM].is_valid())))
