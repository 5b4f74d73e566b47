"""In which columns records have gaps: whether enough of them have the same ones to be put into groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, Problems
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset

PATTERN = "_pattern_"
"""Working column with the pattern of a record."""
LARGEST = 1e150
"""Squares of larger amounts are infinite."""


def pattern(block: Sequence[str], schema: Schema, *, zeros: bool, signs: bool) -> nw.Expr:
    """A letter per column: missing (m), a zero that stays (z), negative where signs are kept apart (n), a value (v)."""
    import narwhals as nw

    texts = []
    for name in block:
        text, value = nw.lit("v"), nw.col(name)
        if schema[name].numeric and signs:
            text = nw.when(value < 0).then(nw.lit("n")).otherwise(text)
        if schema[name].numeric and zeros:
            text = nw.when(value == 0).then(nw.lit("z")).otherwise(text)
        texts.append(nw.when(value.is_null()).then(nw.lit("m")).otherwise(text))
    return nw.concat_str(*texts) if len(texts) > 1 else texts[0]


def rare(named: Dataset, by: Sequence[str], unit: Sequence[str], k: int, owners: int) -> tuple[int, int, bool]:
    """Records whose pattern fewer than k share in their stratum, further ones that belong to too few units, and
    whether there is only one pattern. Records without any value do not count."""
    import narwhals as nw
    import numpy as np

    sums = {"_n_": nw.len()} | ({"_u_": nw.col(unit[0]).n_unique()} if unit else {})
    table = named.grouped([*by, PATTERN], sums)
    change = np.array(["v" in text or "n" in text for text in table.column(PATTERN).to_pylist()], dtype=bool)
    sizes = table.column("_n_").to_numpy()
    few = change & (sizes < k)
    alone = change & ~few & (table.column("_u_").to_numpy() < owners) if unit else few & False
    return int(sizes[few].sum()), int(sizes[alone].sum()), len(change) == 1


def refuse_infinite(data: Dataset, columns: Sequence[str]) -> None:
    """Refuse columns with amounts that cannot be squared."""
    import narwhals as nw

    found = Problems()
    exprs = {f"_{end}{j}_": getattr(nw.col(n), end)() for j, n in enumerate(columns) for end in ("min", "max")}
    seen = data.totals(**exprs) if exprs else {}
    for j, name in enumerate(columns):
        if any(not abs(seen[f"_{end}{j}_"] or 0) < LARGEST for end in ("min", "max")):
            found.add("not-finite", name, f"column '{name}' holds infinite amounts", "make them missing")
    found.raise_as(DataError)
