"""A detector finds what should not be seen in one text or picture; what becomes of it is the business of methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from schleier.core.component import Component


@dataclass(frozen=True)
class Hit:
    """One thing that was found.

    >>> Hit("date", (4, 14)).score
    1.0
    """

    label: str
    """What it is, one of the detector's labels."""
    place: tuple[int, ...]
    """Where: first character and the one behind the last in a text; left, top, right and bottom in a picture."""
    score: float = 1.0
    """How sure the detector is, from 0 to 1."""


class Detector(Component):
    """Looks for spans of a text, or regions of a picture. It keeps nothing of what it saw."""

    labels: ClassVar[tuple[str, ...]] = ()
    """What it can find."""

    @abstractmethod
    def find(self, content: Any) -> Sequence[Hit]:
        """All hits in one text or picture, in the order of their places."""
