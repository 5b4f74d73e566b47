"""What criteria that compare the values of a class with those of the whole table have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from schleier.core.classes import Classes
from schleier.core.criterion import Verdict, ranked
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._attribute import AttributeCriterion


class LikenessCriterion(AttributeCriterion):
    """A criterion on how much a class differs from the whole table in its sensitive values."""

    baseline: Literal["released", "original"] = ranked(("original", "released"), "released")
    """What the whole table is: what is released (released), or the table before records were left out (original), which
    whoever gets the release does not see."""

    @property
    def alone(self) -> bool:
        """Whether what is released is what classes are compared with."""
        return self.baseline == "released"

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Combinations of columns are compared with the release only."""
        yield from super().problems(schema)
        if not self.alone and self.joint and len(self.columns(schema)) > 1:
            hint = 'leave out baseline = "original", or look at each column for itself'
            message = "combinations of values are compared with what is released only"
            yield Problem("joint-baseline", "baseline", message, hint)

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The worst class decides; where it is compared with what nobody sees, the level is told of the release."""
        found = super().judge(tables)
        if self.alone or not found.records:
            return found
        # No number may follow from records that are gone: everybody can compute this one from the release.
        alone = [_recounted(classes) for classes in tables]
        if all(map(_same_whole, tables, alone)):  # nothing was left out, or the release is all there is to see
            return found
        shown = super().judge(alone)
        fails = f"{found.bad_classes} classes are" if found.bad_classes != 1 else "1 class is"
        whole = "Compared with the table before records were left out,"
        said = f"{whole} {fails if found.bad_classes else 'no class is'} beyond the limit; by the release alone: "
        sentence = shown.text.split(", and ")[0].rstrip(".")
        return found.model_copy(update={"level": shown.level, "text": f"{said}{sentence[:1].lower()}{sentence[1:]}."})


def _recounted(classes: Classes) -> Classes:
    return replace(classes, histograms={name: found.recounted() for name, found in classes.histograms.items()})


def _same_whole(one: Classes, other: Classes) -> bool:
    return all((one.histograms[name].totals == found.totals).all() for name, found in other.histograms.items())
