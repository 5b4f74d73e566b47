"""Near matches: the attacker takes the record that differs least from what he knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import Metric, columns_of, exact_first, exchanged, most_for_gaps, points_of
from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims
from schleier.core.trust.sides import Sides, sides_of
from schleier.core.trust.trustee import knowable

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.linkage import penalties
    from schleier.kernels.linkage.choosing import Pairs
    from schleier.kernels.linkage.penalties import Neighbours

Share = Annotated[float, Field(gt=0, lt=1)]
MANY = 300_000
"""Records up to which a near match is tried without being asked for."""


class DistanceMatch(Attack):
    """Claim the record that is nearest to what is known of a target, if it is near enough.

    >>> DistanceMatch(known=["age", "sex"], metric="hamming", rule="mutual").metric
    'hamming'
    """

    reference: ClassVar[str] = (
        "Müller, Blien, Knoche, Wirth et al. (1991), 3.3 Distanzminimierung (M-02); Höhne (2010), 2 (mass fishing); "
        "Lenz (2003); Lambert (1993)"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region"], "targets": 50}

    metric: Metric = "gower"
    """How far apart two records are: the weight of the columns that differ (hamming), also by how much numbers differ
    (gower, in ranges; euclid, squared standard deviations), how unlikely errors make it (lambert), or by errors that
    go together (mahalanobis)."""
    rule: Literal["best", "greedy", "mutual", "assignment"] = "best"
    """Which near pairs are claimed: each target's nearest record (best), the nearest pairs first and each record once
    (greedy), those that are nearest to each other (mutual), or each record once with the least sum (assignment)."""
    search: Literal["targets", "records"] = "targets"
    """Whose nearest one is looked for: that of each target, or of each record (mass fishing)."""
    within: float | None = Field(default=None, ge=0)
    """Claims are made up to this distance; up to any where it is left out."""
    candidates: int = Field(default=20, ge=1, le=1000)
    """So many of the nearest are looked at where each record is claimed once."""
    weights: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """What a difference in a column weighs; 1 where not named."""
    errors: dict[str, Share] = Field(default_factory=dict)
    """Share of the values of a column that he takes for different in the two files (lambert, mahalanobis); 0.05 where
    not named."""
    missing: Literal["category", "anything"] = "anything"
    """A gap may be anything, or is a value of its own that differs from all others."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, by all keys, where every record can be compared with every target in seconds."""
        small = case.released.rows <= MANY
        return [cls()] if small and knowable(case, case.released.schema.quasi) else []

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights and errors are for known columns."""
        yield from super().problems(schema)
        known = self.keys(schema)
        for place, named in (("weights", self.weights), ("errors", self.errors)):
            for name in named:
                if known and name not in known:
                    message = f"the attacker does not know column '{name}'"
                    yield Problem("not-a-key", place, message, "name known columns only")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """The nearest pairs. A cell that stands for several values is as near as the nearest of them."""
        points = self.metric == "mahalanobis"
        sides = sides_of(released, known, columns, self.missing if points else "category")
        pairs, tied = self._pairs(sides)
        return sides.claims(released, pairs.target, pairs.record, tied=tied)

    def _pairs(self, sides: Sides) -> tuple[Pairs, int]:
        """Claims, and for how many several are as near."""
        from schleier.kernels.linkage.choosing import Pairs, assigned_pairs, best_pairs, greedy_pairs, mutual_pairs

        limit = float("inf") if self.within is None else self.within + self._allowance(sides)
        many = self.candidates if self.rule in ("greedy", "assignment") else 1
        fishing = self.search == "records"
        near = self._nearest(sides, many, fishing=fishing)
        if self.rule == "mutual":
            pairs = mutual_pairs(near, self._nearest(sides, 1, fishing=not fishing), limit)
        else:
            pairs = {"best": best_pairs, "greedy": greedy_pairs, "assignment": assigned_pairs}[self.rule](near, limit)
        tied = int((near.tied > 1).sum())
        return (Pairs(pairs.record, pairs.target, pairs.distance) if fishing else pairs), tied

    def _costs(self, sides: Sides) -> list[penalties.Words | penalties.Numbers]:
        """What each column costs. A record that could be anybody's must not be as near as one that is the same."""
        costs = columns_of(sides, self.metric, self.weights, self.errors, fishing=False)
        return exact_first(sides, costs) if self.missing == "anything" else costs

    def _allowance(self, sides: Sides) -> float:
        """What gaps cost at most where they may be anything: so much is no distance."""
        if self.metric == "mahalanobis" or self.missing != "anything":
            return 0.0
        return most_for_gaps(columns_of(sides, self.metric, self.weights, self.errors, fishing=False))

    def _nearest(self, sides: Sides, many: int, *, fishing: bool) -> Neighbours:
        from schleier.kernels.linkage.mahalanobis import nearest_points, whitened
        from schleier.kernels.linkage.penalties import nearest_records

        if self.metric != "mahalanobis":
            costs = self._costs(sides)
            return nearest_records(exchanged(costs) if fishing else costs, many)
        there, here, errors = points_of(sides, self.errors)
        there, here = whitened(errors, there, here)
        return nearest_points(here, there, many) if fishing else nearest_points(there, here, many)
