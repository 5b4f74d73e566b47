"""Class tables as those who get the release see them: with what is left as all there is, or with blank keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.search._goals import Demand

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def as_category(demand: Demand) -> Demand:
    """The demand with a missing key as a value of its own."""
    if "missing" not in type(demand.criterion).model_fields:
        return demand
    plain = tuple(replace(request, missing="category") for request in demand.requests)
    return replace(demand, criterion=demand.criterion.model_copy(update={"missing": "category"}), requests=plain)


def holds_alone(demands: Sequence[Demand], left: Classes) -> bool:
    """Whether criteria on sensitive values hold when what is left is all there is to compare with."""
    if not left.histograms:
        return True
    seen = recounted(left)
    return all(demand.counts_only or not demand.criterion.alone or demand.met(seen) for demand in demands)


def recounted(left: Classes) -> Classes:
    """The classes with what is left as the whole table: what somebody sees who gets nothing else."""
    return replace(left, histograms={name: found.recounted() for name, found in left.histograms.items()})


def blanked(table: Classes, bad: NDArray[np.bool_]) -> Classes:
    """The table with the keys of some classes missing."""
    import numpy as np

    codes = np.where(bad[:, None], np.int32(-1), table.codes)
    none = (None,) * len(table.keys)
    return replace(table, codes=codes, hierarchies=none).at((0,) * len(table.keys))
