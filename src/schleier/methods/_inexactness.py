"""Says where a method that is exact on complete records and broken numbers is not quite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schleier.core.data import tally

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.methods._discrete import Discrete


def tell_inexact(step: Discrete, data: Dataset, run: Run, zeros: bool) -> None:
    """Note that there are gaps in the columns (``zeros`` count as such), and that there is rounding."""
    import narwhals as nw

    metric, coded = step.metric(data.schema), step.coded(data.schema)
    gaps = [nw.col(name).is_null() for name in (*metric, *coded)]
    gaps += [nw.col(name) == 0 for name in metric if zeros]
    count = data.totals(n=tally(nw.any_horizontal(*gaps, ignore_nulls=True)))["n"] or 0
    if count:
        run.note(caution="means and covariances are exact over the complete records only")
        run.note("restricted", records_not_complete=count)
    whole = any(data.schema[name].scale == "discrete" for name in metric)
    if coded or step.round == "controlled" or (whole and step.round == "nearest"):
        run.note(caution="means and covariances are exact up to rounding only")
