"""A loss of information that a search can make small: what a coarser table no longer tells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from schleier.core.amount import in_steps
from schleier.core.classes import Classes
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run


@dataclass(frozen=True)
class Coarsened:
    """What a loss sees of one choice of levels."""

    fine: Classes
    """The classes before."""
    levels: tuple[int, ...]
    """The chosen level of each key of ``fine``."""
    table: Classes
    """The classes after: ``fine.rolled_up(levels)[0]``."""
    place: NDArray[np.int64] = field(repr=False)
    """The class in ``table`` of each class of ``fine``."""
    bad: NDArray[np.bool_] = field(repr=False)
    """Which classes of ``table`` are dropped."""

    @staticmethod
    def at(fine: Classes, levels: Sequence[int], bad: NDArray[np.bool_] | None = None) -> Coarsened:
        """Some classes at some levels; nothing is dropped unless said."""
        import numpy as np

        table, place = fine.rolled_up(levels)
        return Coarsened(fine, tuple(levels), table, place, np.zeros(len(table), np.bool_) if bad is None else bad)

    def whole(self) -> Coarsened:
        """The same levels with nothing dropped."""
        import numpy as np

        return replace(self, bad=np.zeros(len(self.table), np.bool_)) if self.bad.any() else self

    @property
    def kept(self) -> NDArray[np.int64]:
        """Records of each class of ``fine`` that are not dropped."""
        import numpy as np

        return np.where(self.bad[self.place], 0, self.fine.sizes) if self.bad.any() else self.fine.sizes

    @property
    def dropped(self) -> int:
        """Records in dropped classes."""
        return int(self.table.sizes[self.bad].sum())


@dataclass(frozen=True)
class ByClasses:
    """What a compiled search must know of a loss that follows from whole classes of all keys, n records in all.

    squares: the sum of squared class sizes, a dropped record costing n, divided by n². number: the mean class size less
    1, divided by n - 1, dropped records being one more class. product: the mean over records of the product of what
    their labels may be, 1 for a dropped one and for all labels that may be anything. divergence: that of a table whose
    labels are spread evenly over what they may be, and dropped records over everything, divided by what it is when all
    are.
    """

    kind: Literal["squares", "number", "product", "divergence"]
    behind: dict[int, list[NDArray[np.float64]]] = field(default_factory=dict, repr=False)
    """By key and level: how many values a missing one, and each value, may be. A key not here does not count."""
    totals: dict[int, int] = field(default_factory=dict)
    """How many values each of them can have."""


def percent(share: float) -> str:
    """A share as a sentence tells it, to no more digits than it has.

    >>> percent(0.12345), percent(0.12)
    ('12.35%', '12%')
    """
    return f"{round(100 * share, 2):g}%"


EVEN = 0.5
"""The balance that counts coarsening and suppressing alike."""
PARTS = {
    "suppressing_in_part": "Suppressing counts only in part.",
    "coarsening_in_part": "Coarsening counts only in part.",
}
"""How a finding says that it was weighed with another balance."""


def in_part(balance: float) -> dict[str, bool]:
    """What a finding notes about its balance: nothing where it is even.

    >>> in_part(0.5), in_part(0.7)
    ({}, {'coarsening_in_part': True})
    """
    return {} if balance == EVEN else {("suppressing" if balance < EVEN else "coarsening") + "_in_part": True}


def factors(balance: float) -> tuple[float, float]:
    """How much coarsening and how much suppressing count, by a balance of both; the larger of them is 1.

    >>> factors(0.5), factors(0.25), factors(0.75)
    ((1.0, 1.0), (1.0, 0.5), (0.5, 1.0))
    """
    return min(1.0, 2.0 * (1.0 - balance)), min(1.0, 2.0 * balance)


class Loss(Measure):
    """What is lost by coarser keys and dropped records: 0 when all is as it was, 1 when nothing is left."""

    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Columns that count; all quasi-identifiers when empty."""

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """In steps that hold ten records: it follows from numbers of records, also of those that are gone."""
        if case.original is case.released:
            return exact
        records = case.original.rows
        told = {"value": in_steps(exact.value, records), "detail": in_steps(exact.detail, records)}
        return self.phrase(exact.model_copy(update=told))

    @property
    def additive(self) -> bool:
        """Whether it is the mean over records of what each of their cells costs: a compiled search can make it small.

        Only a ``CellLoss`` is; its ``costs`` and ``weight`` then say all there is to know.
        """
        return False

    def histograms(self, schema: Schema) -> tuple[str, ...]:
        """Columns whose histograms it wants to see in the class tables; none by default."""
        return ()

    @abstractmethod
    def of(self, node: Coarsened) -> float:
        """The cost of a node, from 0 to 1; 1 when all records are dropped, 0 for a table without records."""

    @abstractmethod
    def floor(self, node: Coarsened) -> float:
        """No coarser node costs less than this, whatever is dropped there; what is dropped here does not matter."""

    def by_classes(self, fine: Classes) -> ByClasses | None:
        """What a compiled search must know, if it is one of the losses such a search can make small."""
        return None

    def weight(self, name: str) -> float:
        """How much a column matters."""
        return 1.0

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that count."""
        return self.columns or schema.quasi

    def about(self, schema: Schema, keys: Sequence[str]) -> Self:
        """The loss with its columns settled for a search on some keys: all of them when none of its own is there."""
        counted = tuple(name for name in self.uses(schema) if name in keys) or tuple(keys)
        return self.model_copy(update={"columns": counted})

    def counted(self, fine: Classes) -> list[int]:
        """The places of the keys that count; all of them when none of its own columns is there."""
        return [j for j, name in enumerate(fine.keys) if name in self.columns] or list(range(len(fine.keys)))

    def kept(self, node: Coarsened) -> Classes:
        """The classes of its columns, of the records that are not dropped."""
        stay = node.table.only(~node.bad) if node.bad.any() else node.table
        return stay.onto([node.fine.keys[j] for j in self.counted(node.fine)])[0]

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The columns must be there, and each only once."""
        yield from super().problems(schema)
        if len(set(self.columns)) < len(self.columns):
            yield Problem("equal-columns", "columns", "columns must differ")
