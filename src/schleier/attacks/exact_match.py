"""Exact matching: the simplest attack, and the one every curious neighbour can carry out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from schleier.core.attack import Attack
from schleier.core.measure import Case
from schleier.core.trust.trustee import ALIAS, TARGET, knowable

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run


class ExactMatch(Attack):
    """Claim a record when it is the only one with the known values of a target, and the target the only one with them.

    >>> ExactMatch(known=["age", "sex"], targets=100).known
    ('age', 'sex')
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche, Wirth et al. (1991), 9.1.1 einfache Abgleichtechnik (M-01)"
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex"], "targets": 50}

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, by all keys."""
        return [cls()] if knowable(case, case.released.schema.quasi) else []

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """One-to-one matches of the known columns; missing is a value of its own and matches missing."""
        import narwhals as nw

        on = [f"_{part}{i}_" for i in range(len(columns)) for part in ("v", "g")]

        def unique(frame: nw.LazyFrame[Any], who: str) -> nw.LazyFrame[Any]:
            keyed = frame.select(who, **matchable(columns))
            # the only one with its values: then the smallest and the largest name are the same
            groups = keyed.group_by(*on).agg(nw.len().alias("_n_"), nw.col(who).min())
            return groups.filter(nw.col("_n_") == 1).drop("_n_")

        return unique(released.frame, ALIAS).join(unique(known.frame, TARGET), on=on, how="inner").select(TARGET, ALIAS)


def matchable(columns: tuple[str, ...]) -> dict[str, nw.Expr]:
    """Each column as text and as a flag for missing: SQL never joins missing values, so they are made comparable."""
    import narwhals as nw

    values = {f"_v{i}_": nw.col(name).cast(nw.String).fill_null("") for i, name in enumerate(columns)}
    gaps = {f"_g{i}_": nw.col(name).is_null() for i, name in enumerate(columns)}
    return values | gaps
