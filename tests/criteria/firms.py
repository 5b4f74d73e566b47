"""Firms that belong to owners, with amounts: what the rules on contributions are tried on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Schema

TYPES = pa.schema({"place": pa.string(), "owner": pa.string(), "turnover": pa.float64()})
Firm = tuple[str | None, str | None, float | None]
firms: st.SearchStrategy[list[Firm]] = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", "z", None]),
        st.sampled_from(["a", "b", "c", "d", None]),
        st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.5, 10.0, -2.5, 100.25, None]),
    ),
    max_size=25,
)


def schema(*, owners: bool) -> Schema:
    return Schema(
        columns=(
            Column(name="place", role="quasi", scale="nominal", hierarchy="place"),
            Column(name="owner", role="unit" if owners else "plain", scale="nominal"),
            Column(name="turnover", role="sensitive", scale="continuous"),
        ),
        hierarchies={"place": parse({"rows": [["x", "xy", "*"], ["y", "xy", "*"], ["z", "zz", "*"]]})},
    )


def dataset(rows: Sequence[Firm], *, owners: bool, engine: Any = None) -> Dataset:
    columns = [[row[j] for row in rows] for j in range(3)]
    return Dataset.from_frame(pa.table(columns, schema=TYPES), schema(owners=owners), engine)


def contributions(rows: Sequence[Firm], *, owners: bool) -> list[int]:
    """What each contributor adds, in hundredths, largest first; whoever has no owner is one of them together."""
    amounts: dict[Any, int] = {}
    for i, (_, owner, turnover) in enumerate(rows):
        if turnover is not None:
            who = owner if owners else i
            amounts[who] = amounts.get(who, 0) + round(abs(turnover) * 100)
    return sorted(amounts.values(), reverse=True)


def contributors(rows: Sequence[Firm], *, owners: bool) -> int:
    """How many contribute more than nothing; amounts without an owner add nobody."""
    known = [row for row in rows if not owners or row[1] is not None]
    return sum(amount > 0 for amount in contributions(known, owners=owners))
