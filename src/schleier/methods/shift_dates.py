"""Move all dates of a unit by the same number of days, which follows from a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.errors import DataError, InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.pseudonym import Left
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._by_unit import beside, draws, joined_up, units_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

STEP: dict[str, int] = {"": 1, "weekday": 7, "season": 364}
"""Days in a step of the shift: whole weeks keep the weekday, 52 of them the season too."""


NOBODYS = 84_006
"""Days from 1970 to 2200: a later date is a mark."""


class ShiftDates(Method):
    """Dates of a unit move together, by up to ``days`` and never by nothing: times between them stay exact.

    >>> ShiftDates(columns=["admitted"], by="patient", key="clinic", domain="patients", days=30).keep
    ''
    """

    reference: ClassVar[str] = "Bitkom (2020), Anonymisierung und Pseudonymisierung von Daten für Projekte des ML"
    traces: ClassVar[Traces] = frozenset({"shift"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    linkable: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {
        "columns": ["born"], "by": "household", "key": "env:SCHLEIER_EXAMPLE_KEY", "domain": "homes", "days": 90,
    }  # fmt: skip

    columns: tuple[str, ...] = Field(min_length=1)
    """The dates: all of them move together."""
    by: str
    """The column that tells whose they are. In several tables it must hold the same values."""
    key: str = Field(min_length=1)
    """The long-lived key: its name under ``[keys]``, or ``env:VARIABLE``."""
    domain: str = Field(min_length=1)
    """Where key and domain are the same, a unit has the same shift in all tables and releases."""
    days: int = Field(ge=1, le=36_500)
    """The largest shift, forwards or backwards."""
    keep: Literal["", "weekday", "season"] = ""
    """What of a date stays: its weekday (shifts of whole weeks), or season and weekday (of 364 days)."""
    not_before: str | None = None
    """A column of dates that do not move, which a moved date must not precede if it did not: such as the birth."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.days < STEP[self.keep]:
            raise ValueError(f"days must be at least {STEP[self.keep]}, or no shift is left")
        if self.not_before in self.columns:
            raise ValueError("what does not move is none of the columns that move")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Dates, unit, and the dates that do not move."""
        return (*self.columns, self.by, *((self.not_before,) if self.not_before else ()))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The dates that move."""
        return self.columns

    def exposes(self) -> tuple[Left, ...]:
        """Times between the dates of a unit."""
        return ("interval",)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only dates move."""
        yield from super().problems(schema)
        for name in (*self.columns, *((self.not_before,) if self.not_before else ())):
            if name in schema and schema[name].scale != "time":
                message = f"column '{name}' is {schema[name].scale}, and only dates can be moved"
                yield Problem("not-a-time", "columns", message, 'declare it "time"')

    def after(self, schema: Schema) -> Schema:
        """The same columns; their hierarchies may not cover the new dates."""
        for name in self.columns:
            schema = schema.changed(name, hierarchy=None, labels={})
        return schema

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with moved dates; where the unit is missing, so is the date afterwards."""
        import narwhals as nw
        import pyarrow as pa

        key, units = run.key_of(self.key), units_of(data, self.by)
        tries = self._tries(draws(units, key, self.domain, "shift of dates"))
        days = self._fitting(data, units, tries)
        after = self.after(data.schema)
        for name in self.columns:
            pairs = data.frame.filter(~nw.col(name).is_null(), ~nw.col(self.by).is_null())
            pairs = pairs.select(_unit_=nw.col(self.by), _date_=nw.col(name))
            held = data.engine.arrays(pairs.group_by("_unit_", "_date_").agg(_n_=nw.len()).select("_unit_", "_date_"))
            unit, date = (joined_up(held.column(part)) for part in ("_unit_", "_date_"))
            _refuse_marks(date, name)
            moved = moved_by(date, days[_places(unit, units)])
            table = pa.table({"_unit_": unit, "_date_": date, "_moved_": moved})
            frame = beside(data, {"_unit_": self.by, "_date_": name}, table)
            names = data.frame.collect_schema().names()
            data = replace(data.reframed(frame.with_columns(nw.col("_moved_").alias(name)).select(*names)))
        return data.described(after)

    def _tries(self, drawn: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Shifts in days of each unit, the first that are drawn first: uniform among those that are allowed."""
        import numpy as np

        many = self.days // STEP[self.keep]
        halves = np.ascontiguousarray(drawn).view(np.uint32).astype(np.int64)
        steps = halves % (2 * many) - many
        shifts: NDArray[np.int64] = (steps + (steps >= 0)) * STEP[self.keep]
        return shifts

    def _fitting(self, data: Dataset, units: pa.Array, tries: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first shift of each unit that moves no date before the one that stays."""
        import narwhals as nw
        import numpy as np

        first: NDArray[np.int64] = tries[:, 0].copy() if len(tries) else np.zeros(0, np.int64)
        if self.not_before is None or not len(units):
            return first
        room = np.full(len(units), np.iinfo(np.int64).max)
        fixed = nw.col(self.not_before)
        for name in self.columns:
            rows = data.frame.filter(nw.col(name) >= fixed, ~nw.col(self.by).is_null())
            rows = rows.select(_unit_=nw.col(self.by), _date_=nw.col(name), _fixed_=fixed)
            held = data.engine.arrays(rows.group_by("_unit_", "_date_", "_fixed_").agg(_n_=nw.len()))
            unit, date, stays = (joined_up(held.column(part)) for part in ("_unit_", "_date_", "_fixed_"))
            np.minimum.at(room, _places(unit, units), days_of(date) - days_of(stays))
        fits = tries >= -room[:, None]
        lost = int((~fits.any(axis=1)).sum())
        if lost:
            message = f"for {lost} units no shift keeps their dates behind those of '{self.not_before}'"
            stop(InfeasibleError, "no-common-shift", "not_before", message, "allow more days, or move these dates too")
        chosen: NDArray[np.int64] = tries[np.arange(len(tries)), fits.argmax(axis=1)]
        return chosen


def _places(unit: pa.Array, units: pa.Array) -> NDArray[np.int64]:
    import numpy as np
    import pyarrow.compute as pc

    return np.asarray(pc.index_in(unit, units)).astype(np.int64)


def _refuse_marks(dates: pa.Array, name: str) -> None:
    """Stop where a date stands for "open", such as the last day of 9999: moved, it would tell the shift of its unit."""
    if len(dates) and days_of(dates).max() >= NOBODYS:
        message = f"column '{name}' has dates behind the year 2200, which stand for an open end"
        hint = "declare them as missing: once moved, they would tell everybody the shift"
        stop(DataError, "open-date", "columns", message, hint)


def days_of(dates: pa.Array) -> NDArray[np.int64]:
    """Days since 1970, whatever the time of the day."""
    import numpy as np
    import pyarrow as pa

    found: NDArray[np.int64] = np.asarray(dates.cast(pa.date32()).cast(pa.int32())).astype(np.int64)
    return found


def moved_by(dates: pa.Array, days: NDArray[np.int64]) -> pa.Array:
    """Dates, or times, so many days later.

    >>> import datetime, numpy as np, pyarrow as pa
    >>> moved_by(pa.array([datetime.date(2024, 2, 29)]), np.array([366])).to_pylist()
    [datetime.date(2025, 3, 1)]
    """
    import numpy as np
    import pyarrow as pa

    if pa.types.is_date32(dates.type):
        return pa.array(np.asarray(dates.cast(pa.int32())) + days, pa.int32()).cast(dates.type)
    if not pa.types.is_timestamp(dates.type):
        stop(DataError, "not-a-time", "columns", "the values are no dates", "declare how they are written: date")
    unit = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[dates.type.unit]
    return pa.array(np.asarray(dates.cast(pa.int64())) + days * 86_400 * unit, pa.int64()).cast(dates.type)
