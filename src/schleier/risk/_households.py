"""Households are found when one member is: 1 - prod(1 - r) over the members, computed where the rows are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes.records import by_class

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset

FINE, COARSE = 1e12, 1e9
"""Logarithms and risks are added up as whole numbers of these parts: the sum is the same in any order."""
CERTAIN = -40.0
"""Logarithm of what is left when a member is found for sure: 1 - exp(-40) is 1."""


def of_households(data: Dataset, classes: Classes, risks: NDArray[np.float64], threshold: float) -> dict[str, Any]:
    """How many households there are, how many are expected to be found, and how many have a risk above a threshold.

    Who has no household is one of his own.
    """
    import narwhals as nw

    from schleier.core.data import tally

    unit, rows = _members(data, classes, risks)
    alone = nw.when(nw.col(unit).is_null()).then(nw.col(data.schema.key))
    rows = rows.filter(~nw.col("_left_").is_null()).with_columns(_alone_=alone)
    groups = rows.group_by(nw.col(unit), nw.col("_alone_")).agg(_left_=nw.col("_left_").cast(nw.Int64).sum())
    found = replace(data, frame=groups.select(_risk_=(_found(nw.col("_left_")) * COARSE).round(0).cast(nw.Int64)))
    value = nw.col("_risk_")
    totals = found.totals(n=nw.len(), sum=value.sum(), above=tally(value > round(threshold * COARSE)), most=value.max())
    households, expected = int(totals["n"]), (totals["sum"] or 0) / COARSE
    return {
        "households": households,
        "expected": expected,
        "mean": expected / households if households else 0.0,
        "above": int(totals["above"] or 0),
        "above_share": int(totals["above"] or 0) / households if households else 0.0,
        "highest": (totals["most"] or 0) / COARSE,
    }


def risk_by_record(data: Dataset, classes: Classes, risks: NDArray[np.float64]) -> nw.LazyFrame[Any]:
    """Row key, risk of the record and, where there are households, the risk of its household."""
    import narwhals as nw

    if not data.schema.having("unit"):
        return by_class(data, classes, {"risk": risks})
    unit, rows = _members(data, classes, risks)
    together = nw.col("_left_").sum().over(unit)
    left = nw.when(nw.col(unit).is_null()).then(nw.col("_left_")).otherwise(together)
    return rows.with_columns(_left_=left).select(
        data.schema.key, "risk", household_risk=nw.when(~nw.col("risk").is_null()).then(_found(nw.col("_left_")))
    )


def _members(data: Dataset, classes: Classes, risks: NDArray[np.float64]) -> tuple[str, nw.LazyFrame[Any]]:
    """The column of households, and every record with its risk and the logarithm of what its risk leaves."""
    import numpy as np

    with np.errstate(divide="ignore"):
        left = np.rint(np.maximum(np.log1p(-np.minimum(risks, 1.0)), CERTAIN) * FINE)
    unit = data.schema.having("unit")[0]
    return unit, by_class(data, classes, {"risk": risks, "_left_": left}, unit)


def _found(left: nw.Expr) -> nw.Expr:
    import narwhals as nw

    return 1 - (left.cast(nw.Float64) / FINE).exp()
