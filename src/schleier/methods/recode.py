"""Put coarser values in place of finer ones (Höhne T10, grouping)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import secret
from schleier.core.errors import DataError, Problem
from schleier.core.hierarchy import ROOT, AnyHierarchy, Hierarchy, parse
from schleier.core.hierarchy.balanced import Balanced
from schleier.core.hierarchy.contract import plain
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema
from schleier.core.sql import NOTHING, Rewrite, Typed, choice, quoted, word
from schleier.core.traces import Traces

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

OUTSIDE_HINT = 'add them to the hierarchy, or set outside = "root" there'


class Recode(Method):
    """Replace values by a ``map``, by intervals between ``breaks``, or by a ``level`` of the column's hierarchy.

    >>> Recode(column="age", breaks=[18, 65]).column
    'age'
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Gruppierung (T10)"
    traces: ClassVar[Traces] = frozenset({"coarsening", "rule"})
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"column": "age", "level": 1}

    column: str
    """The column to recode."""
    map: dict[str, str] | None = None
    """New value for each old value (numbers as text)."""
    breaks: tuple[int | float, ...] | None = Field(default=None, min_length=1)
    """Ascending limits: below the first, from the first up to the second, ..., from the last on."""
    labels: tuple[str, ...] | None = None
    """Names of the intervals between ``breaks``, one more than there are breaks."""
    level: int | None = Field(default=None, ge=1)
    """Level of the column's hierarchy; the highest is "*"."""
    others: Literal["error", "keep"] = "error"
    """What happens to values the ``map`` does not name."""
    then: str | None = None
    """Name of the hierarchy by which a later step can make the new values coarser still; none when absent."""
    hierarchy: AnyHierarchy | None = secret(None)
    """Learned: the hierarchy as it was used; taken from the schema when absent."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [name for name in ("map", "breaks", "level") if getattr(self, name) is not None]
        if len(ways) != 1:
            raise ValueError(f"say exactly one of map, breaks, level (found: {', '.join(ways) or 'none'})")
        if self.breaks is not None and list(self.breaks) != sorted(set(self.breaks)):
            raise ValueError("breaks must ascend")
        if self.labels is not None and (self.breaks is None or len(self.labels) != len(self.breaks) + 1):
            raise ValueError("labels go with breaks, and there is one label more than breaks")
        if self.labels is not None and len(set(self.labels)) != len(self.labels):
            raise ValueError("labels must differ")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must exist, have the hierarchy and the level, and be numeric for breaks."""
        yield from super().problems(schema)
        if self.column not in schema:
            return
        column = schema[self.column]
        if column.role == "weight":
            yield Problem("weight", "column", f"column '{column.name}' is a weight and must stay a number")
        if self.breaks is not None and not column.numeric:
            message = f"column '{column.name}' is {column.scale}: breaks need numbers"
            yield Problem("not-numeric", "breaks", message, "use map or a hierarchy")
        if self.level is not None:
            yield from self._level_problems(schema, column)
        if self.then is not None and self.then not in schema.hierarchies:
            hint = f"declared under [hierarchies]: {', '.join(sorted(schema.hierarchies)) or 'none'}"
            yield Problem("unknown-hierarchy", "then", f"there is no hierarchy '{self.then}'", hint)

    def _level_problems(self, schema: Schema, column: Column) -> Iterator[Problem]:
        if self.hierarchy is None and column.hierarchy is None:
            hint = "declare one under [hierarchies] and name it in the schema"
            yield Problem("no-hierarchy", "level", f"column '{column.name}' has no hierarchy", hint)
            return
        hierarchy = self.hierarchy or schema.hierarchies.get(column.hierarchy or "")
        if hierarchy is None or any(hierarchy.problems("")):  # said elsewhere, once
            return
        if self.level is not None and self.level > hierarchy.depth:
            message = f"the hierarchy of '{column.name}' has no level {self.level}"
            yield Problem("no-such-level", "level", message, f"its levels are 1 to {hierarchy.depth}")

    def after(self, schema: Schema) -> Schema:
        """The column holds words now: ordinal when it was ordered, nominal otherwise; a place stays a place."""
        held = schema[self.column].scale
        ordered = held in ("ordinal", "discrete", "continuous", "time")
        scale = "ordinal" if ordered and self.map is None else "place" if held == "place" else "nominal"
        gone: dict[str, object] = {
            "hierarchy": self.then,
            "missing": (),
            "decimals": None,
            "labels": {},
            "reasons": (),
            "date": None,
        }
        return schema.changed(self.column, scale=scale, **gone)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Fit the hierarchy to the data where it learns from them, and fix it in the step."""
        if self.level is None or self.hierarchy is not None:
            return self
        import narwhals as nw

        hierarchy = data.schema.hierarchy(self.column)
        if hierarchy.learns:
            hierarchy = hierarchy.fit(*data.counts(nw.col(self.column)))
        return self.model_copy(update={"hierarchy": hierarchy})

    def lenient(self) -> Self:
        """Values outside the hierarchy become the root, values outside the map stay."""
        if self.hierarchy is None:
            return self.model_copy(update={"others": "keep"})
        return self.model_copy(update={"hierarchy": self.hierarchy.model_copy(update={"outside": "root"})})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the column recoded; missing stays missing below the root."""
        import narwhals as nw

        if self.level is not None and self.hierarchy is None:
            return self.fit(data, run).apply(data, run)
        hierarchy, level = self._way()
        after = self.after(data.schema)
        if level == hierarchy.depth:
            run.note(nothing_left=True)
            return data.mutate(**{self.column: nw.lit(ROOT)}).described(after)
        column = nw.col(self.column)
        if data.schema[self.column].scale in ("continuous", "time"):
            column = hierarchy.reduce(column, level)  # few distinct values to look up, whatever the size
        if (listed := self._listed(data, hierarchy)) is not None:
            words = hierarchy.labels(listed, level)
            return data.replace(self.column, column, listed, words, others=ROOT).described(after)
        values, counts = data.counts(column)
        words = self._words(hierarchy, level, values, counts)
        return data.replace(self.column, column, values, words).described(after)

    def _listed(self, data: Dataset, hierarchy: Hierarchy) -> pa.Array | None:
        """The values a hierarchy of words lists, where all others become the root: then none must be looked at."""
        import narwhals as nw
        import pyarrow as pa

        if self.level is None or hierarchy.outside != "root":
            return None
        if data.frame.collect_schema()[self.column] != nw.String:
            return None
        values = hierarchy.domain(pa.array([], pa.string()))
        return values if len(values) else None

    def repeated(self, data: Dataset, before: Schema, run: Run) -> Dataset | None:
        """The root in place of every value that is none of its words; none where the words must be learned."""
        import narwhals as nw
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.level is not None and self.hierarchy is None:
            hierarchy = before.hierarchies.get(before[self.column].hierarchy or "")
            if hierarchy is None or hierarchy.learns:
                return None
            return self.model_copy(update={"hierarchy": hierarchy}).repeated(data, before, run)
        values, _ = data.counts(nw.col(self.column))
        words = plain(values).cast(pa.string())
        ours = pc.if_else(pa.array(self._ours(words)), words, ROOT)
        return data.replace(self.column, nw.col(self.column), values, ours)

    def _ours(self, words: pa.Array) -> NDArray[np.bool_]:
        """Which words it can have written."""
        import numpy as np

        hierarchy, level = self._way()
        given = set(self.labels or (self.map or {}).values())
        if not given or level == hierarchy.depth:
            return hierarchy.is_label(words, level)
        ours = np.array([word in given for word in words.to_pylist()], dtype=np.bool_)
        return ours | ~hierarchy.covers(words) if self.others == "keep" else ours

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The label of each value. SQL has no error to raise for a value that is not covered: it becomes the root."""
        (hierarchy, level), value = self._way(), Typed(quoted(self.column), types[self.column])
        if level == hierarchy.depth:
            return Rewrite({self.column: Typed(word(ROOT), "text")})
        if hierarchy.floating and schema[self.column].scale == "continuous" and value.kind == "integer":
            value = Typed(value.number, "number")  # as ``reduce`` does
        label = (
            hierarchy.sql(value, level, self.labels)
            if isinstance(hierarchy, Balanced) and self.labels
            else hierarchy.sql(value, level)
        )
        if label is None or (self.others == "keep" and value.kind not in ("text", "integer", "date", "boolean")):
            return None
        other = f"CAST({value.text} AS VARCHAR)" if self.others == "keep" else word(ROOT)
        held = choice([(f"{value.text} IS NULL", NOTHING)], f"coalesce({label}, {other})")
        return Rewrite({self.column: Typed(held, "text")})

    def _way(self) -> tuple[Hierarchy, int]:
        """Map and breaks are hierarchies of one level below the root."""
        if self.map is not None:
            return parse({"rows": [[old, new, ROOT] for old, new in self.map.items()]}), 1
        if self.breaks is not None:
            return parse({"balanced": [len(self.breaks) + 1], "breaks": [self.breaks]}), 1
        if self.hierarchy is None or self.level is None:
            raise ValueError("fit comes first")
        return self.hierarchy, self.level

    def _words(self, hierarchy: Hierarchy, level: int, values: pa.Array, counts: NDArray[np.int64]) -> pa.Array:
        """The new value of each old one; values the hierarchy does not know are counted, never shown."""
        import pyarrow as pa
        import pyarrow.compute as pc

        words, known = self._named(hierarchy.labels(values, level), values), hierarchy.covers(values)
        if known.all():
            return words
        if self.others == "keep":
            return pc.if_else(pa.array(known), words, values.cast(pa.string()))
        if hierarchy.outside == "root":
            return pc.if_else(pa.array(known), words, ROOT)
        message = f"{int((~known).sum())} values of column '{self.column}' ({int(counts[~known].sum())} rows) "
        what = "map" if self.map is not None else "hierarchy"
        hint = 'add them to the map, or set others = "keep"' if self.map is not None else OUTSIDE_HINT
        raise DataError(Problem("outside-hierarchy", self.column, message + f"are not covered by its {what}", hint))

    def _named(self, words: pa.Array, values: pa.Array) -> pa.Array:
        """The words of the recipe in place of "18-64", where it gives some."""
        import numpy as np
        import pyarrow as pa

        from schleier.core.hierarchy.numbers import floats

        if self.labels is None or self.breaks is None:
            return words
        place = np.searchsorted(np.array(self.breaks, dtype=float), floats(values), side="right")
        return pa.array(self.labels, pa.string()).take(pa.array(place, mask=~words.is_valid().to_numpy(False)))
