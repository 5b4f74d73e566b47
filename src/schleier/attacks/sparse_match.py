"""Sparse matches: a few of the many items of a person, known roughly, find them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims
from schleier.core.trust.trustee import knowable
from schleier.core.unit_attack import UnitAttack, unit_claims

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

MANY = 3_000_000
"""Records up to which it is tried without being asked for."""
SEVERAL = 5
"""Records of a unit on average from which on it is tried without being asked for."""
Positive = Annotated[float, Field(gt=0)]
NotBelow = Annotated[float, Field(ge=0)]


class SparseMatch(UnitAttack):
    """Claim the unit that fits the known items best, when it is clearly ahead of the next one.

    >>> SparseMatch(item="film", known=["rating", "day"], near={"rating": 1.5, "day": 30}).items
    8
    """

    reference: ClassVar[str] = (
        "Narayanan and Shmatikov (2008), Robust de-anonymization of large sparse datasets; Kneuper (2025), linking "
        "attacks that happened (K-006)"
    )
    example: ClassVar[dict[str, object]] = {"item": "region", "known": ["age", "sex"], "items": 3, "targets": 60}

    item: str
    """The column that says what each record is about: a film, an article, a place."""
    known: tuple[str, ...] = ()
    """What else he knows of each item, such as its rating and its day; all other quasi-identifiers when empty."""
    items: int = Field(default=8, ge=1)
    """So many records of each person are known to him, drawn from those there are."""
    wrong: int = Field(default=0, ge=0)
    """So many of them are wrong: they are somebody else's."""
    off: dict[str, NotBelow] = Field(default_factory=dict)
    """By how much what he knows of a column may be off, up or down; days for dates. Exact where not named."""
    near: dict[str, Positive] = Field(default_factory=dict)
    """A difference of so much leaves an agreement 1/e of its worth; 30 days for dates and the standard deviation for
    numbers where not named."""
    eccentricity: float = Field(default=1.5, ge=0)
    """By how many standard deviations of all scores the best must be ahead of the second."""

    @property
    def few(self) -> int | None:
        """So many records of each target are known."""
        return self.items

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Where persons have many records: by the key with most different values."""
        import narwhals as nw

        after = case.released.schema
        keys = [c.name for c in after if c.role == "quasi" and c.scale in ("nominal", "place", "text")]
        unit, keys = after.having("unit"), list(knowable(case, tuple(keys)))
        if not unit or not keys or not 0 < case.released.rows <= MANY:
            return []
        told = case.released.totals(units=nw.col(unit[0]).n_unique(), **{n: nw.col(n).n_unique() for n in keys})
        many = case.released.rows >= SEVERAL * int(told["units"] or 1)
        return [cls(item=max(keys, key=lambda name: int(told[name] or 0)))] if many else []

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """The item and what else he knows of it."""
        return tuple(dict.fromkeys((self.item, *(self.known or schema.quasi))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only what is known and has distances can be off; not all of it may be wrong."""
        yield from super().problems(schema)
        known = self.keys(schema)[1:]
        for place, named in (("off", self.off), ("near", self.near)):
            for name in named:
                if name not in known:
                    message = f"the attacker does not know column '{name}'"
                    yield Problem("not-a-key", place, message, "name known columns only")
                elif name in schema and not (schema[name].numeric or schema[name].scale == "time"):
                    hint = "name columns of numbers or dates"
                    yield Problem("not-numeric", place, f"column '{name}' holds no numbers", hint)
        if self.wrong >= self.items:
            message = "everything the attacker knows would be wrong"
            yield Problem("all-wrong", "wrong", message, "set wrong below items")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """Pairs of target and unit of which the unit is far ahead. A cell that may be several items fits each."""
        import numpy as np

        from schleier.attacks._baskets import baskets_of
        from schleier.kernels.linkage.baskets import best_units

        both = baskets_of(released, known, columns, self.off, self.near, self.wrong, run.rng("mistakes"))
        found = best_units(both.known, both.released, both.meeting, both.like, len(both.sought), len(both.wholes))
        target = np.flatnonzero((found.unit >= 0) & (found.eccentricity >= max(self.eccentricity, 1e-12)))
        return unit_claims(released, both.wholes, both.sought, target, found.unit[target])
