"""The values of a key in an order in which a range of them has a name: numbers, dates, lists and trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.errors import DataError, Problem
from schleier.core.hierarchy import ROOT, Hierarchy
from schleier.core.hierarchy.cuts import roundest
from schleier.core.hierarchy.lookup import value_text
from schleier.core.hierarchy.numbers import WHOLE, exact_number, floats, interval_label, is_whole, number_text
from schleier.core.schema import Column

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.kernels.search.boxes import Boxes

Kind = Literal["number", "time", "list", "tree"]
LONGEST_LIST, LONGEST_LABEL = 12, 100
"""A list of more values, or a longer one, is no label for a reader: it becomes the root."""


@dataclass(frozen=True)
class Axis:
    """The different values of one key, in order; for a tree also the label of each at every level below the root."""

    name: str
    kind: Kind
    values: pa.Array
    labels: tuple[pa.Array, ...] = ()
    hierarchy: Hierarchy | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def depth(self) -> int:
        """Level of the root; 0 where there is no tree."""
        return len(self.labels) + 1 if self.kind == "tree" else 0

    def nodes(self, level: int) -> pa.Array:
        """The labels of a level of the tree, each once, in the order of the axis; their places are codes."""
        return self.values if level == 0 else self.labels[level - 1].unique()

    def columns(self) -> dict[str, pa.Array]:
        """What there is to remember."""
        return {"_value_": self.values} | {f"_label_{i}_": column for i, column in enumerate(self.labels)}

    def numbers(self) -> NDArray[np.float64]:
        """Where the values lie; on a list and in a tree simply one after the other."""
        import numpy as np
        import pyarrow as pa

        if self.kind == "number":
            return floats(self.values)
        if self.kind == "time":
            whole = pa.int32() if pa.types.is_date32(self.values.type) else pa.int64()
            return np.asarray(self.values.cast(whole).to_numpy(zero_copy_only=False), dtype=np.float64)
        return np.arange(len(self), dtype=np.float64)

    def located(self, values: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The code of each of some values, and whether the axis holds just this value.

        A number or a date between two values belongs to the one on its side of the cut; any other is unknown.
        """
        import numpy as np
        import pyarrow.compute as pc

        from schleier.kernels.search.boxes import UNKNOWN

        found = pc.index_in(*self._alike(values))
        known = found.is_valid().to_numpy(zero_copy_only=False)
        codes = np.array(found.fill_null(UNKNOWN).to_numpy(zero_copy_only=False), dtype=np.int32)
        if self.kind in ("number", "time") and not known.all() and len(self):
            new = np.flatnonzero(~known)
            points = Axis(self.name, self.kind, values.take(new)).numbers()
            after = np.searchsorted(self.numbers(), points)
            for i, place, value in zip(new, after, values.take(new).to_pylist(), strict=True):
                inner = 0 < place < len(self) and value < _plain(self.cut(int(place)), value)
                codes[i] = min(max(place - inner, 0), len(self) - 1)
        return codes, known

    def _alike(self, values: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Some values and those of the axis in one type; whole and broken numbers can be compared, too."""
        import pyarrow as pa

        if values.type == self.values.type:
            return values, self.values
        if _numeric(values) and _numeric(self.values):
            return values.cast(pa.float64(), safe=False), self.values.cast(pa.float64(), safe=False)
        try:
            return values.cast(self.values.type), self.values
        except pa.ArrowException:
            pass  # what it says may quote a value
        message = f"column '{self.name}' holds values of another kind than those the parts were made of"
        raise DataError(Problem("wrong-type", self.name, message, "give it the type it had"))

    def above(self, values: pa.Array) -> NDArray[np.int32]:
        """The nodes above each of some values at all levels, ``[level, value]``; a missing value is the last one."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        from schleier.kernels.search.boxes import UNKNOWN

        result = np.zeros((self.depth + 1, len(values) + 1), dtype=np.int32)
        leaf, known = self.located(values)
        result[0] = np.append(leaf, len(self))
        for level in range(1, self.depth):
            nodes, labels = self.nodes(level), self.labels[level - 1]
            own = labels.take(pa.array(leaf, mask=~known))
            if self.hierarchy is not None and not known.all():  # a new leaf below a node that is known
                own = pc.coalesce(own, self.hierarchy.labels(values, level))
            found = pc.index_in(own, nodes).fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
            result[level] = np.append(found, len(nodes))
        return result

    def words(self, boxes: Boxes, j: int) -> pa.Array:
        """The label of each part on this axis; missing where nothing else is in it."""
        import numpy as np
        import pyarrow as pa

        first, last, gaps = (column[:, j] for column in boxes)
        joint = (first * (len(self) + self.depth + 2) + last + 1) * 3 + gaps
        _, one, place = np.unique(joint, return_index=True, return_inverse=True)
        said = [self._word(int(first[i]), int(last[i]), int(gaps[i])) for i in one]
        return pa.array(said, pa.string()).take(pa.array(place.reshape(-1)))

    def _word(self, first: int, last: int, gaps: int) -> str | None:
        from schleier.kernels.search.boxes import MIXED, ONLY_GAP

        if self.kind == "tree":
            if last == self.depth:
                return ROOT
            if last:
                return str(self.nodes(last)[first].as_py())
            return None if first == len(self) else _text(self.values[first].as_py())
        if gaps == ONLY_GAP:
            return None
        if gaps == MIXED or (first == 0 and last == len(self) - 1 and first < last):
            return ROOT
        if first == last:
            return _text(self.values[first].as_py())
        return self._list(first, last) if self.kind == "list" else self._range(first, last)

    def _list(self, first: int, last: int) -> str:
        if last - first >= LONGEST_LIST:
            return ROOT
        label = f"{{{', '.join(sorted(map(_text, self.values[first : last + 1].to_pylist())))}}}"
        return label if len(label) <= LONGEST_LABEL else ROOT

    def _range(self, first: int, last: int) -> str:
        """The outermost ranges are open: a label must not tell the smallest and the largest value."""
        if first == 0:
            return f"<{_text(self.cut(last + 1))}"
        if last == len(self) - 1:
            return f">={_text(self.cut(first))}"
        lower, upper = self.cut(first), self.cut(last + 1)
        if self.kind == "number":
            return interval_label(lower, upper, is_whole(self.values))
        if not isinstance(lower, datetime):
            return f"{lower.isoformat()} to {(upper - timedelta(days=1)).isoformat()}"
        return f"[{lower.isoformat()}, {upper.isoformat()})"

    def cut(self, place: int) -> Any:
        """Where the value at a place is cut off from the one before it: a round number or the first of a month."""
        lower, upper = self.values[place - 1].as_py(), self.values[place].as_py()
        if self.kind == "time":
            return _first(lower, upper)
        if isinstance(upper, float):
            return exact_number(roundest(lower, upper))
        if upper - lower == 1 or abs(upper) >= WHOLE or abs(lower) >= WHOLE:
            return Decimal(upper)
        found = exact_number(roundest(float(lower), float(upper)))
        return found if lower < found <= upper else Decimal(upper)


def axis_of(
    column: Column, values: pa.Array, sizes: NDArray[np.int64], hierarchy: Hierarchy | None, kind: Kind | None = None
) -> Axis:
    """The axis of a key; ``sizes`` are the records of each value."""
    import numpy as np
    import pyarrow as pa

    kind = kind or axis_kind(column, values, hierarchy)
    if kind in ("number", "time") or (kind == "list" and column.scale == "ordinal"):
        return Axis(column.name, kind, values)
    if kind == "list":  # the most frequent first: it is the first to stand for itself
        return Axis(column.name, kind, values.take(pa.array(np.argsort(-sizes, kind="stable"))))
    assert hierarchy is not None
    hierarchy = hierarchy.fit(values, sizes) if hierarchy.learns else hierarchy
    return _tree(column.name, values, hierarchy)


def axis_kind(column: Column, values: pa.Array, hierarchy: Hierarchy | None) -> Kind:
    """Numbers and dates are cut into ranges; anything else follows its hierarchy, or is listed."""
    import numpy as np
    import pyarrow as pa

    ordered = column.scale in ("ordinal", "discrete", "continuous", "time")
    if ordered and (pa.types.is_date(values.type) or pa.types.is_timestamp(values.type)):
        return "time"
    if ordered and np.isfinite(floats(values)).all() and _numeric(values):
        return "number"
    return "list" if hierarchy is None else "tree"


def _numeric(values: pa.Array) -> bool:
    import pyarrow as pa

    kind = values.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _tree(name: str, values: pa.Array, hierarchy: Hierarchy) -> Axis:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    known = hierarchy.covers(values)
    if hierarchy.outside == "error" and not known.all():
        message = f"{int((~known).sum())} values of column '{name}' are not covered by its hierarchy"
        hint = 'add them to the hierarchy, or set outside = "root" there'
        raise DataError(Problem("outside-hierarchy", name, message, hint))
    own = pa.array([_text(value) for value in values.to_pylist()], pa.string())  # what is outside stands for itself
    labels = [pc.coalesce(hierarchy.labels(values, level), own) for level in range(1, hierarchy.depth)]
    codes = [np.arange(len(values)), *(pc.rank(label, tiebreaker="dense").to_numpy() for label in labels)]
    order = pa.array(np.lexsort(codes))  # by the coarsest label first
    return Axis(name, "tree", values.take(order), tuple(label.take(order) for label in labels), hierarchy)


def _first(lower: Any, upper: Any) -> Any:
    """The first day of a year or of a month, or the beginning of a day, between two dates; else the later one."""
    start = upper.replace(hour=0, minute=0, second=0, microsecond=0) if isinstance(upper, datetime) else upper
    rounds: Sequence[Any] = (start.replace(month=1, day=1), start.replace(day=1), start)
    return next((one for one in rounds if lower < one <= upper), upper)


def _plain(cut: Any, value: Any) -> Any:
    return float(cut) if isinstance(value, float) else cut


def _text(value: Any) -> str:
    if isinstance(value, Decimal):
        return number_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return str(value_text(value))
