"""Whole units are suppressed, which may make classes fail that were good: until nothing changes any more."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from schleier.core.criterion import Breach
from schleier.core.engine import Engine, Source
from schleier.core.errors import InfeasibleError, Problem
from schleier.core.packing import packed
from schleier.search._goals import WAY_OUT, Demand, request_of
from schleier.search._stages import Stage

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.search._optimum import Search
    from schleier.search.coarsen import Coarsen

Step = TypeVar("Step", bound="Coarsen")
Choose = Callable[["Search"], tuple[Step, dict[str, Any]]]
"""The step with the levels that a search found, and what is told of it."""
SHARES = (1.0, 0.5, 0.25, 0.1, 0.0)
"""Of the records that may be suppressed: what the search may use, so that there is room for the rest of their units."""
FACTORS = (2, 4, 8, 16, 32)
"""Records of a class for each unit it must hold: more of them where fewer do not do."""


def attempts(search: Search) -> Iterator[tuple[int, int]]:
    """Records a class must hold, and records that may be suppressed: what to try one after the other."""
    budgets = list(dict.fromkeys(int(share * search.budget) for share in SHARES))
    yield from ((search.least, budget) for budget in budgets)
    by_units = [demand for demand in search.demands if any(request.units for request in demand.requests)]
    least = max((demand.limits.least for demand in by_units), default=0)
    if least:
        yield from ((factor * least, budget) for factor in FACTORS for budget in budgets)


def with_whole_units(data: Dataset, search: Search, choose: Choose[Step], run: Run) -> tuple[Step, dict[str, Any]]:
    """A choice whose suppressed records, with all rows of their units, are not too many, and what is told of it."""
    told: list[int] = []
    found: list[tuple[Step, dict[str, Any]]] = []
    unlike: InfeasibleError | None = None
    start, seconds = time.process_time(), search.seconds
    crowd = _Crowd(data, search)
    tried = list(attempts(search))
    for least, budget in tried:
        late = seconds is not None and time.process_time() - start > seconds
        if found and (late or least > search.least):
            break
        if late and (least, budget) != tried[-1]:
            continue  # the last one asks for so many records that it is the likeliest to hold
        try:
            # The time is for all attempts: a search for records is only the first part of each.
            part = None if seconds is None else seconds / len(SHARES)
            fitted, facts = choose(replace(search, budget=budget, least=least, seconds=part))
        except InfeasibleError:
            if not told and not found and unlike is None:
                raise
            continue
        if (least_gone := crowd.surely_gone(fitted)) > search.budget:
            told.append(least_gone)
            continue
        stages, extra = settled(fitted, data, search.demands, run)
        records = (fitted.suppressed_records or 0) + extra
        if records > search.budget:
            told.append(records)
            continue
        kept = tuple(packed(stage.combinations) for stage in stages if stage.kept is not None)
        whole = fitted.model_copy(update={"suppressed_records": records, "kept": kept})
        if (problem := _unlike(whole, stages, data, search.demands, run)) is not None:
            unlike = InfeasibleError(problem)
            continue
        # The proof is about records; what whole units cost more is at most all their cells.
        loss = min(1.0, facts["loss"] + extra / max(search.classes.records, 1))
        proven = {"proven": False} if extra or budget < search.budget or least > search.least else {}
        found.append((whole, facts | proven | {"loss": loss, "suppressed_with_their_unit": extra}))
    if found:
        return min(found, key=lambda one: float(one[1]["loss"]))
    if unlike is not None:
        raise unlike
    message = f"rows of one unit are suppressed together, which makes at least {min(told)} records"
    hint = f"{search.budget} are allowed: allow more (max_suppressed), or give the keys coarser levels"
    raise InfeasibleError(Problem("too-many-units", "max_suppressed", message, hint))


@dataclass
class _Crowd:
    """How many units are in classes, counted once: quick to ask before the rows are labelled and counted anew."""

    data: Dataset
    search: Search

    def surely_gone(self, step: Coarsen) -> int:
        """Records in classes of too few units; when others are suppressed, these hold fewer still."""
        import numpy as np

        if step.further or not self.demands:
            return 0
        table = self.table.at([*(step.levels or {}).values()])
        bad = np.any([demand.criterion.bad(table) for demand in self.demands], axis=0)
        return int(table.sizes[bad].sum())

    @cached_property
    def demands(self) -> list[Demand]:
        """Those that ask for units in each class of all keys, and whose bad classes no smaller part makes good."""
        keys = self.search.classes.keys
        asked = (one for one in self.search.demands if one.criterion.hereditary and one.is_plain(keys))
        return [one for one in asked if all(request.units for request in one.requests)]

    @cached_property
    def table(self) -> Classes:
        request = request_of(self.search.classes.keys, self.demands)
        known = self.data.classes(replace(request, members=True, compositions=()))
        return replace(known, hierarchies=self.search.classes.hierarchies)


def _unlike(
    step: Coarsen, stages: tuple[Stage, ...], data: Dataset, demands: Sequence[Demand], run: Run
) -> Problem | None:
    """What a criterion on whole units says of the rows that would be released, where it does not hold.

    The search saw units without their suppressed rows; they are suppressed as a whole.
    """
    asked = [demand for demand in demands if any(request.compositions for request in demand.requests)]
    if not asked:
        return None
    left = step.labelled(data, run, stages, step.suppressed)
    verdicts = (demand.criterion.check(left) for demand in asked)
    failed = next((verdict for verdict in verdicts if not verdict.holds), None)
    return None if failed is None else Breach("unreachable", "criteria", failed.text, WAY_OUT, failed)


def settled(step: Coarsen, data: Dataset, demands: Sequence[Demand], run: Run) -> tuple[tuple[Stage, ...], int]:
    """The stages of a step with only those combinations that stay good, and how many more records are suppressed.

    Distinct units do not roll up, so the search counted records. Here the rows that would be released are counted anew,
    by units where a criterion asks for them; combinations that fail are suppressed too, with all rows of their units.
    """
    stages = step.stages
    keys = tuple(step.levels or {})
    while True:
        left = step.labelled(data, run, stages, step.suppressed)
        table = left.classes(replace(request_of(keys, demands), compositions=()))
        bad = _failing(left, table, demands, blank=step.suppressed == "blank")
        if not bad.any():
            released = left if step.suppressed == "drop" else step.labelled(data, run, stages, "drop")
            return stages, data.rows - released.rows - int(step.suppressed_records or 0)
        fewer = _without(stages, table, bad, data.engine)
        if sum(_many(stage) for stage in fewer) == sum(_many(stage) for stage in stages):
            message = "whole units cannot be suppressed so that the criteria hold"
            raise InfeasibleError(Problem("too-many-units", "criteria", message, "leave local out, or coarsen first"))
        stages = fewer


def _many(stage: Stage) -> float:
    return math.inf if stage.kept is None else len(stage.kept)


def _failing(left: Dataset, table: Classes, demands: Sequence[Demand], *, blank: bool) -> NDArray[np.bool_]:
    """Classes that fail; blank records cannot become any blanker, whatever is said of them."""
    import numpy as np

    bad = np.zeros(len(table), dtype=np.bool_)
    for demand in demands:
        by_units = [request for request in demand.requests if request.units and request.keys != table.keys]
        if not by_units:
            bad |= demand.bad(table)
        for request in by_units:  # units of merged classes must be counted anew
            part, place = table.onto(request.keys)
            counted = left.classes(request_of(request.keys, [demand]))
            bad |= demand.criterion.bad(replace(part, units=counted.units))[place]
    return bad & ~_empty(table) if blank else bad


def _empty(table: Classes) -> NDArray[np.bool_]:
    import numpy as np

    return np.asarray((table.codes < 0).all(axis=1))


def _without(stages: Sequence[Stage], table: Classes, bad: NDArray[np.bool_], engine: Engine) -> tuple[Stage, ...]:
    """The stages without some combinations; a stage that took everything takes what is left of the table."""
    import pyarrow as pa

    failing, good = pa.table(table.only(bad).combinations()), pa.table(table.only(~bad).combinations())
    lost = set(_words(failing, table.keys, engine))
    found = []
    for stage in stages:
        if stage.kept is None:
            found.append(replace(stage, kept=good))
        else:
            stay = pa.array([one not in lost for one in _words(stage.kept, table.keys, engine)], pa.bool_())
            found.append(replace(stage, kept=stage.kept.filter(stay)))
    return tuple(found)


def _words(table: pa.Table, names: Sequence[str], engine: Engine) -> list[tuple[str | None, ...]]:
    """The combinations as text, written by the engine: Arrow writes some numbers in another way."""
    import narwhals as nw

    if not len(table):
        return []
    numbered = table.select(list(names)).append_column("_row_", [list(range(len(table)))])
    frame = engine.read(Source(numbered)).sort("_row_").select(*(nw.col(name).cast(nw.String) for name in names))
    written = engine.arrays(frame)
    return list(zip(*(written[name].to_pylist() for name in names), strict=True))
