"""What the weights of a file are worth, and shares of the persons that records stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


@dataclass(frozen=True)
class Weights:
    """The column of weights, counted in one pass."""

    column: str
    records: int
    absent: int
    """Records without a weight."""
    low: int
    """Records with a weight of zero or less."""
    total: float


def weights_of(data: Dataset) -> Weights | None:
    """The weights of a file; nothing where it has no such column."""
    import narwhals as nw

    from schleier.core.classes.parts import WEIGHT_UNIT
    from schleier.core.data import tally

    name = next(iter(data.schema.having("weight")), None)
    if name is None:
        return None
    column = nw.col(name).cast(nw.Float64)
    units = (column * WEIGHT_UNIT).round(0).cast(nw.Int64)  # whole numbers have the same total in any order
    seen = data.totals(n=nw.len(), absent=tally(column.is_null()), low=tally(column <= 0), total=units.sum())
    absent, low = int(seen["absent"] or 0), int(seen["low"] or 0)
    return Weights(name, int(seen["n"]), absent, low, float(seen["total"] or 0) / WEIGHT_UNIT)


def weight_of(data: Dataset) -> tuple[str | None, bool]:
    """The weight column if every record has a weight above zero; and whether there is one that not all have.

    For risks that do not need weights: there they are a second reading, and never an error.
    """
    seen = weights_of(data)
    if seen is None:
        return None, False
    return (None, True) if seen.absent or seen.low else (seen.column, False)


def cautions(found: Mapping[str, bool]) -> dict[str, list[str]]:
    """What a finding must add in words, as an entry of its detail; nothing when there is nothing to mind.

    >>> cautions({"weights": True, "sampled": False}), cautions({"weights": False})
    ({'cautions': ['weights']}, {})
    """
    codes = [code for code, here in found.items() if here]
    return {"cautions": codes} if codes else {}


def weighted_share(classes: Classes, shares: NDArray[np.floating[Any] | np.bool_]) -> float | None:
    """The part of the persons that records stand for, given a part (or yes and no) for each class."""
    if classes.weights is None:
        return None
    total = float(classes.weights.sum())
    return float((classes.weights * shares).sum()) / total if total else 0.0
