"""Several criteria judged on one dataset: rows are counted once for all that look at the same keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.classes.request import Request
from schleier.core.criterion import Criterion, Verdict

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


def judge_all(data: Dataset, criteria: Sequence[Criterion]) -> tuple[Verdict, ...]:
    """The verdict of each criterion; records that steps added are not counted."""
    data = data.genuine()
    needs = [criterion.needs(data.schema) for criterion in criteria]
    together: dict[tuple[str, ...], list[Request]] = {}
    for request in (one for requests in needs for one in requests):
        together.setdefault(request.keys, []).append(request)
    tables = {keys: data.classes(Request.joined(keys, requests)) for keys, requests in together.items()}

    def view(request: Request) -> Classes:
        table = tables[request.keys]
        return table.excluding_missing() if request.missing == "exclude" else table

    return tuple(
        criterion.conclude([view(request) for request in requests])
        for criterion, requests in zip(criteria, needs, strict=True)
    )
