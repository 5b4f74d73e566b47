"""Matching with a probability: the attacker claims a link only when he may be nearly certain of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.attacks._metrics import ERROR, points_of
from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims
from schleier.core.trust.sides import sides_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

Share = Annotated[float, Field(gt=0, lt=1)]
FOURFOLD, MOST = 4.0, 0.9
"""How far off an attacker is who overrates errors, and the largest share of them he believes in."""


class DiscriminantMatch(Attack):
    """Claim the nearest record in the metric of the errors when its probability to be the right one is high.

    >>> DiscriminantMatch(known=["age", "sex"], accepting=0.999).listing
    0.95
    """

    reference: ClassVar[str] = (
        "Paaß and Wauschkuhn (1985), as in Müller, Blien, Knoche, Wirth et al. (1991), 3.4 and 9.2 (M-03)"
    )
    example: ClassVar[dict[str, object]] = {
        "known": ["age", "sex", "region", "born"],
        "targets": 50,
        "errors": {"age": 0.02, "sex": 0.02, "region": 0.02, "born": 0.02},
    }

    listing: Share = 0.95
    """Pairs with a higher probability are listed."""
    accepting: Share = 0.99
    """Listed pairs with a higher probability are claimed, where nothing else is listed for the same person."""
    search: Literal["targets", "records"] = "targets"
    """Whose partner is looked for: that of each target, or of each record (mass fishing); several records may then
    be listed for one person."""
    fraction: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of all persons who are in the file that is searched; the smaller it is, the more others might be meant."""
    errors: dict[str, Share] = Field(default_factory=dict)
    """Share of the values of a column that differ between the two files; 0.05 where not named. Of a number: the
    standard deviation of the difference, in standard deviations of the column."""
    assumed: Literal["exact", "fourfold", "random"] = "exact"
    """What the attacker takes the errors for: what they are, four times as many, or anything up to that."""
    farthest: float | None = Field(default=None, gt=0)
    """Pairs with a larger squared distance are not listed: far from all records the probability is no good."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.accepting < self.listing:
            raise ValueError("accepting must be at least listing: what is claimed is listed first")
        return self

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Errors are those of known columns."""
        yield from super().problems(schema)
        known = self.keys(schema)
        for name in self.errors:
            if known and name not in known:
                message = f"the attacker does not know column '{name}'"
                yield Problem("not-a-key", "errors", message, "name known columns only")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """Nearest pairs whose posterior is high. Cells that stand for several values lie between them."""
        import numpy as np

        from schleier.kernels.linkage.discriminant import accepted, linked
        from schleier.kernels.linkage.mahalanobis import whitened

        sides = sides_of(released, known, columns, "anything")
        there, here, covariance = points_of(sides, self._believed(columns, run))
        there, here = whitened(covariance, there, here)
        fishing = self.search == "records"
        points, asked = (here, there) if fishing else (there, here)
        found = linked(points, asked, len(points) / self.fraction)
        near = np.isfinite(found.distance) & (found.distance <= (self.farthest or np.inf))
        probability = np.where(near, found.probability, 0.0)
        places = np.arange(len(asked))
        target, record = (found.record, places) if fishing else (places, found.record)
        good = accepted(target, probability, self.listing, self.accepting)
        listed = probability > self.listing
        return sides.claims(
            released,
            target[good],
            record[good],
            listed=int(listed.sum()),
            one_record_for_several=_repeated(record[listed]),
            several_records_for_one=_repeated(target[listed]),
        )

    def _believed(self, columns: tuple[str, ...], run: Run) -> dict[str, float]:
        """The errors he reckons with."""
        true = {name: self.errors.get(name, ERROR) for name in columns}
        if self.assumed == "exact":
            return true
        much = {name: min(FOURFOLD * error, MOST) for name, error in true.items()}
        if self.assumed == "fourfold":
            return much
        draws = run.rng("errors").random(len(columns))
        return {name: max(much[name] * float(draw), 1e-3) for name, draw in zip(columns, draws, strict=True)}


def _repeated(places: object) -> int:
    """How many of some places occur more than once, counted once each."""
    import numpy as np

    return int((np.unique(np.asarray(places), return_counts=True)[1] > 1).sum())
