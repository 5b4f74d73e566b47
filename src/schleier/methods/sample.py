"""Release a random part of the records, with weights (Höhne T05, sampling)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed, secret
from schleier.core.correction import Correction, Estimate
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema, is_reserved
from schleier.core.traces import Lots, Trace, Traces
from schleier.core.units import draw_units
from schleier.methods._smallest_draws import Strata, take_smallest
from schleier.methods._stratum_fractions import StratumFraction, fractions_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.methods._smallest_draws import Keys

DRAW, LAST, FACTOR = "_draw_", "_last_", "_factor_"


def raised(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Totals of a sample: with the weights they are right, without they are raised by size (T05).

    Where fractions differ, nothing is right without the weights.
    """
    if estimate.weighted:
        return estimate
    if facts.get("own_fractions"):
        message = "some strata were sampled more than others, so the weights of the file are needed"
        raise InfeasibleError(
            Problem("cannot-correct", "weighted", message, "weigh the records, and say weighted = true")
        )
    if estimate.kind not in ("total", "counts"):
        return estimate
    if known.get("strata") or facts.get("sampled") != "records":
        message = "strata or units have factors of their own, so the weights of the file are needed"
        raise InfeasibleError(
            Problem("cannot-correct", "weighted", message, "weigh the records, and say weighted = true")
        )
    return estimate.but(estimate.value * (facts["of"] / facts["taken"]))


class Sample(Method):
    """Keep a random sample of units (or records) of fixed size in every stratum, and weigh it up.

    >>> Sample(fraction=0.1, strata=["region"]).whole_units
    True
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.2 Stichprobenziehung (T05)"
    traces: ClassVar[Traces] = frozenset({"sample"})
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A2",)
    design: ClassVar[frozenset[str]] = frozenset({"own_fractions"})
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "rows"
    random: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = {
        "other columns": "exact",
        "mean": "expected",
        "variance": "expected",
        "covariance": "expected",
        "correlation": "expected",
        "weighted total": "expected",
    }
    correction: ClassVar[Correction | None] = Correction(
        raised, ("total", "counts", "mean", "variance", "covariance", "correlation"), by_secrets=False
    )
    example: ClassVar[dict[str, object]] = {"fraction": 0.5, "strata": ["sex"], "whole_units": False}

    fraction: float | None = Field(default=None, gt=0, le=1)
    """Share of the units to take from each stratum."""
    fractions: tuple[StratumFraction, ...] = secret(())
    """Strata with a fraction of their own; the first entry that fits counts, and ``fraction`` for all others. Values
    that are named may be protected ones."""
    size: int | None = Field(default=None, ge=1)
    """Number of units to take, in proportion to the strata; instead of ``fraction``."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations are sampled separately; missing is a value of its own."""
    whole_units: bool = True
    """Take households or owners (role "unit") with all their records or not at all."""
    weight: str = Field(default="weight", min_length=1)
    """Name of the weight column to add; if there are columns with the role "weight", these are multiplied instead."""
    allow_full_strata: bool = False
    """Accept strata of which every unit is taken: for these, being in the file is certain."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.size is not None and (self.fractions or self.fraction is not None):
            raise ValueError("say exactly one of fraction and size")
        if self.size is None and self.fraction is None and not self.fractions:
            raise ValueError("say exactly one of fraction and size")
        if is_reserved(self.weight):
            raise ValueError("the name *, and names that begin and end with an underscore, are reserved")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Strata, units and weights."""
        unit = schema.having("unit")[:1] if self.whole_units else ()
        return tuple(dict.fromkeys((*self.strata, *unit, *schema.having("weight"))))

    def trail(self, trace: Trace, schema: Schema) -> Lots | None:
        """The strata."""
        return Lots(self.strata) if trace == "sample" else None

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The weights."""
        return schema.having("weight")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The strata must exist, and the name of a new weight must be free."""
        yield from super().problems(schema)
        for place, entry in enumerate(self.fractions):
            if odd := sorted(set(entry.of) - set(self.strata)):
                message = f"the sample is not drawn separately by {listed(odd)}"
                yield Problem("not-a-stratum", f"fractions[{place}]", message, "name the column under strata")
        taken = {name.lower() for name in (*schema.names, schema.key)}
        if not schema.having("weight") and self.weight.lower() in taken:
            message = f"there is a column '{self.weight}' already, and it is no weight"
            yield Problem("name-taken", "weight", message, 'choose another name, or give it the role "weight"')

    def after(self, schema: Schema) -> Schema:
        """Weights are broken numbers afterwards; one is added where there was none."""
        for name in schema.having("weight"):
            schema = schema.changed(name, scale="continuous", decimals=None)
        if schema.having("weight"):
            return schema
        weight = Column(name=self.weight, role="weight", scale="continuous")
        return schema.model_copy(update={"columns": (*schema.columns, weight)})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The units with the smallest draws of each stratum, as many as are due to it."""
        import narwhals as nw
        import pyarrow as pa

        unit = data.schema.having("unit")[:1] if self.whole_units else ()
        drawn = draw_units(data, run, DRAW) if unit else run.draw(data, DRAW)
        strata = take_smallest(self._members(drawn, unit), self.strata, DRAW, self._quota)
        self._tell(strata, run, "units" if unit else "records")
        limits = pa.table({**strata.keys, LAST: strata.last, FACTOR: strata.sizes / strata.taken})
        factor, weights = nw.col(FACTOR), data.schema.having("weight")
        new = {name: nw.col(name).cast(nw.Float64) * factor for name in weights} or {self.weight: factor}
        taken = matched(drawn, limits, self.strata).filter(nw.col(DRAW) <= nw.col(LAST)).mutate(**new)
        after = self.after(data.schema)
        return replace(taken, frame=taken.frame.select(after.key, *after.names), schema=after)

    def _members(self, drawn: Dataset, unit: tuple[str, ...]) -> Dataset:
        """One row per unit with its strata and draw, computed once; units must not cross strata."""
        import narwhals as nw

        if not unit:
            return replace(drawn, frame=drawn.frame.select(*self.strata, DRAW)).kept()
        members = replace(drawn, frame=drawn.frame.group_by(*map(nw.col, self.strata), DRAW).agg(_n_=nw.len())).kept()
        seen = members.totals(parts=nw.len(), units=nw.col(DRAW).n_unique())
        crossing = seen["parts"] - (seen["units"] or 0)
        if crossing:
            hint = "choose strata that are the same for all records of a unit, or set whole_units = false"
            stop(InfeasibleError, "unit-crosses-strata", "strata", f"{crossing} units lie in several strata", hint)
        return members

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Where fractions differ, only what is weighted."""
        if known.get("fractions"):
            return {name: how for name, how in cls.keeps.items() if name in ("other columns", "weighted total")}
        return cls.keeps

    def _quota(self, keys: Keys, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many units to take from strata of these sizes."""
        import numpy as np

        from schleier.kernels.change.allocation import by_fraction, by_total

        if self.fractions:
            return self._not_full(sizes, by_fraction(sizes, fractions_of(keys, self.fractions, self.fraction)))
        if self.fraction is not None:
            return self._not_full(sizes, by_fraction(sizes, self.fraction))
        total, wanted = int(sizes.sum()), self.size or 0
        if wanted > total:
            stop(InfeasibleError, "size-too-large", "size", f"{wanted} units are wanted, there are {total}")
        if wanted < len(sizes):
            message = f"{wanted} units cannot represent {len(sizes)} strata"
            stop(InfeasibleError, "size-too-small", "size", message, "take more, or merge strata")
        most = np.maximum(sizes - 1, 1)
        return self._not_full(sizes, by_total(sizes, wanted, most if wanted <= most.sum() else sizes))

    def _not_full(self, sizes: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.int64]:
        """Refuse strata taken in full, unless everything was asked for or they are allowed."""
        full = int((taken == sizes).sum())
        everything = (self.fraction == 1 and not self.fractions) or self.size == sizes.sum()
        if full and not everything and not self.allow_full_strata:
            message = f"{full} of {len(sizes)} strata would be taken in full: their units are certain to be in the file"
            hint = "merge strata, take fewer, or set allow_full_strata = true"
            stop(InfeasibleError, "full-stratum", "strata", message, hint)
        return taken

    def _tell(self, strata: Strata, run: Run, what: str) -> None:
        sizes, taken = strata.sizes, strata.taken
        run.note(
            sampled=what,
            taken=int(taken.sum()),
            of=int(sizes.sum()),
            strata=len(sizes),
            strata_taken_in_full=int((taken == sizes).sum()),
        )
        if self.fractions:
            run.note(own_fractions=len(self.fractions))
