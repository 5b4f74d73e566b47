"""Alternatives for a file: how much detail each level of protection costs, found by a search for the best levels."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schleier.core.classes.request import Request
from schleier.core.criterion import Criterion
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, Problem
from schleier.core.pieces import made
from schleier.core.run import Listener, Run, silence
from schleier.flow.memory import CachedDataset

SECONDS, TOGETHER, LEAST = 10.0, 30.0, 1.0
"""Seconds of computing the search for one alternative may take, all of them may, and one gets in any case.

What a search found by then is shown as not proven.
"""


@dataclass(frozen=True)
class Risk:
    """What an outsider who knows the keys of everybody can do with a table."""

    records: int
    unique: float
    """Share of the records that stand alone: in a class of one record, or of one unit."""
    highest: float
    """Largest probability to find a record: one by the size of the smallest class."""
    average: float
    """Mean probability to find a record."""

    @property
    def expected(self) -> float:
        """Records that are found by guessing in every class: one for each class, or all those of one unit."""
        return self.average * self.records


@dataclass(frozen=True)
class Alternative:
    """One level of protection: what it leaves of risk, what it costs, or why it cannot be reached."""

    k: int
    max_suppressed: float
    risk: Risk | None = None
    loss: float = 0.0
    """Share of the information in the keys that is lost."""
    left_out: int = 0
    """Records that are left out."""
    levels: tuple[tuple[str, int, int], ...] = ()
    """Each key with its level, and the level at which nothing is left of it."""
    proven: bool = True
    """Whether there is no better choice of levels."""
    records: int = 0
    """Records the search asked of a class, where that had to be more than k to find k units."""
    nodes: int = 0
    """Choices of levels there are."""
    looked_at: int = 0
    """Choices of levels that the search looked at."""
    alike: int | None = None
    """Units that are alike as a whole, at least; nothing where there are no units."""
    problems: tuple[Problem, ...] = ()

    @property
    def works(self) -> bool:
        """Whether it can be reached."""
        return self.risk is not None


def alternatives(
    data: Dataset,
    criteria: Sequence[Criterion],
    wanted: Iterable[tuple[int, float]],
    listener: Listener = silence,
) -> list[Alternative]:
    """The best choice of levels for each pair of a smallest class and a share that may be left out.

    Every criterion that asks for a smallest class takes this one; all others stay as they are.

    >>> import pyarrow as pa
    >>> from schleier.core.schema import Column, Schema
    >>> age = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
    >>> schema = Schema(columns=[age], hierarchies={"age": {"intervals": [5, 10]}})
    >>> data = Dataset.from_frame(pa.table({"age": list(range(20, 40))}), schema)
    >>> five, many = alternatives(data, [made("records_alike", k=2)], [(5, 0.0), (30, 0.0)])
    >>> five.levels, five.risk.highest, many.works
    ((('age', 1, 3),), 0.2, False)
    """
    shared, listed, clock = CachedDataset.of(_learned(data)), list(wanted), _Clock()
    found = [
        _found(shared, criteria, k, share, clock.for_one_of(len(listed) - i), listener)
        for i, (k, share) in enumerate(listed)
    ]
    return [_no_worse(one, found) for one in found]


def _learned(data: Dataset) -> Dataset:
    """The data with hierarchies that have learned from them: once, not in every search."""
    import narwhals as nw

    columns = Counter(column.hierarchy for column in data.schema)
    hierarchies = dict(data.schema.hierarchies)
    for column in data.schema:
        label = column.hierarchy or ""
        if label in hierarchies and hierarchies[label].learns and columns[label] == 1:
            hierarchies[label] = hierarchies[label].fit(*data.counts(nw.col(column.name)))
    return data.described(data.schema.model_copy(update={"hierarchies": hierarchies}))


def _no_worse(one: Alternative, found: Sequence[Alternative]) -> Alternative:
    """An alternative, or what a search for stricter demands found where that loses less: it meets this one, too."""
    stricter = [o for o in found if o.works and o.k >= one.k and o.max_suppressed <= one.max_suppressed]
    best = min(stricter, key=lambda other: other.loss, default=one)
    if one.works and best.loss >= one.loss:
        return one
    return replace(best, k=one.k, max_suppressed=one.max_suppressed, proven=False) if best.works else one


class _Clock:
    """What is left of the time for all alternatives; what one does not need the others get."""

    def __init__(self) -> None:
        self.end = time.process_time() + TOGETHER

    def for_one_of(self, left: int) -> _Turn:
        """The time of the next of so many alternatives."""
        seconds = min(max((self.end - time.process_time()) / left, LEAST), SECONDS)
        return _Turn(seconds, time.process_time() + seconds)


@dataclass(frozen=True)
class _Turn:
    """The time of one alternative, which may need several searches."""

    seconds: float
    end: float

    @property
    def over(self) -> bool:
        return time.process_time() > self.end

    def search(self, share: float) -> Any:
        """A search for levels: where they are too many to look at, for good ones."""
        left = max((self.end - time.process_time()) / 2, self.seconds / 4)
        return made("least_coarse", max_suppressed=share, time_limit=left, heuristic=True)


def risk_of(data: Dataset) -> Risk:
    """The risk of a table on all its quasi-identifiers.

    Rows of one unit do not hide each other: where there are units, the size of a class is the number of its units.
    """
    unit = next(iter(data.schema.having("unit")), None)
    classes = data.classes(Request(keys=data.schema.quasi, units=unit))
    records, sizes = classes.records, classes.sizes
    if not records:
        return Risk(0, 0.0, 0.0, 0.0)
    # Rows without a unit add none; where a class has no other, they count as one.
    hidden = sizes if classes.units is None else classes.units.clip(1)
    alone, expected = int(sizes[hidden == 1].sum()), float((sizes / hidden).sum())
    return Risk(records, alone / records, 1 / int(hidden.min()), expected / records)


def _found(
    data: Dataset, criteria: Sequence[Criterion], k: int, share: float, turn: _Turn, listener: Listener
) -> Alternative:
    """The best choice for one demand; where units are counted, the first that reaches it."""
    demands = tuple(criterion.with_smallest(k) for criterion in criteria)
    if not any(one.counts_units(data.schema) for one in demands):
        return _searched(data, demands, k, share, turn, listener)
    rough = tuple(one for one in demands if not one.counts_units(data.schema))
    many = list(_records(data, k))
    for records in many:
        if turn.over and records != many[-1]:
            continue  # the last one surely holds enough units
        asked = made("records_alike", k=records, count="records")
        if not turn.over and not _near(data, (asked, *rough), k, share, turn, listener):
            continue
        more = (asked,) if records > k else ()
        found = _searched(data, (*more, *demands), k, share, turn, listener)
        if found.works:
            return replace(found, records=records if more else 0, proven=found.proven and not more)
    return _searched(data, demands, k, share, turn, listener)


def _records(data: Dataset, k: int) -> Iterator[int]:
    """Records to ask of a class, few first: a search that is asked for units looks for records, and counts units last.

    A class of k times as many records as the largest unit has surely holds k units.
    """
    import narwhals as nw

    _, rows = data.counts(nw.col(data.schema.having("unit")[0]))
    asked, most = k, k * int(rows.max(initial=1))
    yield asked
    while asked < most:
        asked = min(asked * 3 // 2, most)
        yield asked


def _near(
    data: Dataset, criteria: tuple[Criterion, ...], k: int, share: float, turn: _Turn, listener: Listener
) -> bool:
    """Whether a search for records leaves no more records in classes of too few units than may be left out."""
    unit = data.schema.having("unit")[0]
    # Quick, not exact: as if units were a plain column, whose other records are not suppressed with one of them.
    single = data.described(data.schema.changed(unit, role="plain"))
    try:
        fitted = turn.search(share).fit(single, Run(criteria=criteria, listener=listener))
    except InfeasibleError:
        return False
    known = data.classes(Request(keys=tuple(fitted.levels), units=unit, members=True))
    learned = tuple(fitted.hierarchies.get(name) for name in fitted.levels)
    table = replace(known, hierarchies=learned).at([*fitted.levels.values()])
    few = int(table.sizes[table.units < k].sum()) if table.units is not None else 0
    return bool(max(few, fitted.suppressed_records or 0) <= share * data.rows)


def _searched(
    data: Dataset, criteria: tuple[Criterion, ...], k: int, share: float, turn: _Turn, listener: Listener
) -> Alternative:
    # The one place that knows how a search is asked: once it can answer for several demands at once, ask it here.
    run = Run(criteria=criteria, listener=listener)
    try:
        with run.progress(f"searching: k = {k}, {share:.0%}"):
            fitted = turn.search(share).fit(data, run)
            after = fitted.apply(data, run)
            risk = risk_of(after)
    except InfeasibleError as error:
        return Alternative(k, share, problems=tuple(error.problems))
    told = {name: value for note in run.notes for name, value in note.facts.items()}
    depths = {name: h.depth for name, h in fitted.hierarchies.items()}
    levels = tuple((name, level, depths.get(name, 0)) for name, level in fitted.levels.items())
    # The proof is about records: rows that are left out with their unit are not in it.
    proven = told["proven"] and not told.get("suppressed_with_their_unit")
    alike = _alike(after)
    seen = {"nodes": told["nodes"], "looked_at": told["looked_at"]}
    return Alternative(k, share, risk, told["loss"], data.rows - risk.records, levels, proven, alike=alike, **seen)


def _alike(data: Dataset) -> int | None:
    """The smallest number of units that are alike as a whole."""
    unit = next(iter(data.schema.having("unit")), None)
    if unit is None:
        return None
    classes = data.classes(Request(keys=data.schema.quasi, units=unit, compositions=("category",)))
    return classes.composed("category").smallest
