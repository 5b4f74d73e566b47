"""Households, owners, persons in a panel: whom the rows are about when several belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run


def distinct(unit: nw.Expr) -> nw.Expr:
    """How many different units there are; rows without a unit add none, for nobody knows whether they are others."""
    import narwhals as nw

    gap = nw.when(unit.is_null()).then(nw.lit(1)).otherwise(nw.lit(0)).max()
    return unit.n_unique() - gap


def units(data: Dataset, condition: nw.Expr) -> int:
    """Units behind the rows of a condition: distinct units where the table has them, else rows.

    Rows whose unit is missing count as one unit together: the strict reading.
    """
    import narwhals as nw

    unit = data.schema.having("unit")
    count = nw.col(unit[0]).n_unique() if unit else nw.len()
    return int(data.filter(condition).totals(n=count)["n"] or 0)


def has_several(data: Dataset) -> bool:
    """Whether a unit has more than one record."""
    import narwhals as nw

    if not (unit := data.schema.having("unit")):
        return False
    found = data.filter(~nw.col(unit[0]).is_null()).totals(rows=nw.len(), units=nw.col(unit[0]).n_unique())
    return int(found["rows"] or 0) > int(found["units"] or 0)


def draw_units(data: Dataset, run: Run, into: str, purpose: str = "draw") -> Dataset:
    """Every row with the draw of its unit, as ``Run.draw`` does it for rows; who has no unit is one of his own."""
    import narwhals as nw

    key, unit = nw.col(data.schema.key).cast(nw.String), nw.col(data.schema.having("unit")[0])
    alone, together = nw.concat_str(nw.lit("r"), key), nw.concat_str(nw.lit("u"), unit.cast(nw.String))
    named = data.mutate(_unit_=nw.when(unit.is_null()).then(alone).otherwise(together))
    drawn = run.draw(named, into, purpose, by="_unit_")
    return replace(drawn, frame=drawn.frame.drop("_unit_"))
