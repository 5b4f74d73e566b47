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
from schleier.core.record import Frozen
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset


class Verdict(Frozen):
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
    text: str
    """The verdict in one plain sentence."""


@dataclass(frozen=True)
class Limits:
    """What a class must meet at least, in terms a compiled search can judge; a class beyond them fails."""

    least: int = 1
    """Records."""
    sensitive: str | None = None
    """The column the following two are about."""
    different: int = 1
    """Different values, missing being one."""
    far: float = math.inf
    """Half the sum of absolute differences between the shares of its values and those in the whole table."""
    whole: bool = False
    """Whether that is all the criterion asks for, on all keys together, with missing a category."""


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
    def smallest(self) -> int:
        """How many records must look alike, where that is what it asks for; one where it asks for something else."""
        return 1

    @property
    def counts_units(self) -> bool:
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

    def weaker_than(self, other: Self) -> bool:
        """Whether meeting this may still break ``other``.

        A parameter declared with ``stricter`` may move that way; any other change counts as weaker.
        """
        if type(self) is not type(other):
            return True
        for name, field in type(self).model_fields.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
            match extra.get("stricter"):
                case "higher" if mine >= theirs:
                    continue
                case "lower" if mine <= theirs:
                    continue
            if name != "name" and mine != theirs:
                return True
        return False

    def check(self, data: Dataset) -> Verdict:
        """Count the classes of a dataset and judge them."""
        return self.judge([data.classes(request) for request in self.needs(data.schema)])

    def holds(self, data: Dataset) -> bool:
        """Whether a dataset meets it."""
        return self.check(data).holds


def stricter(direction: str, default: Any = ..., **more: Any) -> Any:
    """A parameter for which ``higher`` or ``lower`` means more protection."""
    return Field(default, json_schema_extra={"stricter": direction}, **more)
