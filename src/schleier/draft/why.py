"""The reasons of a guess: a key into the words of the reader's language, and what to fill in."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from schleier.core.record import Frozen


class Why(Frozen):
    """One reason. Columns and counts may be filled in, values of the file never."""

    key: str
    values: dict[str, Any] = Field(default_factory=dict)

    @staticmethod
    def of(key: str, **values: Any) -> Why:
        """A reason with what belongs into its sentence.

        >>> Why.of("distinct", n=3).values
        {'n': 3}
        """
        return Why(key=key, values=values)
