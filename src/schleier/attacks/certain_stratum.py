"""Certain strata: in a stratum that was sampled in full everybody is in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.data import named
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.traces import Lots, Traces
from schleier.core.trust.aim import Technique, table_columns, trails
from schleier.core.trust.trustee import TARGET, harmonised, trustee_of

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

COUNT, SEEN = "_n_", "_seen_"


class CertainStratum(Technique):
    """Claim that a target took part when the release holds as many records of its stratum as there are persons.

    >>> CertainStratum(known=["region"]).known
    ('region',)
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.2 Stichprobenziehung (T05): strata with a sampling fraction of 1"
    example: ClassVar[dict[str, object]] = {"known": ["sex", "region"], "targets": 100}
    members_only: ClassVar[bool] = True
    against: ClassVar[Traces] = frozenset({"sample"})

    known: tuple[str, ...] = Field(min_length=1)
    """Columns that make the strata; he knows them of his targets, and how many persons each stratum has."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many persons the attacker asks about, or "all" that there are."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """The strata of each sample; where nothing is known of it, those by which tables are published."""
        found = [
            tuple(table_columns(case)) if lots is None else lots.strata for *_, lots in trails(case, "sample", Lots)
        ]
        return [cls(known=strata) for strata in found if strata and set(strata) <= set(case.released.schema.names)]

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The strata."""
        return self.known

    def measure(self, case: Case, run: Run) -> Finding:
        """Count the targets whose membership is certain; without the release it is certain of nobody."""
        limit = None if self.targets == "all" else self.targets
        trustee = trustee_of(case, self.known, limit, run, from_file=False)
        population = harmonised(case.original, case.steps, self.known, run)
        told = trustee.members(self._claims(population, trustee.released, trustee.known))
        low, high = told.found.interval()
        return Finding(
            name=self.word(),
            value=told.found.share,
            low=low,
            high=high,
            better=self.better,
            text=(
                f"Of {told.targets} persons, {told.correct} are certain to be in the file ({told.found.share:.2%}, "
                f"95 % interval {low:.2%} to {high:.2%}): their strata were taken in full."
            ),
            detail={
                "known": list(self.known),
                "knowledge": "member",
                "targets": told.targets,
                "contained": told.contained,
                "claims": told.claims,
                "correct": told.correct,
                "false_share": 1 - told.right.share if told.claims else 0.0,
                "baseline": 0.0,
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Nothing: whether a stratum is full hangs on a single person who was not drawn, and so do all its claims."""
        return None

    def _claims(self, population: Dataset, released: Dataset, known: Dataset) -> nw.LazyFrame[Any]:
        """The targets in strata of which the release holds as many records as there are persons."""
        import narwhals as nw

        texts = {f"_k{i}_": nw.col(name).cast(nw.String).fill_null("") for i, name in enumerate(self.known)}
        texts |= {f"_g{i}_": nw.col(name).is_null() for i, name in enumerate(self.known)}
        all_of = population.frame.select(*named(texts)).group_by(*texts).agg(**{COUNT: nw.len()})
        held = released.frame.select(*named(texts)).group_by(*texts).agg(**{SEEN: nw.len()})
        full = all_of.join(held, on=list(texts), how="inner").filter(nw.col(SEEN) >= nw.col(COUNT))
        return known.frame.select(TARGET, **texts).join(full, on=list(texts), how="inner").select(TARGET)
