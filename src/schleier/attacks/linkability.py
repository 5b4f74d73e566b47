"""Linkability: two files about the same persons are joined by way of the release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import compared
from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.sides import Sides
from schleier.core.trust.trustee import TARGET, Trustee, knowable
from schleier.kernels.statistics.trials import Trials

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.linkage.halves import Links

OTHER = "_other_"
"""The same person in the second file, under the alias there."""
MANY = 300_000
"""Records up to which it is tried without being asked for."""


class Linkability(Attack):
    """Claim that an entry of one file and an entry of another are the same person when they are nearest to one record.

    >>> Linkability(known=["age", "sex"], linked=["income"]).nearest
    1
    """

    reference: ClassVar[str] = (
        "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216): linkability; Giomi, Boenisch, "
        "Wehmeyer and Tasnádi (2022), A unified framework for quantifying privacy risk in synthetic data (Anonymeter)"
    )
    example: ClassVar[dict[str, object]] = {
        "known": ["age", "sex", "region"],
        "linked": ["born", "income"],
        "targets": 100,
    }

    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"baseline"}))  # it follows from the number of records

    done: ClassVar[str] = "joined from two files"

    linked: tuple[str, ...] = Field(min_length=1)
    """Columns the second file has; the first one has those that are known."""
    nearest: int = Field(default=1, ge=1, le=1000)
    """Entries are linked when one record is among so many that are nearest to both."""
    metric: Literal["hamming", "gower", "euclid", "lambert"] = "gower"
    """How far apart two records are, as for ``distance_match``."""
    missing: Literal["category", "anything"] = "anything"
    """A gap may be anything, or is a value of its own that differs from all others."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Keys in one file and what else is released in the other, where all pairs can be compared in seconds."""
        after = case.released.schema
        small = 0 < case.released.rows <= MANY
        linked = knowable(case, tuple(c.name for c in after if c.role == "sensitive" or c.is_open))
        return [cls(linked=linked)] if small and linked and knowable(case, after.quasi) else []

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """The columns of both files."""
        return tuple(dict.fromkeys((*(self.known or schema.quasi), *self.linked)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Two files that share a column are joined without any release."""
        yield from super().problems(schema)
        for name in self.linked:
            if name in (self.known or schema.quasi):
                message = f"column '{name}' is in both files, so they can be joined without the release"
                yield Problem("both-files", "linked", message, "name each column in one of them")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """Pairs of entries of both files; the technique tells the trustee their places (see ``measure``)."""
        import numpy as np
        import pyarrow as pa

        from schleier.core.engine import Source

        sides, links = self._links(released, known, columns, run)
        first, second = (sides.targets.take(pa.array(part.astype(np.int64))) for part in links.pairs())
        return released.engine.read(Source(pa.table({TARGET: first, OTHER: second})))

    def measure(self, case: Case, run: Run) -> Finding:
        """Split what is known into two files and join them, against records drawn at random; and for outsiders."""
        from schleier.kernels.linkage.halves import chance

        told = self._tried(case, run)
        outsiders = self.control(case)
        control = outsiders and outsiders[0]._tried(outsiders[1], run)
        right, records = Trials(told.correct, told.targets), case.released.rows
        low, high = right.interval()
        guess = chance(records, self.nearest)
        text = (
            f"Of {told.targets} persons in two files, the entries of {told.correct} were joined by way of the "
            f"release ({right.share:.2%}, 95 % interval {low:.2%} to {high:.2%}); records drawn at random join "
            f"{guess:.4%}."
        )
        detail = {
            "targets": told.targets,
            "claims": told.claimed,
            "correct": told.correct,
            "false_share": told.false_share,
            "baseline": guess,
            "control_targets": control and control.targets,
            "control_claims": control and control.correct / max(control.targets, 1),
        }
        return self.found(case, right, text, detail)

    def _tried(self, case: Case, run: Run) -> Links:
        trustee: Trustee = self.trustee(case, run)
        return self._links(trustee.released, trustee.known, self.columns(case), run)[1]

    def _links(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> tuple[Sides, Links]:
        from schleier.kernels.linkage.halves import Links, nearest_drawn

        sides, costs = compared(released, known, columns, self.metric, self.missing)
        halves = [
            [cost for name, cost in zip(columns, costs, strict=True) if (name in self.linked) == is_second]
            for is_second in (False, True)
        ]
        first, second = (nearest_drawn(half, self.nearest, run.rng(f"half {i}")) for i, half in enumerate(halves))
        return sides, Links(first, second, len(sides.records))
