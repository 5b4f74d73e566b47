"""Every region that can be told from the released columns has enough inhabitants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Missing, Request
from schleier.core.component import listed
from schleier.core.criterion import Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._keys import AdditiveCriterion, persons, verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RegionThreshold(AdditiveCriterion):
    """Whoever combines all regional columns still finds no area with fewer inhabitants than the threshold.

    >>> RegionThreshold(columns=["land", "size_class"], threshold=100_000).threshold
    100000
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 14.2 (500,000 and 100,000 inhabitants)"
    example: ClassVar[dict[str, object]] = {"columns": ["region"], "threshold": 40}

    columns: tuple[str, ...] = ()
    """The regional columns, combined; all columns of scale "place" when empty."""
    threshold: int = stricter("higher", ge=2)
    """Smallest number of inhabitants of the gazetteer allowed in a region."""
    missing: Missing = Field(default="category")
    """A missing region is one of its own (category), may be any (wildcard), or leaves its row out (exclude)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The regional columns."""
        return tuple(dict.fromkeys(self.columns)) or tuple(c.name for c in schema if c.scale == "place")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be a regional column."""
        yield from super().problems(schema)
        if not self.uses(schema):
            hint = 'declare regional columns with scale = "place", or name columns'
            yield Problem("no-region", "columns", "there is no regional column to look at", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """All regional columns together, with the gazetteer."""
        return (Request(self.uses(schema), missing=self.missing, populations=("gazetteer",)),)

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Regions with too few inhabitants."""
        result: NDArray[np.bool_] = classes.persons("gazetteer", self.missing) < self.threshold
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The smallest region decides."""
        (classes,) = tables
        found = classes.persons("gazetteer", self.missing)
        level = float(found.min()) if len(found) else 0.0
        who = persons(level, "inhabitant")
        text = f"The smallest region told by {listed(classes.keys)} has {who}; at least {self.threshold:,} are required"
        if nowhere := int((found == 0).sum()):
            regions = "1 region is" if nowhere == 1 else f"{nowhere} regions are"
            text += f" ({regions} not in the gazetteer, or nobody lives there)"
        return verdict(self, tables, [self.bad(classes)], level, text)
