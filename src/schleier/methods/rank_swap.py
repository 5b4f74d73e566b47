"""Exchange values with others of nearly the same rank (Höhne S02, rank swapping)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import model_validator

from schleier.core.amount import Design
from schleier.core.component import secret
from schleier.core.errors import InfeasibleError, Problems
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.methods._exchange import Exchange, Places, Seen

if TYPE_CHECKING:
    import numpy as np

    from schleier.core.data import Dataset
    from schleier.core.run import Run

WIDE_FOR_SD, WIDE_FOR_MEAN = 23.0, 69.0
"""Moore's formulas hold for a range of 5 to 11 sd and 3 to 16 means (rents), and fail at 50 to 100 sd and 300 to 2700
means (turnovers, Höhne L886, U16). These limits lie in the geometric middle."""

EVEN = 20_000
"""Values of an evenly spread column on which a target is tried."""


class RankSwap(Exchange):
    """Each value is exchanged with one whose rank is at most ``window`` per cent of the records lower.

    >>> RankSwap(columns=["income"], window=5).window
    5.0
    """

    reference: ClassVar[str] = "Moore (1996), Controlled data-swapping techniques; Höhne (2010), 2.2.5 (S02)"
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age"], "window": 15}
    keeps: ClassVar[Keeps] = {**Exchange.keeps, "correlation": "weak"}
    cure: ClassVar[str] = "widen the window: it must reach over at least one other value, or use coarser strata"

    window: float | None = secret(None, gt=0, le=100)
    """How far ranks may move, in per cent of the records of a stratum (P(a) in the literature)."""
    correlation: float | None = secret(None, gt=0, lt=1)
    """Instead of ``window``: share of a correlation that two columns swapped alike should keep."""
    change: float | None = secret(None, gt=0)
    """Instead of ``window``: by which share of the mean values should change on average."""
    windows: dict[str, float] = secret(default_factory=dict)
    """Learned: the window of each column in per cent."""
    unsuitable: tuple[str, ...] = secret(())
    """Learned: columns so skewed that ranks say little about values: small windows change the small values hardly."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(value is not None for value in (self.window, self.correlation, self.change)) != 1:
            raise ValueError("say exactly one of window, correlation and change")
        return self

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn the windows, and look whether ranks suit the columns at all."""
        if self.kept is not None:
            return self
        fitted, found = super().fit(data, run), Problems()
        self._tell_even(run)
        windows, unsuitable = dict(self.windows), list[str]()
        for name in self.moved(data.schema):
            facts = _facts(data, name) if data.schema[name].numeric else None
            if facts is None:  # no amounts, nothing there, or all the same
                windows.setdefault(name, self._plain_window(data.schema, name, found))
                continue
            by_sd, by_mean = facts
            if by_sd > WIDE_FOR_SD or (by_mean is not None and by_mean > WIDE_FOR_MEAN):
                unsuitable.append(name)
            run.note("restricted", column=name, range_by_sd=by_sd, range_by_mean=by_mean)
            if name not in windows:
                windows[name] = self.window or self._window(data, name, run, found)
        found.raise_as(InfeasibleError)
        return fitted.model_copy(update={"windows": windows, "unsuitable": tuple(unsuitable)})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the values exchanged; the holder is told where ranks do not suit."""
        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        if self.unsuitable:
            caution = "very skewed columns: neighbours in rank differ much among the large and hardly among the small"
            run.note("restricted", caution=caution, columns=list(self.unsuitable))
        return super().apply(data, run)

    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """Column by column; who finds nobody free within the window stays."""
        import numpy as np

        from schleier.kernels.change.exchange import rank_swapped

        places = {}
        for name, values in seen.items():
            who, window = self.moving(values), self.windows[name]
            if len(who) == len(values):  # ten million records need no copy
                place, _ = rank_swapped(values, window, rng)
            else:
                place = np.arange(len(values))
                place[who] = who[rank_swapped(values[who], window, rng)[0]]
            places[name] = place
        return places

    def _plain_window(self, schema: Schema, name: str, found: Problems) -> float:
        """The window where none can be computed: numbered categories need one that is said."""
        if self.window is None and not schema[name].numeric:
            message = f"column '{name}' holds categories: their numbers have no mean or spread to aim at"
            found.add("no-window", "window", message, "say window")
        return self.window or 100.0

    def _tell_even(self, run: Run) -> None:
        """What the target comes to on values that spread evenly, for which the formulas were made."""
        import numpy as np

        from schleier.kernels.change.exchange import swap_effect, window_for_change, window_for_correlation

        if self.window is not None:
            return
        even = np.linspace(0.0, 1.0, EVEN)
        by_sd = window_for_correlation(self.correlation or 0, float(even.std()), 1.0)
        window = by_sd if self.correlation is not None else window_for_change(self.change or 0, 0.5, 1.0)
        if window <= 100:
            kept, change = swap_effect(even, window, np.random.Generator(np.random.Philox(key=0)))
            self._tell_less(run, kept, change)

    def _tell_less(self, run: Run, kept: float, change: float, column: str | None = None) -> None:
        """Note that values change less than asked; for everybody where the target is public and not a column."""
        asked = self.change if self.correlation is None else self.correlation
        reached = round(change if self.correlation is None else kept, 2)
        less = reached < (asked or 0) if self.correlation is None else reached > self.correlation
        if not less:
            return
        if column is not None:
            caution = "values change less than was asked for: say window, or a stronger target"
            run.note("restricted", caution=caution, column=column, asked=asked, expected=reached)
        elif set(self.public) & {"correlation", "change"}:
            run.note(on_even_values=Design(reached))

    def _window(self, data: Dataset, name: str, run: Run, found: Problems) -> float:
        """Moore's window for the target; the same on every engine, as the sums are over sorted numbers."""
        import numpy as np

        from schleier.kernels.change.exchange import swap_effect, window_for_change, window_for_correlation
        from schleier.kernels.statistics.moments import moments

        values = data.engine.arrays(data.frame.select(name)).column(name).to_numpy()
        values = np.asarray(values, dtype=np.float64)
        span = float(np.nanmax(values) - np.nanmin(values))
        held = moments(values, np.ones(len(values)), ())
        if self.correlation is not None:
            window = window_for_correlation(self.correlation, held.sd, span)
        else:
            window = window_for_change(self.change or 0, held.mean, span)
        if 0 < window <= 100:
            kept, change = swap_effect(values[~np.isnan(values)], window, run.rng(f"remark:{name}"))
            self._tell_less(run, kept, change, column=name)
        if not 0 < window <= 100:
            message = f"the target would need a window of more than all records of '{name}', or of none"
            found.add("no-window", "change" if self.correlation is None else "correlation", message, "say window")
        return window


def _facts(data: Dataset, name: str) -> tuple[float, float | None] | None:
    """Range by sd, and range by mean where no value is negative: the diagnosis U16; for notes only."""
    import narwhals as nw

    value = nw.col(name).cast(nw.Float64)
    found = data.totals(low=value.min(), high=value.max(), mean=value.mean(), sd=value.std(ddof=0))
    if found["low"] is None or not found["high"] > found["low"] or not found["sd"]:
        return None
    span = found["high"] - found["low"]
    by_mean = round(span / found["mean"], 3) if found["low"] >= 0 and found["mean"] else None
    return round(span / found["sd"], 3), by_mean
