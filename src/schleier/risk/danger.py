"""The dangerous constellation: a rare value, a small region, and somebody who knows that the person took part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.records import by_class
from schleier.core.classes.request import Request
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.risk._danger_columns import Look, left_exposed
from schleier.risk._weights import weight_of, weighted_share

if TYPE_CHECKING:
    from schleier.core.run import Run

PERSONS, RECORDS = 5_000, 50
"""What a category must have at least: persons of the population, and the records that stand for them in a file of one
in a hundred (R-GF-3, L21902-L21910)."""


class Danger(Measure):
    """Share of records somebody could be sure of: a rare value, few such people in the region, and known to be in.

    >>> Danger(columns=["nationality"], region="county").few
    3
    """

    reference: ClassVar[str] = (
        "Müller, Blien, Knoche, Wirth et al. (1991), L18446-L18510 and L21340-L21385 (four conditions); "
        "L21970-L21986 (three cases for each region)"
    )
    example: ClassVar[dict[str, object]] = {"columns": ["age", "disease"], "rare": 200}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    columns: tuple[str, ...] = ()
    """Columns in which a value may be rare, such as occupation or nationality; all quasi-identifiers of words, codes or
    whole numbers when empty."""
    region: str | None = None
    """The column that says where a person lives; the first of scale "place" when absent."""
    rare: int | None = Field(default=None, ge=1)
    """A value that fewer persons have is rare: 5,000 persons by the weights, or 50 records where there are none, when
    absent."""
    few: int = Field(default=3, ge=1)
    """With fewer records of a rare value in a region, the person is nearly found."""
    participation: bool = True
    """Whether somebody may know that a person took part; always, where the file holds everybody."""
    compatibility: float = Field(default=1.0, ge=0, le=1)
    """Probability that the file says of a person what others know of him (see the measure compatibility)."""

    def place(self, schema: Schema) -> str | None:
        """The regional column."""
        return self.region or next((c.name for c in schema if c.scale == "place"), None)

    def special(self, schema: Schema) -> tuple[str, ...]:
        """The columns in which a value may be rare."""
        own = (c.name for c in schema if c.role == "quasi" and c.scale in ("nominal", "ordinal", "discrete", "place"))
        named = tuple(dict.fromkeys(self.columns)) or tuple(own)
        return tuple(name for name in named if name != self.place(schema))

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns and the region."""
        return (*self.special(schema), *((place,) if (place := self.place(schema)) else ()))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be a column in which a value may be rare."""
        yield from super().problems(schema)
        if not self.special(schema):
            hint = 'give columns the role "quasi", or name columns'
            yield Problem("no-keys", "columns", "there is no column in which a value could be rare", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count who has a rare value, and of these who has few of his kind in his region."""
        import numpy as np

        data, schema = case.released, case.released.schema
        place, columns = self.place(schema), self.special(schema)
        weight, unweighted = weight_of(data)
        keys = tuple(name for name in schema.names if name in (*columns, place))
        classes = data.classes(Request(keys=keys, weight=weight))
        limit = self.rare or (RECORDS if weight is None else PERSONS)
        looks = {name: Look.at(classes, name, place, limit, self.few) for name in columns}
        rare = np.any([look.rare for look in looks.values()], axis=0)
        exposed = np.any([look.exposed for look in looks.values()], axis=0)
        records, many = classes.records, int(classes.sizes[exposed].sum())
        conditions = {
            "small_group": bool(rare.any()),
            "fine_region": many > 0,
            "participation": self.participation,
            "compatibility": self.compatibility > 0,
        }
        share = many / records if records else 0.0
        value = share * self.compatibility if conditions["participation"] else 0.0
        told = {name: look.details(classes) for name, look in looks.items()}
        left = left_exposed(classes, list(looks.values())) if place else []
        detail = {
            "records": records,
            "in_small_groups": int(classes.sizes[rare].sum()),
            "exposed": many,
            "exposed_share": share,
            "weighted_share": weighted_share(classes, exposed),
            "expected": value * records,
            "conditions": conditions,
            "met": sum(conditions.values()),
            "region": place,
            "regions": int((classes.onto((place,))[0].codes >= 0).sum()) if place else 0,
            "limit": limit,
            "counted": "records" if weight is None else "weights",
            "few": self.few,
            "by_column": told,
            "coarsen": sorted((n for n in columns if told[n]["exposed"]), key=lambda n: -int(told[n]["exposed"] or 0)),
            "coarser_region": left,
            "region_next": left[0] if left else many,
            "n": many,
        }
        detail["cautions"] = [*(["weights"] * unweighted), *self._cautions(conditions, place, left, many)]
        text = (
            f"{many} of {records} records ({share:.2%}) have a rare value and fewer than {self.few} of their kind in "
            f"their region; {detail['met']} of the four conditions of danger are met."
        )
        run.keep_by_record(lambda: by_class(data, classes, {"exposed": exposed.astype(np.float64)}))
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)

    def _cautions(self, conditions: dict[str, bool], place: str | None, left: list[int], many: int) -> Iterator[str]:
        """What follows from the conditions, and what to do."""
        if place is None:
            yield "no_region"
        if not many:
            return
        if all(conditions.values()):
            yield "all_met"
        if not conditions["participation"]:
            yield "no_participation"
        if not conditions["compatibility"]:
            yield "no_compatibility"
        yield "coarsen"
        if left:
            yield "coarser_region"
