"""Dates that were shifted, and what one known date of each unit makes of the others."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError
from schleier.core.trust.pseudonyms import KEY, NameTrustee, Pseudonyms
from schleier.core.trust.trustee import TARGET, draw_targets, refuse_too_many

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

Day = datetime.date | None


def dated(
    case: Case, column: str, held_in: str | None, anchor: str | None, targets: int | None, run: Run
) -> tuple[Pseudonyms, NameTrustee]:
    """Set up an experiment on shifted dates; what he claims of each target lies ready under its number.

    With an ``anchor`` he knows that date of the same record. Without one the first record of each unit, in the order
    of a draw, is known, and the others are targets.
    """
    import numpy as np
    import pyarrow as pa

    needed = (column,) if anchor is None else (column, anchor)
    if absent := next((name for name in needed if name not in case.original.schema), None):
        raise DataError(case.original.schema.unknown(absent))
    own = case.released.schema.having("unit")[:1] if anchor is None else ()
    shown = _texts(case.released, (held_in or column, *needed[1:], *own))
    people = _texts(draw_targets(case.original, None, run), needed, TARGET)
    place = {key: i for i, key in enumerate(shown[KEY].to_pylist())}
    at = [place.get(key) for key in people[KEY].to_pylist()]
    released = _at(_days(shown, held_in or column), at)
    true = _days(people, column)
    if anchor is None:
        offsets, known = _by_unit(true, released, _at(shown[own[0]].to_pylist(), at))
    else:
        offsets = [_apart(a, b) for a, b in zip(_at(_days(shown, anchor), at), _days(people, anchor), strict=True)]
        known = set()
    free = [i for i in range(len(true)) if i not in known]
    if targets is not None:
        refuse_too_many(targets, len(true))
        free = free[:targets]
    claims = {str(i): told for i in free if (told := _moved(released[i], offsets[i])) is not None}
    truth = [None if (day := true[i]) is None else day.isoformat() for i in free]
    numbers = [None if at[i] is None else str(i) for i in free]
    return Pseudonyms((), np.zeros(0, np.int64)), NameTrustee(
        truth, numbers, people[KEY].take(pa.array(free, pa.int64())), claims
    )


def _by_unit(
    true: Sequence[Day], released: Sequence[Day], units: Sequence[Hashable]
) -> tuple[list[int | None], set[int]]:
    """How far the known date of each unit was shifted, record by record; and which records are known."""
    shift, known = dict[Hashable, int](), set[int]()
    for i, unit in enumerate(units):
        far = _apart(released[i], true[i])
        if unit is not None and unit not in shift and far is not None:
            shift[unit] = far
            known.add(i)
    return [shift.get(unit) for unit in units], known


def _apart(one: Day, other: Day) -> int | None:
    return None if one is None or other is None else (one - other).days


def _moved(day: Day, offset: int | None) -> str | None:
    """The date before the shift; nothing where there is none, or outside of the calendar."""
    if day is None or offset is None:
        return None
    try:
        return (day - datetime.timedelta(days=offset)).isoformat()
    except OverflowError:
        return None


def _at(values: Sequence[Any], places: Sequence[int | None]) -> list[Any]:
    return [None if place is None else values[place] for place in places]


def _texts(data: Dataset, columns: Sequence[str], *more: str) -> pa.Table:
    """Columns as texts with the row keys, in the order of these or of a draw."""
    import narwhals as nw

    texts = {name: nw.col(name).cast(nw.String) for name in columns}
    key = nw.col(data.schema.key).cast(nw.String)
    return data.engine.arrays(data.frame.select(*more, **{KEY: key}, **texts)).sort_by(more[0] if more else KEY)


def _days(table: pa.Table, name: str) -> list[Day]:
    """A column as days; what is no date is missing."""
    return [_day(text) for text in table[name].to_pylist()]


def _day(text: str | None) -> Day:
    try:
        return None if text is None else datetime.date.fromisoformat(text[:10])
    except ValueError:
        return None
