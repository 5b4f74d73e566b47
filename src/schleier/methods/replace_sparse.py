"""Replace values that hardly anybody shares by those of others (bootstrap and jackknife replacement)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._donors import donated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

DRAW, NEW = "_draw_", "_new_"


class ReplaceSparse(Method):
    """Values in fields with fewer than ``min_count`` records give way to those of well-filled fields.

    >>> ReplaceSparse(column="income", min_count=5, width=500).how
    'bootstrap'
    """

    counts: ClassVar[frozenset[str]] = frozenset({"replaced"})
    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 2.1.2.2 (bootstrap, jackknife; operator A-20)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"model"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A3",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"column": "age", "min_count": 4}

    column: str
    """The column."""
    min_count: int = Field(ge=3)
    """A field with fewer records than this is thinly filled."""
    width: int | float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Width of the fields of a numeric column; every single value is a field of its own when absent."""
    how: Literal["bootstrap", "jackknife"] = "bootstrap"
    """The value of one donor drawn at random, or the mean of all donors (which the record itself is not among)."""
    donors: int = Field(default=10, ge=3)
    """So many values of well-filled fields, those nearest to the value, are the donors of a number. Of a category all
    are."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations are treated separately; missing is a value of its own."""
    replaced: int | None = None
    """Learned: number of values replaced."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        if len({self.column, *self.strata}) <= len(self.strata):
            raise ValueError("column and strata must differ")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column and the strata."""
        return (self.column, *self.strata)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Widths and means are for numbers."""
        yield from super().problems(schema)
        if self.column in schema and not schema[self.column].numeric:
            where = "width" if self.width is not None else "how"
            if self.width is not None or self.how == "jackknife":
                message = f"column '{self.column}' is {schema[self.column].scale}: it has no widths and no means"
                yield Problem("not-numeric", where, message, 'leave width out, and use how = "bootstrap"')

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the values to replace; refuse where no field of a stratum is well filled."""
        import narwhals as nw
        import numpy as np

        if self.replaced is not None:
            return self
        value = nw.col(self.column)
        field = value if self.width is None else (value.cast(nw.Float64) / float(self.width)).floor()
        named = data.filter(~value.is_null()).mutate(_field_=field)
        table = named.grouped([*self.strata, "_field_"], {"_n_": nw.len()})
        sizes = table.column("_n_").to_numpy()
        if not len(sizes):
            return self.model_copy(update={"replaced": 0})
        from schleier.core.classes.table import sorted_codes
        from schleier.kernels.classes.coding import number_rows

        codes = [sorted_codes(table.column(name))[1] for name in self.strata]
        stratum = number_rows(np.stack(codes, axis=1)) if codes else np.zeros(len(sizes), dtype=np.int64)
        full = np.bincount(stratum, weights=sizes >= self.min_count)
        helpless = int((full == 0).sum())
        if helpless:
            message = f"in {helpless} of {len(full)} strata no field of '{self.column}' holds {self.min_count} records"
            stop(InfeasibleError, "no-donors", "min_count", message, "make the fields wider, or merge strata")
        return self.model_copy(update={"replaced": int(sizes[sizes < self.min_count].sum())})

    def again(self) -> Self:
        """Count the other rows again."""
        return self.model_copy(update={"replaced": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with thinly filled fields emptied."""
        if self.replaced is None:
            return self.fit(data, run).apply(data, run)
        run.note(column=self.column, replaced=self.replaced, how=self.how)
        drawn = run.draw(data, DRAW)
        result = self._means(drawn) if self.how == "jackknife" else self._picked(drawn)
        return replace(result, frame=result.frame.drop(DRAW))

    def _picked(self, drawn: Dataset) -> Dataset:
        column, least, width = self.column, self.min_count, self.width
        most = self.donors if drawn.schema[column].numeric else None

        def choose(arrays: Arrays) -> NDArray[np.int64]:
            import numpy as np

            gaps, places = _found(arrays[column], least, width, most)
            found = np.full((len(gaps), 1), -1, dtype=np.int64)
            pick = np.floor(arrays[DRAW][gaps] * places.shape[1]).astype(np.int64)
            found[gaps, 0] = places[np.arange(len(pick)), pick]
            return found

        return donated(drawn, self.strata, choose, [[column]], [column, DRAW])

    def _means(self, drawn: Dataset) -> Dataset:
        import narwhals as nw

        column, least, width, most = self.column, self.min_count, self.width, self.donors
        whole = drawn.schema[column].scale == "discrete"

        def kernel(arrays: Arrays) -> Arrays:
            import numpy as np

            gaps, places = _found(arrays[column], least, width, most)
            new = np.full(len(gaps), np.nan)
            if gaps.any():  # without gaps there may be no donors either, and no mean of them
                means = arrays[column][places].mean(axis=1)
                new[gaps] = np.floor(means + 0.5) if whole else means
            return {NEW: new}

        marked = drawn.mutate(**{NEW: nw.lit(None).cast(nw.Float64)})
        found = marked.map_groups(list(self.strata), kernel, {NEW: nw.Float64()}, [column])
        kind = drawn.frame.collect_schema()[column]
        new = nw.when(~nw.col(NEW).is_null()).then(nw.col(NEW).cast(kind)).otherwise(nw.col(column))
        return replace(found, frame=found.frame.with_columns(new.alias(column)).drop(NEW))


def _found(
    column: np.ndarray, least: int, width: float | None, most: int | None
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The values to replace, and the places of the donors of each."""
    from schleier.kernels.change.sparse import donors, fields, thin

    field = fields(column, width)
    gaps = thin(field, least)
    return gaps, donors(column, gaps, (field >= 0) & ~gaps, most)
