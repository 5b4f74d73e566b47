"""Weights as a second reading of a risk that does not need them: used where every record has one, never an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


def weight_of(data: Dataset) -> tuple[str | None, bool]:
    """The weight column if every record has a weight above zero; and whether there is one that not all have."""
    import narwhals as nw

    from schleier.core.data import tally

    weight = next(iter(data.schema.having("weight")), None)
    if weight is None:
        return None, False
    column = nw.col(weight).cast(nw.Float64)
    seen = data.totals(n=nw.len(), good=tally(column > 0))
    return (weight, False) if seen["n"] == (seen["good"] or 0) else (None, True)


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
