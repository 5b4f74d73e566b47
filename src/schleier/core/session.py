"""A session answers many questions about one dataset under one budget: what was spent never comes back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from schleier.core.component import Component

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class OpenSession(Protocol):
    """A session that has begun; the only one who knows what is left."""

    def ask(self, question: Any) -> Any:
        """An answer, paid from the budget; a BudgetError that spends nothing when too little is left."""

    def left(self) -> Mapping[str, float]:
        """What is left of the budget, by the name of its parts (epsilon, delta)."""


class Session(Component):
    """The rules of a session: its fields say how much may be spent. They never change; what is spent does."""

    @abstractmethod
    def open(self, data: Dataset, run: Run) -> OpenSession:
        """Begin, with the whole budget."""
