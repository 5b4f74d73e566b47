"""The interval a number lies in, written out in SQL: what ``Intervals`` does with arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from schleier.core.hierarchy.numbers import WHOLE, exact_number
from schleier.core.sql import NOTHING, Typed, choice, number, whole

DIGITS = 20
"""Ends with more digits do not fit the decimals of every engine together with the number of the interval."""


@dataclass(frozen=True)
class Ends:
    """Intervals of one level: how wide they are, and how they follow from the finest ones."""

    value: Typed
    finest: float
    width: float
    origin: float
    reach: float
    ratio: float
    is_exact: bool

    def sql(self) -> str | None:
        """The label of the interval; null where there is none, nothing where decimals do not reach."""
        width, origin = exact_number(self.width), exact_number(self.origin)
        after = max(0, *(-int(part.as_tuple().exponent) for part in (width, origin, origin + width)))
        before = max(len(f"{abs(part):f}".partition(".")[0]) for part in (width, origin, origin + width))
        if before + after > DIGITS:
            return None
        # Beyond reach the index is 0: no engine may stumble over a cast whose result nobody asks for.
        fine = f"{whole(self._position)} / {number(self.ratio)}"
        index = f"CAST({choice([(self._inside, f'floor({fine})')], '0')} AS DECIMAL(16, 0))"
        kind = f"DECIMAL({before + after}, {after})"

        def end(offset: Decimal) -> str:
            return f"({index} * CAST('{width:f}' AS {kind}) + CAST('{offset:f}' AS {kind}))"

        return choice([(self._inside, self._label(end, after))], NOTHING)

    def _label(self, end: Callable[[Decimal], str], after: int) -> str:
        """``numbers.between`` in SQL."""
        width, origin = exact_number(self.width), exact_number(self.origin)
        if not (self.value.kind == "integer" and self.is_exact):
            return f"'[' || {_text(end(origin), after)} || ', ' || {_text(end(origin + width), after)} || ')'"
        lower = end(origin)
        if width == 1:
            return _text(lower, after)
        between = choice([(f"{lower} < 0", "' to '")], "'-'")
        return f"{_text(lower, after)} || {between} || {_text(end(origin + width - 1), after)}"

    @property
    def _position(self) -> str:
        """``Intervals._position`` in SQL: the same operations in the same order."""
        distance = f"({self.value.number} - {number(self.origin)})"
        if not self.is_exact:
            far = f"(abs({self.value.number}) + {number(abs(self.origin))})"
            distance = f"({distance} + {far} * {number(2.0**-50)})"
        return f"{distance} / {number(self.finest)}"

    @property
    def _inside(self) -> str:
        """Within reach; the first test keeps PostgreSQL from computing what it would call an overflow."""
        far = min((self.reach + 2) * self.finest * 1.01 + abs(self.origin), 1e300)
        far = min(far, float(WHOLE - 1)) if self.value.kind == "integer" else far
        near = f"{self.value.number} BETWEEN {number(-far)} AND {number(far)}"
        return f"{near} AND {self._position} >= {number(-self.reach)} AND {self._position} < {number(self.reach)}"


def _text(end: str, after: int) -> str:
    """A decimal without the zeros at its end."""
    text = f"CAST({end} AS VARCHAR)"
    return f"TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM {text}))" if after else text
