"""Blank rare combinations of values (Höhne T08, local suppression)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.component import counted, secret
from schleier.core.errors import InfeasibleError, stop
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.packing import packed, unpacked
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import FOUND, Rewrite, Typed, lookup_of, quoted
from schleier.core.traces import Traces
from schleier.methods._drawn_rows import DRAWN, draw_rows, with_drawn

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

KEPT = "_kept_"


class SuppressRare(Method):
    """Blank cells of records whose combination of ``columns`` occurs fewer than ``min_count`` times.

    >>> SuppressRare(columns=["age", "region"], min_count=3).min_count
    3
    """

    counts: ClassVar[frozenset[str]] = frozenset({"blanked", "blanked_records"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.2 Unterdrückung einzelner Werte (T08)"
    traces: ClassVar[Traces] = frozenset({"gap"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A3",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["sex", "children", "schooling"], "min_count": 8}

    columns: tuple[str, ...] = Field(min_length=1, max_length=62)
    """The columns whose combinations are counted; missing is a value of its own."""
    min_count: int = Field(ge=2)
    """Afterwards every combination occurs at least so many times, in so many units where the table has units."""
    target: tuple[str, ...] = ()
    """Those of the columns that are blanked; all of them when empty."""
    further: Literal["combination", "drawn"] = "combination"
    """Whom a gap that would be lonely gets as company: the next smallest combination as a whole, or as few records as
    are needed, drawn from combinations that stay common without them."""
    blanked: int | None = None
    """Learned: number of records that lost values."""
    kept: str | None = secret(None)
    """Learned: the combinations that stay, as a compressed Arrow table in base64; all others are blanked."""
    drawn: str | None = secret(None)
    """Learned: combinations of which some records were drawn, and up to which draw, in the same form."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        for name in ("columns", "target"):
            if len(set(getattr(self, name))) != len(getattr(self, name)):
                raise ValueError(f"{name} must differ")
        if not set(self.target) <= set(self.columns):
            raise ValueError("target must be among the columns: to blank others makes no combination less rare")
        return self

    @field_validator("kept", "drawn")
    @classmethod
    def _readable(cls, kept: str | None) -> str | None:
        if kept is not None:
            unpacked(kept)
        return kept

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return self.columns

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the combinations and learn which stay: one pass over the rows."""
        import numpy as np

        if self.blanked is not None:
            return self
        from schleier.kernels.classes.coding import MISSING
        from schleier.kernels.classes.rare import parted

        unit = next(iter(data.schema.having("unit")), None)
        # Records that steps added hide nobody, nor do several records of one unit.
        classes = data.genuine().classes(Request(keys=self.columns, units=unit, members=unit is not None))
        blanked = [self.columns.index(name) for name in self.target or self.columns]
        codes = classes.codes.copy()
        if self.kept is not None:  # learned from other rows: what was not common there is as good as blank here
            codes[np.ix_(np.flatnonzero(~_known(classes, unpacked(self.kept))), np.array(blanked))] = MISSING
        members = None if classes.members is None else (classes.members.classes, classes.members.units)
        rng = run.rng("further") if self.further == "drawn" else None
        keep, helpless, take = parted(codes, classes.sizes, blanked, self.min_count, members, rng)
        if helpless.any():
            rows, hint = int(classes.sizes[helpless].sum()), "lower min_count, coarsen the columns"
            hint += ", or blank more columns" if self.target else ""
            message = f"{rows} records stay rarer than {self.min_count} whatever is blanked"
            stop(InfeasibleError, "too-rare", "min_count", message, hint)
        lost = ~keep & (classes.codes[:, blanked] != -1).any(axis=1)
        if lost.any() and not keep.any():
            columns = counted(len(self.columns), "column")
            message = f"no combination of {columns} occurs {self.min_count} times: all would be blanked"
            stop(InfeasibleError, "all-rare", "min_count", message, "coarsen the columns first, or look at fewer")
        blank = int(classes.sizes[lost].sum())
        update: dict[str, object] = {"kept": packed(classes.only(keep).combinations()), "drawn": None}
        if take.any():
            donors, single = draw_rows(data.genuine(), run, classes.only(take > 0).combinations(), take[take > 0])
            update["drawn"], blank = packed(donors), blank + single
        return self.model_copy(update=update | {"blanked": blank})

    def again(self) -> Self:
        """Count anew: a combination stays on other rows if it was common then and is common there."""
        return self.model_copy(update={"blanked": None})

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """A lookup of the combinations that stay; single records that were drawn cannot be told by their values."""
        if self.drawn is not None:
            return None
        values = {name: Typed(quoted(name), types[name]) for name in self.columns}
        lookup = lookup_of(unpacked(self.kept or ""), values)
        if lookup is None:
            return None
        blank = {c: Typed(f"CASE WHEN {FOUND} THEN {quoted(c)} END", types[c]) for c in self.target or self.columns}
        return Rewrite(blank, lookup=lookup)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with everything blanked that is not known to be common: one join."""
        import narwhals as nw
        import pyarrow as pa

        if self.kept is None or self.blanked is None:
            return self.fit(data, run).apply(data, run)
        table = unpacked(self.kept)
        table, known = table.append_column(KEPT, pa.repeat(1, len(table))), ~nw.col(KEPT).is_null()
        if self.drawn is not None:
            data = with_drawn(data, run, unpacked(self.drawn))
            known &= ~nw.col(DRAWN)
        blank = {name: nw.when(known).then(nw.col(name)) for name in self.target or self.columns}
        run.note(columns=list(self.columns), blanked_records=self.blanked)
        result = matched(data, table, self.columns).mutate(**blank)
        return replace(result, frame=result.frame.drop(KEPT, *([DRAWN] if self.drawn is not None else [])))


def _known(classes: Classes, kept: pa.Table) -> NDArray[np.bool_]:
    """Which combinations are among those of a table."""
    import numpy as np

    known = set(zip(*(column.to_pylist() for column in kept.select(classes.keys).itercolumns()), strict=True))
    found = zip(*(column.to_pylist() for column in classes.combinations().values()), strict=True)
    return np.fromiter((combination in known for combination in found), dtype=bool, count=len(classes.sizes))
