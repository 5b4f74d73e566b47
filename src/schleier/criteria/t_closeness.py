"""The sensitive values of every class are distributed nearly as in the whole table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.classes.histogram import Histogram
from schleier.core.component import listed
from schleier.core.criterion import Limits, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._likeness import LikenessCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ORDERED = ("ordinal", "discrete", "continuous", "time")


class TCloseness(LikenessCriterion):
    """Who finds the class of a person learns little more about her than the whole table tells anyway.

    >>> TCloseness(t=0.2, distance="ordered").t
    0.2
    """

    reference: ClassVar[str] = "Li, Li and Venkatasubramanian (2007)"
    example: ClassVar[dict[str, object]] = {"t": 0.5, "keys": [["sex"]], "sensitive": ["disease"]}

    t: float = stricter("lower", gt=0, le=1)
    """Largest distance allowed between a class and the whole table."""
    distance: Literal["equal", "ordered", "hierarchical", "kullback_leibler", "jensen_shannon"] = "equal"
    """Earth mover's distance where all values are equally far apart (equal), along their order (ordered) or up and down
    their hierarchy (hierarchical); or the divergence of Kullback and Leibler or of Jensen and Shannon, in bits."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """An order needs ordered columns, a hierarchy needs one, and combinations have neither."""
        yield from super().problems(schema)
        columns = [schema[name] for name in self.columns(schema) if name in schema]
        if self.distance not in ("ordered", "hierarchical"):
            return
        if self.joint and len(columns) > 1:
            hint = 'choose distance = "equal", or look at each column for itself'
            message = f"combinations of values have no {self.distance} distance"
            yield Problem("joint-distance", "distance", message, hint)
        shapeless = [c.name for c in columns if c.scale not in ORDERED]
        if self.distance == "ordered" and shapeless:
            hint = 'choose distance = "equal" or "hierarchical", or declare the scale "ordinal"'
            yield Problem("not-ordered", "distance", f"the values have no order: {listed(shapeless)}", hint)
        flat = [c.name for c in columns if c.hierarchy is None]
        if self.distance == "hierarchical" and flat:
            hint = 'declare one under [hierarchies], or choose distance = "equal"'
            yield Problem("no-hierarchy", "distance", f"there is no hierarchy for {listed(flat)}", hint)

    def limits(self, schema: Schema) -> Limits:
        """The t, where values have no order and a missing key is a value."""
        columns = self.columns(schema)
        plain = self.distance in ("equal", "hierarchical") and self.missing == "category"
        if not plain or (self.joint and len(columns) > 1):
            return Limits()
        if self.distance == "hierarchical" and (
            (tree := schema.hierarchies.get(schema[columns[0]].hierarchy or "")) is None or tree.learns
        ):
            return Limits()  # a tree that learns is another one when records are gone
        told = Limits(sensitive=columns[0], gaps=self.gaps == "value", whole=len(columns) == 1)
        far = self.t + TINY
        return replace(told, far=far) if self.distance == "equal" else replace(told, far_up=far)

    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """How far each class is from the whole table."""
        from schleier.kernels.spread import distances

        codes = spread.codes % (len(spread.values) + 1)  # no value is the last one
        parts = (spread.classes, codes, spread.counts, spread.totals, size)
        match self.distance:
            case "equal":
                return distances.equal_distance(*parts)
            case "kullback_leibler":
                return distances.kullback_leibler(*parts)
            case "jensen_shannon":
                return distances.jensen_shannon(*parts)
            case "hierarchical":
                return distances.hierarchical(*parts, spread.levels())
            case _:
                return _ordered(spread, size)

    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Classes that are farther away than t."""
        result: NDArray[np.bool_] = scores > self.t + TINY
        return result

    def sentence(self, level: float, column: str) -> str:
        """The level reached."""
        away = f"are {level:.4g} away from those of the whole table"
        return f"In the class that differs most the values of {column} {away}; at most {self.t:.10g} is allowed"


def _ordered(spread: Histogram, size: int) -> NDArray[np.float64]:
    """A missing value is beyond the smallest or beyond the largest, whichever makes the larger distance."""
    import numpy as np

    from schleier.kernels.spread.distances import ordered_distance

    rank, there = _ranks(spread), spread.totals > 0
    in_order = np.zeros(len(rank), dtype=np.bool_)
    in_order[rank] = there[:-1]
    rank = (np.cumsum(in_order) - 1)[rank]  # among the values that are there: some may be gone with their records
    before, after = np.append(rank + 1, 0), np.append(rank, int(in_order.sum()))
    result = np.zeros(size)
    for place in (before, after) if there[-1] else (after,):
        ranks = place[spread.codes % len(place)]
        order = np.lexsort((ranks, spread.classes))
        totals = np.zeros(int(there.sum()), dtype=np.int64)
        totals[place[there]] = spread.totals[there]
        parts = (spread.classes[order], ranks[order], spread.counts[order], totals, size)
        result = np.maximum(result, ordered_distance(*parts))
    return result


def _ranks(spread: Histogram) -> NDArray[np.int64]:
    """The rank of each value: numbers and times by size, text as the labels of the schema say, else by alphabet."""
    import numpy as np

    from schleier.core.hierarchy.contract import is_text

    count = len(spread.values)
    labels = list(spread.columns[0].labels) if spread.columns and is_text(spread.values.type) else []
    if not labels:
        return np.arange(count)
    place = {label: i for i, label in enumerate(labels)}
    listed_first = sorted(range(count), key=lambda i: (place.get(spread.values[i].as_py(), len(labels)), i))
    ranks = np.empty(count, dtype=np.int64)
    ranks[listed_first] = np.arange(count)
    return ranks
