"""A trustee who remembers what was claimed: the holder of the data asks more of an experiment than an attacker may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from schleier.core.trust.answer import Answer
from schleier.core.trust.trustee import ALIAS, TARGET, Trustee

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset


@dataclass(frozen=True)
class Hearing(Trustee):
    """Answers as every trustee does, with counts; what it tells beyond that is for the holder alone."""

    heard: list[nw.LazyFrame[Any]] = field(default_factory=list, repr=False)
    """The sets of claims that were answered."""

    @staticmethod
    def of(trustee: Trustee) -> Hearing:
        """The same truth, with a memory."""
        return Hearing(**{one.name: getattr(trustee, one.name) for one in fields(Trustee)})

    def answer(self, claims: nw.LazyFrame[Any]) -> Answer:
        """Counts for claims: pairs of target and alias."""
        return super().answer(self._remembered(claims))

    def answer_twice(self, claims: nw.LazyFrame[Any]) -> tuple[Answer, Answer]:
        """Counts for claims, and for those of being in the release at all."""
        return super().answer_twice(self._remembered(claims))

    def _remembered(self, claims: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        kept = self.released.engine.keep(claims.select(TARGET, ALIAS).unique())
        self.heard.append(kept)
        return kept

    def together(self, others: Sequence[Hearing]) -> Answer:
        """Counts for the different pairs that were claimed here or in other runs about the same persons and records."""
        import narwhals as nw

        return super().answer(nw.concat([claims for one in (self, *others) for claims in one.heard]))

    def identified_bias(self, people: Dataset, columns: Sequence[str]) -> dict[str, float]:
        """For each column, how differently those who were found and all targets are spread over its values.

        Half the sum of the differences of the shares, 0 to 1: whoever is unusual is found more easily, so that those
        who were found are no sample of the targets (L8799-8825). Nothing where nobody was found.
        """
        import narwhals as nw

        engine, found = self.released.engine, dict[str, float]()
        right = nw.concat(self.heard[-1:]).join(self._contained(), on=[TARGET, ALIAS], how="semi").select(TARGET)
        marked = people.frame.join(right.unique().with_columns(_found_=nw.lit(1)), on=TARGET, how="left")
        for name in columns:
            value = marked.select(_value_=nw.col(name).cast(nw.String), _found_=nw.col("_found_").fill_null(0))
            table = engine.arrays(value.group_by("_value_").agg(_n_=nw.len(), _found_=nw.col("_found_").sum()))
            every, some = (table[column].to_numpy().astype("float64") for column in ("_n_", "_found_"))
            if some.sum():
                found[name] = round(float(abs(every / every.sum() - some / some.sum()).sum() / 2), 6)
        return found
