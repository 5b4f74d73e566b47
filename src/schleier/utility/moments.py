"""Whether means, spread, shape and quantiles of the numeric columns are still what they were (Höhne U1-U5, U10)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.amount import LEAST, count_units, enough, farthest, settle_all
from schleier.core.measure import Case, Finding, Section
from schleier.utility._comparison import NOTHING, Comparison, ComparisonOutcome, relative
from schleier.utility._parts import Part, part_of, subgroups

if TYPE_CHECKING:
    from schleier.core.run import Run
    from schleier.kernels.statistics.moments import Moments as Found

UNSEEN = 0.0005
"""A move that three decimals do not show."""
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
CELLS = 20_000_000
"""Cells of a file that are held at once; of one with more rows a column."""
RELATIVE = ("mean", "sd", "skewness", "excess", "range")


class Moments(Comparison):
    """Largest move of a column's mean, in standard deviations of the original.

    >>> Moments(columns=["income"], weighted=True).weighted
    True
    """

    section: ClassVar[Section] = "moments"
    released_detail: ClassVar[tuple[str, ...]] = ("columns.*.after",)
    reference: ClassVar[str] = (
        "Höhne (2010), 2 Überblick: preservation of means and distribution; Zielsetzung (deviations); U1-U5, U10"
    )
    example: ClassVar[dict[str, object]] = {}

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare column by column."""
        before, signed, groups, left_out = {}, {}, {}, 0
        detail: dict[str, Any] = {}
        for name, *parts in self._columns(case):
            old, new = (_found(part, name) for part in parts)
            before[name], after = _told(old), _told(new)
            signed[name] = _errors(old, new)
            deviation = {what: _apart(value, after[what]) for what, value in before[name].items()}
            detail[name] = {"difference": _coarse(_difference(old, new)), "after": after, "deviation": deviation}
            detail[name]["moves"] = _moves(old, new, min(_units(part, name) for part in parts))
            if self._by(case):
                pairs, left_out = subgroups(parts[0], parts[1], self.least)
                groups[name] = [_difference(_found(a, name), _found(b, name)) for a, b in pairs]
        run.note("restricted", before=before, relative=_plain(signed), average=_averages(signed), subgroups=groups)
        return self._told(detail, groups, left_out)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """The same from what the release shows: moves in standard deviations, on grids that hide every unit."""
        if case.original is case.released:
            return exact
        some = case.visible.records >= LEAST
        case = case.shown()
        detail, groups, withheld, left_out = dict[str, Any](), dict[str, Any](), list[str](), 0
        for name, old, new in self._columns(case):
            if not enough(old.numbers[name], old.units, old.weights):
                withheld.append(name)
                continue
            moves = _settled(old, new, name)
            detail[name] = {
                "difference": moves["mean"],
                "after": exact.detail["columns"][name]["after"],
                "moves": moves,
            }
            if self._by(case):
                pairs, left_out = subgroups(old, new, self.least)
                groups[name] = [_settled(a, b, name)["mean"] for a, b in pairs]
        if withheld and not detail:
            return None
        told = self._told(detail, groups, left_out, withheld)
        # What was left out by chance moves means too, but nothing may be computed from it.
        return told.model_copy(update={"detail": told.detail | {"released_only": True}}) if some else told

    def _columns(self, case: Case) -> Iterator[tuple[str, Part, Part]]:
        """The columns of both files, as many in memory at a time as are small together."""
        names, by = self.numbers(case), self._by(case)
        width = max(1, CELLS // max(case.original.rows, case.released.rows, 1))
        for start in range(0, len(names), width):
            some = names[start : start + width]
            both = [part_of(data, some, [], by, weighted=self.weighted) for data in (case.original, case.released)]
            for name in some:
                yield name, both[0].of([name]), both[1].of([name])

    def _told(
        self, detail: dict[str, Any], groups: dict[str, Any], left_out: int, withheld: Sequence[str] = ()
    ) -> Finding:
        facts: dict[str, Any] = {"columns": detail, "weighted": self.weighted}
        facts |= {"withheld": list(withheld)} if withheld else {}
        facts["not_comparable"] = [name for name, move in detail.items() if move["difference"] is None]
        if self.by:
            every = [[v for v in one if v is not None] for one in zip(*groups.values(), strict=True)]
            worst = [max(known) for known in every if known]
            facts["by"] = {"columns": list(self.by), "groups": len(worst), "left_out": left_out}
            facts["by"] |= {"worst": _coarse(max(worst, default=None))}
            facts["by"] |= {"median": _coarse(statistics.median(worst) if worst else None)}
        differences = {name: move["difference"] for name, move in detail.items() if move["difference"] is not None}
        outcome = ComparisonOutcome(max(differences.values(), default=None), {"columns": differences})
        text, value = self.said(outcome) + self._grouped(facts), outcome.value or 0.0
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=facts)

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """The columns of two parts that are in memory."""
        moves = {name: _difference(_found(old, name), _found(new, name)) for name in old.numbers}
        known = {name: move for name, move in moves.items() if move is not None}
        return ComparisonOutcome(max(known.values(), default=None), {"columns": known})

    def said(self, outcome: ComparisonOutcome) -> str:
        """The largest move, and whose it is."""
        moved: dict[str, float] = outcome.detail["columns"]
        if outcome.value is None:
            return "There is no numeric column whose mean could be compared."
        means = "The mean of 1 numeric column" if len(moved) == 1 else f"The means of {len(moved)} numeric columns"
        if outcome.value < UNSEEN:
            return f"{means} did not move noticeably."
        text = f"{means} moved by at most {outcome.value:.3f} standard deviations"
        return text + f" (column '{max(moved, key=lambda name: moved[name])}')."


def _found(part: Part, name: str) -> Found:
    from schleier.kernels.statistics.moments import moments

    return moments(part.numbers[name], part.weights, SHARES)


def _difference(old: Found, new: Found) -> float | None:
    """How far the mean moved; in means where the original does not spread, and as it is where that is zero too."""
    unit = old.sd or abs(old.mean) or 1.0
    found = abs(new.mean - old.mean) / unit
    return found if math.isfinite(found) else None


def _moves(first: Found, second: Found, units: int) -> dict[str, float | None]:
    """How far statistics moved, in standard deviations of the original; the deviation itself as a share of it.

    No quantile with fewer than ten units beyond it, and nothing about the ends of a column.
    """
    unit = first.sd or abs(first.mean) or 1.0
    far = {"mean": _difference(first, second), "sd": abs(second.sd - first.sd) / unit}
    for share, a, b in zip(SHARES, first.quantiles, second.quantiles, strict=True):
        if min(share, 1 - share) * units >= LEAST:
            far[f"quantile {share}"] = abs(b - a) / unit
    far["missing"] = abs(second.missing - first.missing)
    return {what: value if value is not None and math.isfinite(value) else None for what, value in far.items()}


def _settled(old: Part, new: Part, name: str) -> dict[str, Any]:
    """Moves on grids that hide every unit; both columns are put in order once, whoever is left out."""
    import numpy as np

    from schleier.kernels.statistics.moments import Ordered, of_ordered

    values, weights = old.numbers[name], old.weights
    whole = Ordered.of(values, weights)
    after = of_ordered(Ordered.of(new.numbers[name], new.weights), SHARES, shape=False)
    before, others = _units(old, name), _units(new, name)

    def without(unit: int) -> dict[str, float | None]:
        mask = old.units == unit
        counted = before - int(np.isfinite(values[mask]).any())
        left = whole.without(values[mask], weights[mask])
        return _moves(of_ordered(left, SHARES, shape=False), after, min(counted, others))

    found = _moves(of_ordered(whole, SHARES, shape=False), after, min(before, others))
    settled: dict[str, Any] = settle_all(found, [without(unit) for unit in farthest(values, old.units, weights)])
    return settled


def _units(part: Part, name: str) -> int:
    import numpy as np

    return count_units(part.units[np.isfinite(part.numbers[name])])


def _errors(old: Found, new: Found) -> dict[str, float]:
    """Signed errors as shares of the original (U1-U5)."""
    return {what: relative(getattr(old, what), getattr(new, what)) for what in RELATIVE}


def _told(found: Found) -> dict[str, float | None]:
    quantiles = {f"quantile {share}": value for share, value in zip(SHARES, found.quantiles, strict=True)}
    told: dict[str, Any] = {"mean": found.mean, "sd": found.sd, **quantiles, "missing": found.missing}
    told |= {what: getattr(found, what) for what in RELATIVE[2:]}
    return {what: value if math.isfinite(value) else None for what, value in told.items()}


def _plain(errors: dict[str, dict[str, float]]) -> dict[str, dict[str, float | None]]:
    return {n: {what: v if math.isfinite(v) else None for what, v in one.items()} for n, one in errors.items()}


def _averages(errors: dict[str, dict[str, float]]) -> dict[str, float | None]:
    """The parts of the objective of controlled noise: alpha times the mean's, 1 - alpha times the other's (U10)."""
    found = {what: [abs(e[what]) for e in errors.values() if math.isfinite(e[what])] for what in ("mean", "sd")}
    return {what: math.fsum(known) / len(known) if known else None for what, known in found.items()}


def _apart(old: float | None, new: float | None) -> float | None:
    """The distance without its sign, to the third digit of the released statistic.

    Not of the distance: that of a small distance would give the original statistic to many digits.

    >>> _apart(1234.5, 1271.3), _apart(1234.5, 1235.0), _apart(25.04, 0.0)
    (40.0, 0.0, 25.0)
    """
    if old is None or new is None:
        return None
    apart, scale = abs(new - old), max(abs(new), abs(new - old))
    if apart <= NOTHING:
        return 0.0
    digits = 2 - math.floor(math.log10(scale))
    return float(round(apart, digits))


def _coarse(difference: float | None) -> float | None:
    """A distance in standard deviations, to thousandths of one: they are the unit, so these are its three digits."""
    return None if difference is None else round(difference, 3)
