"""Matching with a probability: the attacker claims a link only when he may be nearly certain of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from schleier.attacks._metrics import ERROR, axes_of, points_of
from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims
from schleier.core.trust.sides import Sides, sides_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    variant: Literal["simple", "full"] = "simple"
    """How the probability is estimated: from all records and normal errors (simple), or as in 1985 from the distances
    of the neighbours, put together from components (full). What follows is for the full one."""
    neighbours: int = Field(default=500, ge=2)
    """So many of the nearest records say how near others are."""
    components: int = Field(default=10, ge=1, le=12)
    """Distances of the columns are put together into at most so many."""
    coarse: int = Field(default=2, ge=2, le=3)
    """Categories of each component, all pairs of which are kept."""
    least: int = Field(default=5, ge=1)
    """Neighbours in every cell of such a pair; with fewer, categories are put together."""
    fine: int = Field(default=200, ge=20, le=2000)
    """Steps of equal width from no distance to the farthest that errors make."""
    degree: int = Field(default=2, ge=1, le=5)
    """Of the polynomial that smooths distribution functions."""
    farthest: float | None = Field(default=None, gt=0)
    """Pairs with a larger squared distance are not listed: far from all records the probability is no good."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.accepting < self.listing:
            raise ValueError("accepting must be at least listing: what is claimed is listed first")
        return self

    def at_least(self, probability: float) -> Self:
        """Claims above this probability; what is claimed is listed."""
        return self.model_copy(update={"accepting": probability, "listing": min(self.listing, probability)})

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

        from schleier.kernels.linkage.discriminant import accepted

        sides = sides_of(released, known, columns, "anything")
        found = self._simple(sides, run) if self.variant == "simple" else self._full(sides, run)
        near = np.isfinite(found.distance) & (found.distance <= (self.farthest or np.inf))
        probability = np.where(near, found.probability, 0.0)
        target, record = (found.record, found.asked) if self.search == "records" else (found.asked, found.record)
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

    def _simple(self, sides: Sides, run: Run) -> _Pairs:
        """Every record counts among the others, by its own density."""
        import numpy as np

        from schleier.kernels.linkage.discriminant import linked
        from schleier.kernels.linkage.mahalanobis import whitened

        there, here, covariance = points_of(sides, self._believed(tuple(sides.columns), run))
        there, here = whitened(covariance, there, here)
        points, asked = (here, there) if self.search == "records" else (there, here)
        found = linked(points, asked, len(points) / self.fraction)
        return _Pairs(np.arange(len(asked)), found.record, found.distance, found.probability)

    def _full(self, sides: Sides, run: Run) -> _Pairs:
        """Both densities are estimated: that of errors from made-up persons, that of others from the neighbours."""
        import numpy as np

        from schleier.kernels.linkage.densities import Constants, error_distances, likely

        axes = axes_of(sides, self._believed(tuple(sides.columns), run), fishing=self.search == "records")
        how = Constants(self.neighbours, self.components, self.coarse, self.least, self.fine, self.degree)
        errors = error_distances(axes, run.rng("made up"))
        found = likely(axes, len(axes[0].points) / self.fraction, errors, how)
        asked = np.repeat(np.arange(len(found.record)), found.record.shape[1])
        return _Pairs(asked, found.record.ravel(), found.distance.ravel(), found.probability.ravel())

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


class _Pairs(NamedTuple):
    """Pairs by place, with the squared distance and the probability of each."""

    asked: NDArray[np.int64]
    record: NDArray[np.int64]
    distance: NDArray[np.float64]
    probability: NDArray[np.float64]


def _repeated(places: object) -> int:
    """How many of some places occur more than once, counted once each."""
    import numpy as np

    return int((np.unique(np.asarray(places), return_counts=True)[1] > 1).sum())
