"""Whoever knows up to m items of a set finds at least k records that hold them, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.histogram import Histogram
from schleier.core.classes.request import Request
from schleier.core.classes.table import Classes, sorted_codes
from schleier.core.criterion import Verdict, stricter
from schleier.core.errors import DataError, Problem, stop
from schleier.core.schema import Schema
from schleier.core.sets import holds_lists, starts
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import outcome, verdict

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.kernels.classes.itemsets import Sets, Supports


@dataclass(frozen=True)
class SetCounts:
    """The entries of a histogram of sets, and how rare the combinations in them are."""

    classes: NDArray[np.int64]
    records: NDArray[np.int64]
    """Records of each entry."""
    supports: Supports
    units: bool
    """Whether units were counted."""


class KmAnonymity(RecordCriterion):
    """Every combination of up to m items that occurs in a set-valued column occurs in at least k records, or units.

    >>> KmAnonymity(column="drugs", k=5, m=2).m
    2
    """

    reference: ClassVar[str] = "Terrovitis, Mamoulis and Kalnis (2008)"
    example: ClassVar[dict[str, object]] = {"column": "disease", "k": 3, "m": 2, "separator": ";", "within": ["age"]}

    column: str
    """The column of sets: lists of items, or text with a separator."""
    k: int = stricter("higher", ge=2)
    """Smallest number of records (or of units) allowed for a combination that occurs."""
    m: int = stricter("higher", ge=1, le=10)
    """Items an attacker may know."""
    separator: str | None = Field(default=None, min_length=1)
    """What stands between two items in a column of text; not needed for lists."""
    within: tuple[str, ...] = ()
    """Columns an attacker knows as well: combinations are counted in each of their classes; else in the whole table."""
    missing: Literal["category", "exclude"] = "category"
    """A missing value of these columns is a value of its own (category), or leaves its row out (exclude)."""

    @property
    def monotone(self) -> bool:
        """What occurs k times in one class occurs at least as often when others join it."""
        return self.missing == "category"

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column of sets and those it is counted within."""
        return tuple(dict.fromkeys((self.column, *self.within)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """A set is not one of the columns it is counted within."""
        yield from super().problems(schema)
        if self.column in self.within:
            hint = "leave it out of within"
            yield Problem("sensitive-key", "within", f"column '{self.column}' is the set and a key at once", hint)
        if self.column in schema and schema[self.column].numeric:
            hint = "read a file with lists, or text with a separator"
            yield Problem("not-a-set", "column", f"column '{self.column}' holds numbers, not sets of items", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table, with the sets of each class; where units are counted, whose they are."""
        unit = self.unit(schema)
        if unit is None or unit == self.column:
            return (Request(keys=self.within, sensitive=(self.column,), missing=self.missing),)
        return (Request(keys=self.within, joint=((self.column, unit),), missing=self.missing),)

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes with a rare combination."""
        return self._failing(self._counted(classes), len(classes))

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The rarest combination decides; the records that hold one too rare are counted."""
        import numpy as np

        (classes,) = tables
        found = self._counted(classes)
        fewest, lowest = found.supports.fewest, found.supports.lowest
        there = lowest < np.iinfo(np.int64).max
        level = float(lowest[there].min()) if there.any() else None
        result = verdict(
            self,
            tables,
            [self._failing(found, len(classes))],
            level,
            "",
            keys=(classes.keys,) if classes.keys else (),
            units=found.units,
            bad_records=int(found.records[fewest > 0].sum()),
        )
        return result.model_copy(update={"text": self._text(level, found, classes.records)})

    def _failing(self, found: SetCounts, classes: int) -> NDArray[np.bool_]:
        import numpy as np

        result = np.zeros(classes, dtype=np.bool_)
        result[found.classes[found.supports.fewest > 0]] = True
        return result

    def _text(self, level: float | None, found: SetCounts, records: int) -> str:
        if level is None:
            return "No record has an item." if records else "The table is empty."
        known = "items" if self.m > 1 else "item"
        who = ("unit" if found.units else "record") + "s" * (level != 1)
        text = f"The rarest combination of up to {self.m} {known} occurs in {level:,.0f} {who}; {self.k} are required"
        sizes = found.supports.fewest
        failing = len(set(found.classes[sizes > 0].tolist()))
        if not failing:
            return f"{text}."
        parts = [
            f"{int(found.records[sizes == size].sum())} by {size} {'item' if size == 1 else 'items'}"
            for size in range(1, self.m + 1)
            if (sizes == size).any()
        ]
        minimal = found.supports.minimal
        many = f"{minimal} combination{'' if minimal == 1 else 's'}" if minimal > 0 else "many combinations"
        text = outcome(text, failing) if self.within else f"{text}."
        return f"{text} Too rare: {many}; records found with them: {', '.join(parts)}."

    def _counted(self, classes: Classes) -> SetCounts:
        """Count the combinations within each class."""
        import numpy as np

        from schleier.kernels.classes.itemsets import MOST, supports

        spread, owned = self._spread(classes)
        owners = (sorted_codes(spread.values.field(1))[1][spread.codes] if owned else spread.codes).astype(np.int64)
        order = np.lexsort((owners, spread.classes))
        order = order[spread.codes[order] >= 0]  # a missing set has no items
        inside, rows = spread.classes[order].astype(np.int64), spread.codes[order].astype(np.int64)
        counts = spread.counts[order].astype(np.int64)
        sets = self._sets(spread.values.field(0) if owned else spread.values)
        if sets.combinations(rows, self.m) > MOST:
            message = f"there are more than {MOST:,} combinations of up to {self.m} items in column '{self.column}'"
            hint = "choose a smaller m, or take rare items and very long sets out first"
            stop(DataError, "too-many-combinations", "m", message, hint)
        bounds = np.searchsorted(inside, np.arange(len(classes) + 1)).astype(np.int64)
        if not owned:
            return SetCounts(inside, counts, supports(sets, bounds, rows, counts, self.k, self.m), units=False)
        whose = owners[order]
        found = supports(sets, bounds, rows, (whose >= 0).astype(np.int64), self.k, self.m, whose)
        return SetCounts(inside, counts, found, units=True)

    def _spread(self, classes: Classes) -> tuple[Histogram, bool]:
        """How the sets spread over the classes, and whether with the unit each is of."""
        if self.count in (None, "units"):
            for found in classes.histograms.values():
                if len(found.columns) == 2 and found.columns[0].name == self.column and found.columns[1].role == "unit":
                    return found, True
        return classes.histogram(self.column, self.missing), False

    def _sets(self, values: pa.Array) -> Sets:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        from schleier.core.hierarchy.contract import is_text
        from schleier.kernels.classes.itemsets import Sets

        if not holds_lists(values.type):
            if self.separator is None or not is_text(values.type):
                hint = "name the separator of its items, or read a file with lists (Parquet, Feather)"
                stop(DataError, "not-a-set", "column", f"column '{self.column}' does not hold lists", hint)
            values = pc.split_pattern(values.cast(pa.string()), self.separator)
        items, owner = values.flatten(), np.repeat(np.arange(len(values)), np.diff(starts(values)))
        if is_text(items.type):  # blanks around an item are none of it, and an item without a sign is none
            items = pc.utf8_trim_whitespace(items.cast(pa.string()))
            items = pc.if_else(pc.equal(items, ""), pa.scalar(None, pa.string()), items)
        return Sets.of(owner.astype(np.int64), sorted_codes(items)[1].astype(np.int64), len(values))
