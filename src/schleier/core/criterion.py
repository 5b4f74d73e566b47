"""A criterion says whether a table may go out: one object checks, constrains a search, and reports."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.component import Component
from schleier.core.errors import Problem
from schleier.core.goal import RISK, Goal
from schleier.core.record import Frozen
from schleier.core.schema import Schema
from schleier.core.shown import Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset


class Verdict(Shown, Frozen):
    """What a criterion found."""

    criterion: str
    """Recipe word."""
    name: str | None = None
    """Name of the entry in the recipe."""
    parameters: dict[str, Any]
    """Public parameters."""
    holds: bool
    """Whether the criterion is met."""
    level: float | None
    """The level reached (smallest class for k-anonymity); absent for an empty table."""
    low: float | None = None
    """Lower end of the 95 % interval when the level is an estimate."""
    high: float | None = None
    """Upper end of the 95 % interval when the level is an estimate."""
    estimate: bool = False
    """Whether the level is estimated (from weights) rather than counted."""
    units: bool = False
    """Whether the level counts units (households, persons in a panel) rather than records."""
    compositions: bool = False
    """Whether units were compared as a whole, with all their members."""
    category_level: float | None = None
    """The level reached when a missing key is a value of its own; told where it was a wildcard."""
    category_holds: bool | None = None
    """Whether the criterion is met then; nothing where missing keys were no wildcards."""
    by_release: tuple[str, ...] = ()
    """Columns that were compared with the release although the table before was asked for: a step changed their
    values, or only the release was at hand."""
    doubts: tuple[str, ...] = ()
    """Why an estimate is not to be trusted, in words of the criterion's page."""
    keys: tuple[tuple[str, ...], ...] = ()
    """The combinations of columns that were looked at."""
    bad_classes: int = 0
    """Classes that fail."""
    bad_records: int = 0
    """Records in classes that fail (counted per combination)."""
    records: int = 0
    """Records looked at."""
    excluded: int = 0
    """Records that were left out because a key is missing; of several combinations the most."""
    text: str
    """The verdict in one plain sentence."""

    @property
    def share_excluded(self) -> float:
        """The share of records that were left out."""
        return self.excluded / max(self.records + self.excluded, 1)

    @property
    def safe(self) -> bool:
        """Whether it is met without reservation: not only because a missing key was taken for anything."""
        return self.holds and self.category_holds is not False


@dataclass(frozen=True)
class Breach(Problem):
    """A criterion that does not hold, as a problem; the verdict can be told in the reader's language."""

    verdict: Verdict | None = None


@dataclass(frozen=True)
class Limits:
    """What a class must meet at least, in terms a compiled search can judge; a class beyond them fails."""

    least: int = 1
    """Records."""
    sensitive: str | None = None
    """The column the following are about."""
    different: int = 1
    """Different values."""
    far: float = math.inf
    """Half the sum of absolute differences between the shares of its values and those in the whole table."""
    far_up: float = math.inf
    """The mean of that over the levels of the hierarchy of the values, below its root."""
    rise: float = math.inf
    """How many times as frequent as in the whole table a value may be in a class."""
    fall: float = 0.0
    """How many times as frequent as in the whole table every value must be in a class."""
    lack: bool = False
    """Whether a value may be lacking in a class altogether, although it must not be too rare there."""
    damped: bool = False
    """Whether a value that is a part p of the table may be at most 1 - ln p times as frequent."""
    gaps: bool = True
    """Whether missing is one of the values; else rows without a value count as records only."""
    whole: bool = False
    """Whether that is all the criterion asks for, on all keys together, with missing a category."""

    @property
    def compares(self) -> bool:
        """Whether a class is compared with the whole table."""
        return math.isfinite(min(self.far, self.far_up, self.rise)) or self.damped or self.fall > 0


class Criterion(Component):
    """A privacy model or release rule, judged on classes."""

    deters: ClassVar[bool] = False
    """Whether meeting it means that an attack does not pay."""

    @property
    def monotone(self) -> bool:
        """Whether merging good classes, also by coarsening to the next level, stays good."""
        return False

    @property
    def hereditary(self) -> bool:
        """Whether every part of a bad class is bad: only then may a search prune by suppressed records."""
        return False

    @property
    def alone(self) -> bool:
        """Whether the release is all it looks at; else values are compared with those before records were left out."""
        return True

    @property
    def of_table(self) -> bool:
        """Whether only the table as a whole decides: a search may leave out its smallest classes until it holds."""
        return False

    @property
    def smallest(self) -> int:
        """How many records must look alike, where that is what it asks for; one where it asks for something else."""
        return 1

    @property
    def goal(self) -> Goal:
        """What it asks of its level: the first parameter that is declared with ``stricter`` says how far it may go."""
        for name, field in type(self).model_fields.items():
            extra = field.json_schema_extra
            if isinstance(extra, dict) and "stricter" in extra:
                limit = getattr(self, name)
                number = isinstance(limit, int | float) and not isinstance(limit, bool)
                return Goal(float(limit) if number else None, protects=extra["stricter"] == "higher")
        return RISK

    def counts_units(self, schema: Schema) -> bool:
        """Whether it counts households, owners or persons in a panel where others count records."""
        return False

    def with_smallest(self, smallest: int) -> Self:
        """The same demand for classes of another size, where it asks for a size; itself otherwise."""
        return self

    def limits(self, schema: Schema) -> Limits:
        """What it asks of every class, as far as a compiled search understands; nothing by default."""
        return Limits()

    @abstractmethod
    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """The class tables it wants to see."""

    @abstractmethod
    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Which classes fail."""

    @abstractmethod
    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The verdict over all tables asked for."""

    def met(self, tables: Sequence[Classes]) -> bool:
        """Whether the verdict is that it holds; for a search, which asks often, where that can be told faster."""
        return self.judge(tables).holds

    def conclude(self, tables: Sequence[Classes]) -> Verdict:
        """The verdict, with what is the same for every criterion.

        Where every row was left out because a key is missing, nothing was judged, so nothing is met; how many were is
        told. Where a missing key may be anything, the level with gaps as values is told too: who knows the hidden
        value goes by that.
        """
        found = self.judge(tables)
        if left_out := max((classes.excluded for classes in tables), default=0):
            text = f"{found.text} {left_out} of {found.records + left_out} records lack a key and were not judged."
            found = found.model_copy(update={"excluded": left_out, "text": text})
        if is_unjudged(tables):
            text = "Every record lacks a key and was left out, so that nothing was judged."
            return found.model_copy(update={"holds": False, "level": None, "text": text})
        if getattr(self, "missing", None) != "wildcard":
            return found
        strict = self.model_copy(update={"missing": "category"}).judge(tables)
        told = {"category_level": strict.level, "category_holds": strict.holds}
        text = f"{found.text} With a missing key as a value of its own: {strict.text}"
        return found.model_copy(update={**told, "text": text})

    def weaker_than(self, other: Self) -> bool:
        """Whether meeting this may still break ``other``.

        A parameter declared with ``stricter`` may move that way; any other change counts as weaker.
        """
        if type(self) is not type(other):
            return True
        return any(self._weaker_in(name, other) for name in type(self).model_fields if name != "name")

    def _weaker_in(self, name: str, other: Self) -> bool:
        """Whether one parameter may be what makes it weaker."""
        extra = type(self).model_fields[name].json_schema_extra
        told = extra if isinstance(extra, dict) else {}
        mine, theirs, ranks = getattr(self, name), getattr(other, name), told.get("weakest_first")
        if isinstance(ranks, list) and mine in ranks and theirs in ranks:
            return bool(ranks.index(mine) < ranks.index(theirs))
        match told.get("stricter"):
            case "higher" if mine >= theirs:
                return False
            case "lower" if mine <= theirs:
                return False
        return bool(mine != theirs)

    def check(self, data: Dataset) -> Verdict:
        """Count the classes of a dataset and judge them."""
        genuine = data.genuine()
        return self.conclude([genuine.classes(request) for request in self.needs(data.schema)])

    def holds(self, data: Dataset) -> bool:
        """Whether a dataset meets it."""
        return self.check(data).holds


def stricter(direction: str, default: Any = ..., **more: Any) -> Any:
    """A parameter for which ``higher`` or ``lower`` means more protection."""
    return Field(default, json_schema_extra={"stricter": direction}, **more)


def ranked(weakest_first: Sequence[str | None], default: Any = None, **more: Any) -> Any:
    """A parameter whose words are in order: each means at least as much protection as those before it."""
    return Field(default, json_schema_extra={"weakest_first": list(weakest_first)}, **more)


def is_unjudged(tables: Sequence[Classes]) -> bool:
    """Whether a table has no class left because every row lacks a key and was left out."""
    return any(not len(classes) and classes.excluded for classes in tables)
