"""The original as far as a release shows it: what a public number may be computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schleier.core.data import named, tally
from schleier.core.pairs import AFTER, MATCH, matched_by

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.measure import Case


@dataclass(frozen=True)
class Visible:
    """The original as far as a release shows it, and how much of it that is not."""

    data: Dataset
    records: int
    """Records of the original that are not in the release."""
    cells: dict[str, int]
    """By column: values of the other records that were blanked, capped or became words."""


def visible_original(case: Case) -> Visible:
    """Records and cells of the original that are in the release, numbers not beyond the released ones.

    A record that was left out, a cell that was blanked and the part of a number that was capped are not there, so
    nothing that is computed from the result can tell them. Numbers that became words are gone too: a class "4000 and
    more" caps them.
    """
    import narwhals as nw

    original, released = case.original, case.released
    names = [name for name in original.schema.names if name in released.schema]
    key, (left, right) = original.schema.key, matched_by(case)
    own = dict.fromkeys((key, *names))
    after = released.frame.select(right, *(nw.col(name).alias(AFTER + name) for name in names))
    both = original.frame.select(left, *(nw.col(name) for name in own)).join(after, on=MATCH, how="inner")
    types = both.collect_schema()
    numbers = [name for name in names if types[name].is_numeric() and types[AFTER + name].is_numeric()]
    ends = _ends(released, numbers)
    shown = {name: _shown(name, types, ends) for name in names}
    hidden = {f"_hidden_{i}_": _hidden(name, types, ends) for i, name in enumerate(names)}
    # Computed before the values that are shown take the place of the original ones.
    both = both.with_columns(**hidden).with_columns(*named(shown)).select(*(nw.col(name) for name in (*own, *hidden)))
    whole = replace(original, frame=both).kept()
    counts = whole.totals(_records_=nw.len(), **{name: tally(nw.col(name)) for name in hidden})
    kept = [column for column in original.schema if column.name in names]
    schema = original.schema.model_copy(update={"columns": tuple(kept)})
    data = replace(whole, frame=whole.frame.select(*(nw.col(name) for name in own)), schema=schema)
    vars(data)["rows"] = int(counts["_records_"])
    cells = {name: int(counts[f"_hidden_{i}_"] or 0) for i, name in enumerate(names)}
    return Visible(data, original.rows - int(counts["_records_"]), {n: c for n, c in cells.items() if c})


def _ends(released: Dataset, numbers: list[str]) -> dict[str, Any]:
    """The smallest and the largest released number of each column; infinity and NaN, which bound nothing, aside."""
    import narwhals as nw

    types = released.frame.collect_schema()
    values = {name: nw.col(name) for name in numbers}
    values |= {name: nw.when(values[name].is_finite()).then(values[name]) for name in numbers if types[name].is_float()}
    wanted = {f"_low_{i}_": values[name].min() for i, name in enumerate(numbers)}
    wanted |= {f"_high_{i}_": values[name].max() for i, name in enumerate(numbers)}
    found = released.totals(**wanted) if wanted else {}
    return {name: (found[f"_low_{i}_"], found[f"_high_{i}_"]) for i, name in enumerate(numbers)}


def _shown(name: str, types: Any, ends: dict[str, Any]) -> nw.Expr:
    import narwhals as nw

    value, nothing = nw.col(name), nw.lit(None).cast(types[name])
    if types[name].is_numeric():
        low, high = ends.get(name, (None, None))
        if low is None:  # words now, or nothing is left of it
            return nothing
        clipped = nw.when(value < low).then(nw.lit(low).cast(types[name])).otherwise(value)
        value = nw.when(clipped > high).then(nw.lit(high).cast(types[name])).otherwise(clipped)
    return nw.when(nw.col(AFTER + name).is_null()).then(nothing).otherwise(value)


def _hidden(name: str, types: Any, ends: dict[str, Any]) -> nw.Expr:
    """Whether the release does not show a value, or not all of it."""
    import narwhals as nw

    value, gone = nw.col(name), nw.col(AFTER + name).is_null()
    if types[name].is_numeric():
        low, high = ends.get(name, (None, None))
        gone = nw.lit(True) if low is None else gone | (value < low) | (value > high)
    return ~value.is_null() & gone
