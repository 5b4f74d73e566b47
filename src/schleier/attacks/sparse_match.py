"""Sparse matches: a few of the many items of a person, known roughly, find them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field

from schleier.core.data import tally
from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.traces import EVERYTHING
from schleier.core.trust.answer import Answer, Claims
from schleier.core.trust.trustee import Trustee, knowable
from schleier.core.unit_attack import UnitAttack, unit_claims

if TYPE_CHECKING:
    from schleier.attacks._baskets import Baskets
    from schleier.core.data import Dataset
    from schleier.core.run import Run

MANY = 3_000_000
"""Records up to which it is tried without being asked for."""
COLUMNS = 20
"""Columns that are mostly empty from which on it is tried without being asked for."""
SEVERAL = 5
"""Records of a unit on average from which on it is tried without being asked for."""
Positive = Annotated[float, Field(gt=0)]
NotBelow = Annotated[float, Field(ge=0)]


class SparseMatch(UnitAttack):
    """Claim the unit that fits the known items best, when it is clearly ahead of the next one.

    >>> SparseMatch(item="film", known=["rating", "day"], near={"rating": 1.5, "day": 30}).items
    8
    >>> SparseMatch(known=["asthma", "gout", "measles"], items=2).together  # each of these columns is an item
    False
    """

    reference: ClassVar[str] = (
        "Narayanan and Shmatikov (2008), Robust de-anonymization of large sparse datasets; Kneuper (2025), linking "
        "attacks that happened (K-006)"
    )
    example: ClassVar[dict[str, object]] = {"item": "region", "known": ["age", "sex"], "items": 3, "targets": 60}

    item: str | None = None
    """The column that says what each record is about: a film, an article, a place. Without it a person has one record,
    and every known column is an item: empty or zero where he does not have it."""
    known: tuple[str, ...] = ()
    """What else he knows of each item, such as its rating and its day; all other quasi-identifiers when empty. Without
    ``item`` the columns that are items; all quasi-identifiers when empty."""
    items: int = Field(default=8, ge=1)
    """So many items of each person are known to him, drawn from those there are."""
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

    @property
    def together(self) -> bool:
        """Whether a person has many records, or one with many columns."""
        return self.item is not None

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Where persons have many records: by the key with most different values. Else where most cells are empty."""
        import narwhals as nw

        after = case.released.schema
        keys = [c.name for c in after if c.role == "quasi" and c.scale in ("nominal", "place", "text")]
        unit, keys = after.having("unit"), list(knowable(case, tuple(keys)))
        if not 0 < case.released.rows <= MANY:
            return []
        if not unit:
            return [cls(known=wide)] if len(wide := cls._sparse(case)) >= COLUMNS else []
        if not keys:
            return []
        told = case.released.totals(units=nw.col(unit[0]).n_unique(), **{n: nw.col(n).n_unique() for n in keys})
        many = case.released.rows >= SEVERAL * int(told["units"] or 1)
        return [cls(item=max(keys, key=lambda name: int(told[name] or 0)))] if many else []

    @classmethod
    def _sparse(cls, case: Case) -> tuple[str, ...]:
        """Keys that are empty or zero in most records."""
        import narwhals as nw

        keys = knowable(case, case.released.schema.quasi)
        if len(keys) < COLUMNS:
            return ()
        there = {name: tally(~nw.col(name).is_null() & (nw.col(name).cast(nw.String) != "0")) for name in keys}
        told = case.released.totals(**there)
        return tuple(name for name in keys if 2 * int(told[name] or 0) < case.released.rows)

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """The item and what else he knows of it, or the columns that are items."""
        known = self.known or schema.quasi
        return known if self.item is None else tuple(dict.fromkeys((self.item, *known)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only what is known and has distances can be off; not all of it may be wrong."""
        yield from super().problems(schema)
        known = self.keys(schema)[self.together :]
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
        from schleier.attacks._baskets import baskets_of

        if not self.together:
            return self._wide(released, known, columns, run, frozenset())
        rng = run.rng("mistakes")
        return self._best(released, baskets_of(released, known, columns, self.off, self.near, self.wrong, rng))

    def tried(self, trustee: Trustee, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        """What the trustee tells; an attacker who reads the report knows where values were hidden."""
        if self.together:
            return super().tried(trustee, case, run)
        after = case.released.schema
        hiding = (step for step in case.steps if "gap" in (step.leaves() or EVERYTHING))
        hidden = frozenset(name for step in hiding for name in step.changes(after))
        claims = self._wide(trustee.released, trustee.known, self.columns(case), run, hidden)
        return trustee.answer(claims.pairs), {}

    def _wide(
        self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run, hidden: frozenset[str]
    ) -> Claims:
        from schleier.attacks._wide import wide_baskets

        rough = self.items, self.off, self.near, self.wrong, run.rng("mistakes")
        return self._best(released, wide_baskets(released, known, columns, hidden, *rough))

    def _best(self, released: Dataset, both: Baskets) -> Claims:
        import numpy as np

        from schleier.kernels.linkage.baskets import best_units

        found = best_units(both.known, both.released, both.meeting, both.like, len(both.sought), len(both.wholes))
        target = np.flatnonzero((found.unit >= 0) & (found.eccentricity >= max(self.eccentricity, 1e-12)))
        return unit_claims(released, both.wholes, both.sought, target, found.unit[target])
