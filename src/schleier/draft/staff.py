"""Both ends of ages or years of birth that hold enough people: among staff the youngest and the oldest stand out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from schleier.core.units import units
from schleier.draft.steps import FEWEST

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset


def both_ends(data: Dataset, value: nw.Expr, first: int, last: int, least: int) -> tuple[int, int] | None:
    """Limits between two numbers so that so many people lie at or beyond each; nothing where the ends would meet.

    Nor is anybody hidden in a tail of one or two, which would be capped alone.
    """
    low = _outermost(lambda at: units(data, value <= at) >= least, first, last, 1)
    high = _outermost(lambda at: units(data, value >= at) >= least, last, first, -1)
    if low is None or high is None:
        return None
    while low < high and 0 < units(data, value < low) < FEWEST:
        low += 1
    while low < high and 0 < units(data, value > high) < FEWEST:
        high -= 1
    return (low, high) if low < high else None


def _outermost(holds: Callable[[int], bool], start: int, end: int, step: int) -> int | None:
    """The first number on the way at which enough people are behind; once they are, they stay.

    >>> _outermost(lambda at: at >= 17, 0, 66, 1), _outermost(lambda at: at <= 60, 66, 0, -1)
    (17, 60)
    """
    if not holds(end):
        return None
    near, far = 0, abs(end - start)
    while near < far:
        middle = (near + far) // 2
        near, far = (near, middle) if holds(start + step * middle) else (middle + 1, far)
    return start + step * near
