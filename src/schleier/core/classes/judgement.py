"""Several criteria judged on one dataset: rows are counted once for all that look at the same keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.classes.request import Request
from schleier.core.component import listed
from schleier.core.criterion import Criterion, Verdict

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


def judge_all(data: Dataset, criteria: Sequence[Criterion], before: Dataset | None = None) -> tuple[Verdict, ...]:
    """The verdict of each criterion; records that steps added are not counted.

    ``before`` is the table that some compare with: without it, the release has to do.
    """
    data = data.genuine()
    needs = [criterion.needs(data.schema) for criterion in criteria]
    together: dict[tuple[str, ...], list[Request]] = {}
    for request in (one for requests in needs for one in requests):
        together.setdefault(request.keys, []).append(request)
    tables = {keys: data.classes(Request.joined(keys, requests)) for keys, requests in together.items()}

    def view(request: Request) -> Classes:
        table = tables[request.keys]
        return table.excluding_missing() if request.missing == "exclude" else table

    def concluded(criterion: Criterion, requests: Sequence[Request]) -> Verdict:
        views = [view(request) for request in requests]
        if criterion.alone:
            return criterion.conclude(views)
        wider = views if before is None else [compared(table, before.genuine()) for table in views]
        asked = ((name, i) for i, request in enumerate(requests) for name in request.sensitive)
        kept = {name for name, i in asked if wider[i].histograms[name] is views[i].histograms[name]}
        return _by_release(criterion.conclude(wider), sorted(kept), at_hand=before is not None)

    return tuple(concluded(criterion, requests) for criterion, requests in zip(criteria, needs, strict=True))


def _by_release(found: Verdict, names: Sequence[str], *, at_hand: bool) -> Verdict:
    """A verdict that says which columns were compared with the release although the original was asked for."""
    if not names or not found.records:
        return found
    why = f"a step changed {'them' if len(names) > 1 else 'it'}" if at_hand else "the original is not at hand"
    text = f"{found.text} What is released is what was compared with in {listed(names)}: {why}."
    return found.model_copy(update={"by_release": tuple(names), "text": text})


def compared(table: Classes, before: Dataset) -> Classes:
    """The classes with another table as the whole one, where it holds all their values as often or more often.

    A column that a step changed is no longer that of the other table: its histogram stays as it is, and the release is
    what it is compared with.
    """
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    found = dict(table.histograms)
    for name, spread in table.histograms.items():
        if len(spread.columns) > 1 or name not in before.schema:
            continue
        values, counts = before.counts(nw.col(name))
        if isinstance(values, pa.ChunkedArray) or values.type != spread.values.type:
            continue
        totals = np.append(counts, before.rows - int(counts.sum())).astype(np.int64)
        place = pc.index_in(spread.values, values)
        if place.null_count:
            continue
        codes = np.append(place.to_numpy(zero_copy_only=False), -1).astype(spread.codes.dtype)[spread.codes]
        wider = replace(spread, values=values, codes=codes, totals=totals)
        if (wider.recounted().totals <= totals).all():
            found[name] = wider
    return replace(table, histograms=found)
