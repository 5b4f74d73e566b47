"""What all methods share that divide the records into parts and give each part one label per key."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from schleier.core.amount import settle
from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.component import secret
from schleier.core.errors import DataError, Problem, stop
from schleier.core.hierarchy import ROOT, AnyHierarchy
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.nested import nested
from schleier.core.packing import packed, unpacked
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.search._axes import Axis, axis_kind, axis_of
from schleier.search._goals import Goal, goal_of, unjudgeable
from schleier.search._spaces import space_of, spots

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.search.boxes import Boxes, Space
    from schleier.kernels.search.placing import Points

MOST_KEYS = 62


class PartitionMethod(Method):
    """Divides the records into parts; every part shows the same labels, which cover the values of its records."""

    traces: ClassVar[Traces] = frozenset({"coarsening", "gap"})
    design: ClassVar[frozenset[str]] = frozenset({"parts"})
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"

    columns: tuple[str, ...] = Field(default=(), max_length=MOST_KEYS)
    """The keys that are coarsened; all quasi-identifiers when empty."""
    criteria: tuple[nested("criterion"), ...] = ()  # type: ignore[valid-type]
    """What every part must meet; the criteria of the recipe that look at these keys when empty."""
    importance: dict[str, float] = Field(default_factory=dict)
    """How much a key matters, 1 unless said here: what matters more is kept finer."""
    parts: int | None = None
    """Learned: number of parts."""
    axes: dict[str, str] = secret(default_factory=dict)
    """Learned: the values of each key in order, as compressed Arrow tables in base64."""
    boxes: str | None = secret(None)
    """Learned: which values the labels of each part cover, as a compressed Arrow table in base64."""
    hierarchies: dict[str, AnyHierarchy] = secret(default_factory=dict)
    """Learned: the hierarchies as they were used."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns must differ")
        if not all(weight > 0 for weight in self.importance.values()):
            raise ValueError("importance must be positive")
        return self

    @field_validator("boxes")
    @classmethod
    def _readable(cls, boxes: str | None) -> str | None:
        if boxes is not None:
            unpacked(boxes)
        return boxes

    @field_validator("axes")
    @classmethod
    def _all_readable(cls, axes: dict[str, str]) -> dict[str, str]:
        for axis in axes.values():
            unpacked(axis)
        return axes

    @abstractmethod
    def divided(self, space: Space, codes: NDArray[np.int32], goal: Goal, run: Run) -> tuple[dict[str, object], object]:
        """What is learned of the partition, and the part of each class of the goal's table."""

    @abstractmethod
    def placed(self, space: Space, points: Points, boxes: Boxes, classes: Classes) -> NDArray[np.int64]:
        """The part of each class of some rows; -1 where there is none."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return self.columns or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys, and criteria that fit the table."""
        yield from super().problems(schema)
        if not self.uses(schema):
            yield Problem("no-keys", "columns", "there is no quasi-identifier to coarsen", "name columns")
        for name in self.uses(schema):
            if name in schema and schema[name].role == "weight":
                yield Problem("weight", "columns", f"column '{name}' is a weight and must stay a number")
        for name in self.importance:
            if name not in self.uses(schema):
                hint = "importance is about the columns that are coarsened"
                yield Problem("not-a-key", "importance", f"column '{name}' is not among the keys", hint)
        for i, criterion in enumerate(self.criteria):
            found = list(criterion.problems(schema)) or list(unjudgeable(criterion, schema, self.uses(schema)))
            for problem in found:
                yield Problem(problem.code, f"criteria[{i}].{problem.where}", problem.message, problem.hint)

    def after(self, schema: Schema) -> Schema:
        """The keys hold words now: ordinal where they were ordered, nominal otherwise."""
        gone: dict[str, Any] = {
            "hierarchy": None,
            "missing": (),
            "decimals": None,
            "labels": {},
            "reasons": (),
            "date": None,
        }
        for name in self.uses(schema):
            ordered = schema[name].scale in ("ordinal", "discrete", "continuous", "time")
            schema = schema.changed(name, scale="ordinal" if ordered else "nominal", **gone)
        return schema

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the classes, divide them and learn what each part covers; stops when not even one part will do."""
        if self.parts is not None:
            return self
        keys = self.uses(data.schema)
        goal = goal_of(data, keys, self.criteria, run.criteria)
        if self.boxes is not None:
            return self._counted(goal, data.schema)
        if not len(goal.table):
            stop(DataError, "no-rows", "data", "there are no rows to divide")
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.search.boxes import around, box_widths

        nobody = np.zeros(len(goal.table), dtype=np.int64)
        goal.refuse(nobody, [pa.array([ROOT])] * len(keys), "even with every record in one part")
        axes = _axes(data.schema, goal.table)
        space, points = self._space(axes, goal.table)
        learned, part = self.divided(space, points.codes, goal, run)
        assert isinstance(part, np.ndarray)
        parts = int(part.max()) + 1
        boxes = around(space, points.codes, part, parts)
        words = [axis.words(boxes, j) for j, axis in enumerate(axes)]
        goal.refuse(part, words, "every part meets it, but all together do not")
        loss = float(box_widths(space, boxes).mean(axis=1)[part] @ goal.table.sizes) / goal.table.records
        run.note("restricted", mean_width=round(loss, 6))
        run.note(parts=parts, mean_width=settle(loss, ()))
        learned |= {
            "parts": parts,
            "axes": {axis.name: packed(axis.columns()) for axis in axes},
            "hierarchies": {axis.name: axis.hierarchy for axis in axes if axis.hierarchy is not None},
            "boxes": packed({f"_{what}_{j}_": pa.array(column[:, j]) for what, column in boxes._asdict().items()
                             for j in range(len(axes))}),
        }  # fmt: skip
        return self.model_copy(update=learned)

    def again(self) -> Self:
        """The parts stay; whether they meet the criteria is judged anew, which may refuse other rows."""
        return self.model_copy(update={"parts": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the labels of its part in every record: one join with the combinations of key values."""
        import narwhals as nw
        import pyarrow as pa

        if self.parts is None or self.boxes is None:
            return self.fit(data, run).apply(data, run)
        keys = self.uses(data.schema)
        classes = data.classes(Request(keys=keys))
        part, words = self._labelled(classes, data.schema)
        run.note(columns=list(keys), parts=self.parts, in_no_part=int(classes.sizes[part == len(words[0]) - 1].sum()))
        columns = zip(classes.keys, classes.values, classes.codes.T, strict=True)
        table = {key: values.take(pa.array(codes, mask=codes < 0)) for key, values, codes in columns}
        table |= {f"_word_{j}_": column.take(pa.array(part)) for j, column in enumerate(words)}
        found = matched(data, pa.table(table), keys)
        fresh = {f"_word_{j}_": key for j, key in enumerate(keys)}
        kept = [name for name in data.frame.collect_schema().names() if name not in keys]
        frame = found.frame.select(*(nw.col(name) for name in kept), *(nw.col(w).alias(k) for w, k in fresh.items()))
        return replace(data, frame=frame, schema=self.after(data.schema))

    def _labelled(self, classes: Classes, schema: Schema) -> tuple[NDArray[np.int64], list[pa.Array]]:
        """The part of each class, and the words of the parts; the last is for all who are in none."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.search.boxes import Boxes

        axes, table = self._remembered(schema), unpacked(self.boxes or "")
        boxes = Boxes(
            *(np.stack([table[f"_{what}_{j}_"].to_numpy() for j in range(len(axes))], axis=1) for what in Boxes._fields)
        )
        space, points = self._space(axes, classes)
        part = self.placed(space, points, boxes, classes)
        words = [pa.concat_arrays([axis.words(boxes, j), pa.array([ROOT])]) for j, axis in enumerate(axes)]
        return np.where(part < 0, len(words[0]) - 1, part), words

    def _counted(self, goal: Goal, schema: Schema) -> Self:
        """The learned parts with other rows in them."""
        part, words = self._labelled(goal.table, schema)
        goal.refuse(part, words, "with these rows the learned parts break it")
        return self.model_copy(update={"parts": len(words[0]) - 1})

    def _remembered(self, schema: Schema) -> list[Axis]:
        axes = []
        for name in self.uses(schema):
            values, *labels = (column.combine_chunks() for column in unpacked(self.axes[name]).itercolumns())
            hierarchy = self.hierarchies.get(name)
            axes.append(Axis(name, axis_kind(schema[name], values, hierarchy), values, tuple(labels), hierarchy))
        return axes

    def _space(self, axes: Sequence[Axis], classes: Classes) -> tuple[Space, Points]:
        importance: Mapping[str, float] = self.importance
        return space_of(axes, classes, [importance.get(axis.name, 1.0) for axis in axes]), spots(axes, classes)


def _axes(schema: Schema, classes: Classes) -> list[Axis]:
    import numpy as np

    axes = []
    for j, name in enumerate(classes.keys):
        values = classes.values[j]
        sizes = np.bincount(classes.codes[:, j] + 1, weights=classes.sizes, minlength=len(values) + 1)[1:]
        axes.append(axis_of(schema[name], values, sizes.astype(np.int64), classes.hierarchies[j]))
    return axes
