"""Change categories at random with known probabilities (Höhne P01 to P03, post-randomisation)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from schleier.core.component import secret
from schleier.core.correction import Correction
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.packing import packed, unpacked
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.core.units import draw_units
from schleier.methods._categories import CategoryCells, cells_of, label_numbers
from schleier.methods._transition_correction import TRANSITIONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

DRAW, SLOT, LIMIT = "_draw_", "_slot_", "_limit_"
TINY = 1e-9
"""Fewer expected changes than this are none."""
FEW_CHANGES = 0.01
"""When fewer records than this share are expected to change, the report says so."""
MOST_CHANCES = 4_000_000
"""More transitions than that are no table any more."""


class Pram(Method):
    """Each category is replaced by one drawn from its row of a matrix of transition probabilities.

    >>> Pram(columns=["region"], alpha=0.2, level=1).matrix_kind
    'invariant'
    """

    reference: ClassVar[str] = "Gouweleeuw, Kooiman, Willenborg and de Wolf (1998); Höhne (2010), 2.2.4 (P01 to P03)"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"transition"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    correction: ClassVar[Correction | None] = TRANSITIONS
    example: ClassVar[dict[str, object]] = {"columns": ["disease"], "alpha": 0.3, "whole_units": False}

    columns: tuple[str, ...] = Field(min_length=1, max_length=8)
    """The columns whose categories change; several are changed together, among combinations that occur."""
    matrix_kind: Literal["invariant", "direct", "two_stage", "own"] = "invariant"
    """Which probabilities: those of Ronning or of de Wolf, a first matrix and its way back, or an own matrix as is."""
    alpha: float | None = secret(None, gt=0, lt=1)
    """How much is changed: the larger, the more. Needed unless there is an own matrix."""
    matrix: dict[str, dict[str, float]] = secret(default_factory=dict)
    """Own probabilities of one column: for each category, those of what it becomes; what is not named is 0."""
    strata: tuple[str, ...] = ()
    """Columns within whose combinations categories change: a matrix for each; missing is a value of its own."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Groups of categories of one column among which it changes; who is in none stays as it is."""
    level: int | None = Field(default=None, ge=1)
    """Instead of ``blocks``: categories change among those with the same label at this level of the hierarchy."""
    whole_units: bool = True
    """One draw for all records of a unit: those who had the same category have the same afterwards."""
    public: tuple[str, ...] = ()
    """Secret parameters that are published on purpose; analysts need an own ``matrix`` to correct counts."""
    categories: str | None = secret(None)
    """Learned: the combinations of strata and categories, as a compressed Arrow table in base64."""
    chances: str | None = secret(None)
    """Learned: from which combination to which with what probability, as a compressed Arrow table in base64."""
    unknown: Literal["error", "empty"] = "error"
    """What becomes of a category that was not there when the probabilities were learned."""

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Counts on average, unless the probabilities are somebody's own."""
        return cls.keeps if known.get("matrix_kind") == "own" else {**cls.keeps, "counts": "expected"}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if len({*self.columns, *self.strata}) != len(self.columns) + len(self.strata):
            raise ValueError("columns and strata must differ")
        own = self.matrix_kind == "own" or (self.matrix_kind == "two_stage" and bool(self.matrix))
        if self.matrix and not own:
            raise ValueError('an own matrix needs matrix_kind = "own" or "two_stage"')
        if self.matrix_kind == "own" and not self.matrix:
            raise ValueError('matrix_kind = "own" needs a matrix')
        if (self.alpha is None) != own:
            raise ValueError("say either alpha or a matrix")
        if len(self.columns) > 1 and (self.matrix or self.blocks or self.level):
            raise ValueError("matrix, blocks and level are for one column")
        if self.blocks and self.level is not None:
            raise ValueError("say blocks or level, not both")
        named = [word for block in self.blocks for word in block]
        if len(set(named)) != len(named):
            raise ValueError("a category can be in one block only")
        return self

    @field_validator("categories", "chances")
    @classmethod
    def _readable(cls, text: str | None) -> str | None:
        if text is not None:
            unpacked(text)
        return text

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Columns, strata, and the unit that shares a draw."""
        unit = schema.having("unit")[:1] if self.whole_units else ()
        return tuple(dict.fromkeys((*self.columns, *self.strata, *unit)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Categories, not amounts; a matrix whose rows are distributions; a hierarchy where a level is named."""
        yield from super().problems(schema)
        for name in self.columns:
            if name in schema and (schema[name].scale == "continuous" or schema[name].role in ("unit", "weight")):
                message = f"column '{name}' holds no categories"
                yield Problem("not-categories", "columns", message, "recode it first, or use add_noise or rank_swap")
        if self.level is not None and self.columns[0] in schema and schema[self.columns[0]].hierarchy is None:
            message = f"column '{self.columns[0]}' has no hierarchy"
            yield Problem("no-hierarchy", "level", message, "declare one under [hierarchies]")
        rows = [list(row.values()) for row in self.matrix.values()]
        odd = sum(any(p < 0 for p in row) or abs(sum(row) - 1) > 1e-9 for row in rows)
        if odd:
            message = f"{odd} of {len(rows)} rows of the matrix are no distribution"
            yield Problem("not-stochastic", "matrix", message, "probabilities must be 0 or more and add up to 1")
        strange = {to for row in self.matrix.values() for to in row} - set(self.matrix)
        if strange:
            message = f"{len(strange)} categories are targets but have no row of their own"
            yield Problem("not-square", "matrix", message, "add a row for each")

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the categories and learn the probabilities, block by block."""
        if self.chances is not None:
            return self
        import numpy as np
        import pyarrow as pa

        cells = cells_of(data, self.strata, self.columns)
        block = self._blocks(cells, data.schema)
        origin, target, chance, alone, leaving = [], [], [], 0, 0.0
        sizes = np.bincount(block, minlength=1)
        if int((sizes.astype(np.float64) ** 2).sum()) > MOST_CHANCES:
            message = f"{len(block)} categories are too many for a matrix"
            stop(InfeasibleError, "too-many-categories", "columns", message, "recode them, or use strata or blocks")
        for members in np.split(np.argsort(block, kind="stable"), np.cumsum(sizes)[:-1]):
            if not len(members):
                continue
            if len(members) == 1:
                alone += int(cells.sizes[members[0]])
            matrix = self._matrix(cells, members)
            leaving += float(cells.sizes[members] @ (1 - np.diag(matrix)))
            source, to = np.nonzero(matrix)
            origin.append(members[source])
            target.append(members[to])
            chance.append(matrix[source, to])
        run.note("restricted", categories=len(block), records_alone_in_their_block=alone, expected_changes=leaving)
        self._demand_changes(len(block), leaving, int(cells.sizes.sum()), run)
        columns = {"_from_": origin, "_to_": target, "_chance_": chance}
        joint = {name: np.concatenate(parts) if parts else np.zeros(0) for name, parts in columns.items()}
        joint |= {name: joint[name].astype(np.int64) for name in ("_from_", "_to_")}
        chances = packed({name: pa.array(column) for name, column in joint.items()})
        return self.model_copy(update={"categories": packed(cells.columns()), "chances": chances})

    def lenient(self) -> Self:
        """A category nobody had when the probabilities were learned becomes empty."""
        return self.model_copy(update={"unknown": "empty"})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """One draw per record or unit, one join with the table of slots."""
        import narwhals as nw
        import pyarrow as pa

        from schleier.kernels.change.transitions import slots

        if self.categories is None or self.chances is None:
            return self.fit(data, run).apply(data, run)
        known, table = unpacked(self.categories), unpacked(self.chances)
        origin, target, chance = (table.column(name).to_numpy() for name in ("_from_", "_to_", "_chance_"))
        width = int(max(_runs(origin), default=1))
        drawn = slots(origin, target, chance, width)
        lookup = {name: known.column(name).take(pa.array(drawn.origin)) for name in (*self.strata, *self.columns)}
        lookup |= {SLOT: pa.array(drawn.slot), LIMIT: pa.array(drawn.limit)}
        for j, name in enumerate(self.columns):
            for side, to in (("below", drawn.below), ("above", drawn.above)):
                lookup[f"_{side}_{j}_"] = known.column(name).take(pa.array(to))
        unit = self.whole_units and data.schema.having("unit")
        with_draw = draw_units(data, run, DRAW) if unit else run.draw(data, DRAW)
        place = nw.col(DRAW) * float(width)
        slotted = with_draw.mutate(**{SLOT: place.floor().cast(nw.Int64)})
        found = matched(slotted, pa.table(lookup), (*self.strata, *self.columns, SLOT))
        self._refuse_unknown(data, known)
        fraction = place - nw.col(SLOT).cast(nw.Float64)
        there = ~nw.any_horizontal(*(nw.col(name).is_null() for name in self.columns), ignore_nulls=True)
        changes = {}
        for j, name in enumerate(self.columns):
            drawn_one = nw.when(fraction < nw.col(LIMIT)).then(nw.col(f"_below_{j}_")).otherwise(nw.col(f"_above_{j}_"))
            changes[name] = nw.when(there).then(drawn_one).otherwise(nw.col(name))
        names = data.frame.collect_schema().names()
        run.note(columns=list(self.columns), strata=list(self.strata), one_draw_per_unit=bool(unit))
        result = found.mutate(**changes)
        return replace(data, frame=result.frame.select(*names))

    def _blocks(self, cells: CategoryCells, schema: Schema) -> NDArray[np.int64]:
        """Combinations that change among each other have the same number."""
        import numpy as np

        own = np.zeros(len(cells.sizes), dtype=np.int64)
        if self.blocks:
            words = [str(value) for value in cells.values(self.columns[0])]
            place = {word: i for i, block in enumerate(self.blocks) for word in block}
            own = np.array([place.get(word, len(place) + i) for i, word in enumerate(words)], dtype=np.int64)
        elif self.level is not None:
            own = label_numbers(schema, self.columns[0], cells.table.column(self.columns[0]), self.level)
        pairs = np.stack([cells.stratum, own], axis=1)
        found: NDArray[np.int64] = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
        return found

    def _matrix(self, cells: CategoryCells, members: NDArray[np.int64]) -> Any:
        """The probabilities among the combinations of one block."""
        import numpy as np

        from schleier.kernels.change import transitions

        counts = cells.sizes[members].astype(np.float64)
        if self.alpha is not None:
            made = {"invariant": transitions.invariant, "direct": transitions.direct}
            if self.matrix_kind in made:
                return made[self.matrix_kind](counts, self.alpha)
            return transitions.two_stage(transitions.even(len(members), self.alpha), counts)
        words = [str(value) for value in cells.values(self.columns[0], members)]
        lacking = [word for word in words if word not in self.matrix]
        outside = sum(p > 0 for word in words if word in self.matrix for to, p in self.matrix[word].items()
                      if to not in words)  # fmt: skip
        if lacking or outside:
            message = f"{len(lacking)} categories have no row in the matrix, {outside} of its targets do not occur"
            hint = "the matrix must have the categories of the data, within every stratum and block"
            stop(InfeasibleError, "matrix-misfit", "matrix", message, hint)
        own = np.array([[self.matrix[word].get(to, 0.0) for to in words] for word in words])
        return own if self.matrix_kind == "own" else transitions.two_stage(own, counts)

    def _demand_changes(self, categories: int, leaving: float, records: int, run: Run) -> None:
        """Refuse probabilities with which nothing can change; caution where hardly anything will."""
        if categories > 1 and leaving < TINY:
            message = "no category can change: each is alone in its stratum and block, or the matrix keeps all"
            hint = "use coarser strata or blocks, or another matrix"
            stop(InfeasibleError, "nothing-changes", "columns", message, hint)
        if records and leaving < FEW_CHANGES * records:
            rarest = self.matrix_kind == "direct"
            why = ": the rarest category sets the pace, merge it with another" if rarest else ""
            run.note(columns=list(self.columns), caution=f"hardly any category changes{why}")

    def _refuse_unknown(self, data: Dataset, known: Any) -> None:
        """Rows with a category that has no probabilities."""
        if self.unknown == "empty":
            return
        here = cells_of(data, self.strata, self.columns)
        strange = here.outside(known)
        if strange:
            message = f"{strange} combinations of categories were not there when the probabilities were learned"
            stop(InfeasibleError, "unknown-category", "columns", message, "make a new release instead of a replay")


def _runs(origin: Any) -> list[int]:
    import numpy as np

    return np.unique(origin, return_counts=True)[1].tolist() if len(origin) else []
