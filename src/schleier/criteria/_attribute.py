"""What criteria on the sensitive values of a class have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.classes import Classes
from schleier.core.classes.histogram import Histogram, joint
from schleier.core.classes.request import Request
from schleier.core.component import listed
from schleier.core.criterion import Verdict
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.core.sensitive import sensitive_problems
from schleier.criteria._keys import KeysCriterion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reached = tuple[Histogram, NDArray[np.float64]]

DIGITS = 9
"""Levels are told with so many decimals."""


class AttributeCriterion(KeysCriterion):
    """A criterion on what the sensitive values of a class give away."""

    worse: ClassVar[Literal["higher", "lower"]] = "higher"
    """Which scores are worse."""

    sensitive: tuple[str, ...] = ()
    """Sensitive columns to look at; all with the role "sensitive" when empty. A quasi-identifier named here is no key
    where its own values are looked at."""
    joint: bool = False
    """Whether the combination of the sensitive columns counts as one value, instead of each column for itself."""
    gaps: Literal["value", "ignore"] = "ignore"
    """A missing sensitive value is not looked at (ignore), for it makes no class diverse; or it is a value (value)."""

    @property
    def monotone(self) -> bool:
        """A mixture of good classes is good; but where missing keys are left out, the root brings new rows in."""
        return self.missing == "category"

    def columns(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(dict.fromkeys(self.sensitive)) or schema.having("sensitive")

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys and the sensitive columns."""
        return tuple(dict.fromkeys((*super().uses(schema), *self.columns(schema))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be sensitive columns, none of them among keys that were named, and keys besides each of them."""
        yield from super().problems(schema)
        besides = all(keys for keys, _ in self._looked_at(schema))
        yield from sensitive_problems(self.columns(schema), () if besides and not self.keys else super().uses(schema))

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with the sensitive columns."""
        together = self.joint and len(self.columns(schema)) > 1
        return tuple(
            Request(keys, () if together else columns, joint=(columns,) if together else (), missing=self.missing)
            for keys, columns in self._looked_at(schema)
        )

    def _looked_at(self, schema: Schema) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Keys, and the sensitive columns that are looked at in their classes.

        Who wants to learn a quasi-identifier does not know it, but may know all others: each is left out for itself
        alone, or all of them where their combination is what he wants to learn.
        """
        columns = self.columns(schema)
        own = [] if self.joint else [(name,) for name in columns if not self.keys and name in schema.quasi]
        others = tuple(name for name in columns if (name,) not in own)
        for some in (*([others] if others or not own else []), *own):
            for keys in self.combinations(schema):
                yield tuple(key for key in keys if self.keys or key not in some), some

    @abstractmethod
    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """What each class reaches."""

    @abstractmethod
    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which classes fail for one sensitive column, given what they reach."""

    @abstractmethod
    def sentence(self, level: float, column: str) -> str:
        """The level reached in words, without the full stop."""

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes that fail for any of the sensitive columns."""
        return self.failing(classes, self._reached(classes))

    def failing(self, classes: Classes, reached: Sequence[Reached]) -> NDArray[np.bool_]:
        """Classes that fail, given what they reach in each sensitive column."""
        import numpy as np

        result = np.zeros(len(classes), dtype=np.bool_)
        for spread, scores in reached:
            result |= self.fails(spread, scores)
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The worst class over all combinations and columns decides."""
        worst = max if self.worse == "higher" else min
        reached = [self._reached(classes) for classes in tables]
        levels = [
            (float(scores.max() if self.worse == "higher" else scores.min()), spread.columns)
            for some in reached
            for spread, scores in some
            if len(scores)
        ]
        level, columns = worst(levels, key=lambda found: found[0], default=(0.0, ()))
        text = self.sentence(level, listed([column.name for column in columns]))
        shown = round(level, DIGITS) if levels and math.isfinite(level) else None
        bad = [self.failing(classes, some) for classes, some in zip(tables, reached, strict=True)]
        return self.verdict(tables, bad, shown, text)

    def _reached(self, classes: Classes) -> list[Reached]:
        return [(spread, self.scores(spread, len(classes))) for spread in self._spreads(classes)]

    def _spreads(self, classes: Classes) -> list[Histogram]:
        """The histograms it judges: those it names, or those of the columns with the role "sensitive"."""
        found = [classes.histogram(name, self.missing) for name in self._names(classes)]
        return [spread.without_gaps() if self.gaps == "ignore" else spread for spread in found]

    def _names(self, classes: Classes) -> list[str]:
        if self.sensitive:
            names = tuple(dict.fromkeys(self.sensitive))
            if self.joint and len(names) > 1:
                return [joint(names)]
            # A quasi-identifier has a table of its own, in which the others are keys.
            there = [name for name in names if name in classes.histograms and name not in classes.keys]
            return there or list(names)
        by_role = {name: h for name, h in classes.histograms.items() if h.sensitive}
        single = [name for name, h in by_role.items() if len(h.columns) == 1]
        several = [name for name, h in by_role.items() if len(h.columns) > 1]
        together = sorted(several, key=lambda name: len(by_role[name].columns))[-1:] if self.joint else []
        if not (together or single):  # a class table made for something else must not pass for a good one
            raise ValueError("the class table has no sensitive column")
        return together or single
