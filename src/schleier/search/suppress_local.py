"""Blank the fewest and least important cells so that no combination of keys is rare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NoReturn, Self

from pydantic import Field, field_validator, model_validator

from schleier.core.amount import LEAST, Design
from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.component import secret
from schleier.core.criterion import stricter
from schleier.core.errors import InfeasibleError, Problem, RecipeError, stop
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.nested import nested
from schleier.core.packing import packed, unpacked
from schleier.core.pieces import made
from schleier.core.promises import Keeps
from schleier.core.schema import Schema, is_reserved
from schleier.core.traces import Traces
from schleier.search._goals import Demand, demands_of, request_of, with_members

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.search._gaps import Parcels

DRAW, DRAWN, SPLIT = "_draw_", "_drawn_", "split"
WIDEST = 16
"""Keys there may be: their subsets are looked at."""
COUNTED = frozenset({"cells", "cells_by_column", "records", "blanked_records", "cost", "cost_at_least", "at_least"})


class SuppressLocal(Method):
    """Blank cells of keys until every record is like at least k - 1 others, as few and unimportant cells as possible.

    >>> SuppressLocal(k=3, importance={"sex": 5}).missing
    'category'
    """

    counts: ClassVar[frozenset[str]] = COUNTED
    reference: ClassVar[str] = "Templ, Kowarik, Meindl (2015), sdcMicro: kAnon; Meyerson, Williams (2004)"
    traces: ClassVar[Traces] = frozenset({"gap"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A3",)
    random: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "children", "schooling"], "k": 9}

    k: int | None = stricter("higher", None, ge=2)
    """So often (in so many units where there are units) every combination occurs; left out, as the criteria say."""
    keys: tuple[str, ...] = Field(default=(), max_length=WIDEST)
    """The columns whose combinations are counted, and blanked; all quasi-identifiers when empty."""
    importance: dict[str, Annotated[float, Field(gt=0, le=1e6)]] = Field(default_factory=dict)
    """What a cell of a key is worth, 1 where not named: one worth 2 is only blanked when that saves two others."""
    most: int | None = Field(default=None, ge=1)
    """Look at all combinations of so many keys instead of all keys together: what an attacker knows at once."""
    missing: Literal["category", "wildcard"] = "category"
    """A gap is a value of its own (category: as many records must share it), or may be anything (wildcard)."""
    lend: bool = False
    """With wildcard: count the gaps of other records too, as sdcMicro does; a few cells less, and less protection."""
    criteria: tuple[nested("criterion"), ...] = ()  # type: ignore[valid-type]
    """What else must hold, such as diversity; the criteria of the recipe on the same keys when empty."""
    cells: dict[str, int] | None = None
    """Learned: cells blanked in each key."""
    at_least: float | None = None
    """Learned: what no choice of cells could cost less than, by importance; not told where gaps are lent."""
    records: int | None = None
    """Learned: records that lost values."""
    patterns: str | None = secret(None)
    """Learned: what each combination loses, as a compressed Arrow table in base64; all others are blanked."""
    further: str | None = secret(None)
    """Learned: what combinations lose after that, for the other criteria."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(set(self.keys)) != len(self.keys):
            raise ValueError("keys must differ")
        if self.keys and not set(self.importance) <= set(self.keys):
            raise ValueError("importance is only for keys")
        if self.lend and (self.missing != "wildcard" or self.most is not None):
            raise ValueError('gaps are lent only with missing = "wildcard" and all keys together (without most)')
        if self.criteria and (self.most is not None or self.lend):
            raise ValueError("other criteria are met on all keys together (without most and lend)")
        return self

    @field_validator("patterns", "further")
    @classmethod
    def _readable(cls, patterns: str | None) -> str | None:
        if patterns is not None:
            unpacked(patterns)
        return patterns

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return self.keys or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys, and not too many."""
        yield from super().problems(schema)
        keys = self.uses(schema)
        if not keys:
            hint = 'give columns the role "quasi", or name keys'
            yield Problem("no-keys", "keys", "there is no quasi-identifier to look at", hint)
        if len(keys) > WIDEST:
            hint = "name the keys an attacker may know together, in several steps if need be"
            yield Problem("too-many-keys", "keys", f"{len(keys)} keys are too many: at most {WIDEST}", hint)
        for name in self.importance:
            if name not in keys:
                yield Problem("not-a-key", "importance", f"column '{name}' is not among the keys", "name keys only")
        for criterion in self.criteria:
            yield from criterion.problems(schema)

    def cautions(self) -> tuple[str, ...]:
        """Gaps that may be anything are for comparison with other programs: who knows the value sees through them."""
        return ("wildcard",) if self.missing == "wildcard" else ()

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the combinations, choose the cells, and draw which records of a combination lose them."""
        if self.patterns is not None:
            return self
        data = data.genuine()  # records that steps added hide nobody
        keys, k = self.uses(data.schema), self._wanted(run)
        classes = data.classes(Request(keys=keys))
        if 0 < classes.records < k:
            message = f"there are fewer than {k} records: whatever is blanked, none is like {k - 1} others"
            stop(InfeasibleError, "fewer-than-k", "k", message, f"lower k to {classes.records}, or add records")
        parcels, bound = self._chosen(classes, k, run)
        lost = parcels.cells(len(keys))
        if len(classes) and (parcels.blanked(classes.codes) == -1).all() and sum(lost):
            _refuse_all(len(keys))
        learned = {
            "cells": dict(zip(keys, lost, strict=True)),
            "at_least": None if self.lend else bound,
            "records": int(parcels.counts[parcels.gaps != 0].sum()),
            "patterns": packed(_written(classes, parcels, data, run)),
        }
        return self.model_copy(update=learned)._further(data, run)

    def _further(self, data: Dataset, run: Run) -> Self:
        """The same with the gaps that other criteria need, counted on the rows as they are by then."""
        import pyarrow as pa

        from schleier.search._further_gaps import further_gaps

        keys, demands = self.uses(data.schema), self._demands(data.schema, run)
        if not demands:
            return self
        classes = self._blanked(data, run).classes(with_members(request_of(keys, demands)))
        lost = further_gaps(classes, demands, [self.importance.get(key, 1.0) for key in keys])
        if not lost.any():
            return self
        if all(((classes.codes[:, j] < 0) | (lost >> j & 1 == 1)).all() for j in range(len(keys))):
            _refuse_all(len(keys))
        moved = classes.only(lost != 0)
        sums = [int(classes.sizes[(lost >> j & 1) == 1].sum()) for j in range(len(keys))]
        cells = {key: (self.cells or {})[key] + more for key, more in zip(keys, sums, strict=True)}
        had_all = (moved.codes >= 0).all(axis=1)  # records with a gap from the first turn are counted already
        records = (self.records or 0) + int(moved.sizes[had_all].sum())
        table = {**moved.combinations(), "_lost_": pa.array(lost[lost != 0])}
        return self.model_copy(update={"cells": cells, "records": records, "further": packed(table)})

    def _demands(self, schema: Schema, run: Run) -> tuple[Demand, ...]:
        """What else is asked of the classes of all keys: k units where there are units, and other criteria."""
        keys = self.uses(schema)
        if self.most is not None or self.lend:
            return ()
        wanted = list(self.criteria)
        if not wanted:
            same = [c for c in run.criteria if all(set(one.keys) == set(keys) for one in c.needs(schema))]
            found = demands_of(same, (), schema, keys) if same else ()
            wanted = [demand.criterion for demand in found if not demand.counts_only]
        if schema.having("unit") and self.missing == "category":
            wanted.append(made("records_alike", k=self._wanted(run), keys=[keys]))
        return demands_of(wanted, (), schema, keys) if wanted else ()

    def again(self) -> Self:
        """Nothing learned of some rows holds for others: what is rare is counted anew."""
        return self.model_copy(update=dict.fromkeys(("cells", "at_least", "records", "patterns", "further")))

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the cells blanked: one join. A combination that was not there before loses all keys."""
        import narwhals as nw

        if self.patterns is None or self.cells is None:
            return self.fit(data, run).apply(data, run)
        self._tell(run)
        result = self._blanked(data, run)
        if self.further is None:
            return result
        keys = self.uses(data.schema)
        more = matched(result, unpacked(self.further), keys)
        return _emptied(more.mutate(_lost_=nw.col("_lost_").fill_null(0)), keys)

    def _blanked(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the gaps that make every record common."""
        import narwhals as nw

        keys, table = self.uses(data.schema), unpacked(self.patterns or "")
        parts = sum(name.startswith("_lost_") for name in table.column_names)
        result = matched(data, table, keys)
        if parts > 1:  # most combinations are of one part
            several = result.mutate(**{DRAWN: ~nw.col("_until_1_").is_null()})
            result = run.draw(several, DRAW, SPLIT, where=DRAWN).mutate(**{DRAW: nw.col(DRAW).fill_null(0.0)})
        lost = nw.lit((1 << len(keys)) - 1)
        for i in reversed(range(parts)):
            here = nw.col(DRAW) <= nw.col(f"_until_{i}_") if parts > 1 else ~nw.col("_until_0_").is_null()
            lost = nw.when(here).then(nw.col(f"_lost_{i}_")).otherwise(lost)
        return _emptied(result.mutate(_lost_=lost), keys)

    def _wanted(self, run: Run) -> int:
        """The k of the step, or the largest of the criteria."""
        found = [criterion.smallest for criterion in run.criteria if criterion.smallest > 1]
        if self.k is None and not found:
            hint = "give k, or add a k_anonymity criterion"
            stop(RecipeError, "no-criteria", "k", "nothing says how many records must be alike", hint)
        return self.k if self.k is not None else max(found)

    def _chosen(self, classes: Classes, k: int, run: Run) -> tuple[Parcels, float]:
        from schleier.search._gaps import category_gaps, wildcard_gaps

        # A key that is the same everywhere tells nobody apart: without it there are half as many ways to look at.
        varied = [j for j, column in enumerate(classes.codes.T) if (column != column[:1]).any()] or [0]
        codes, costs = classes.codes[:, varied], [self.importance.get(classes.keys[j], 1.0) for j in varied]
        most = min(self.most or len(costs), len(costs))
        found, bound = wildcard_gaps(codes, classes.sizes, costs, k, most, lend=self.lend)
        if self.missing != "wildcard" and len(classes):
            seed = int(run.rng("search").integers(2**62))
            own = found.gaps if most == len(costs) else None
            found = category_gaps(codes, classes.sizes, costs, k, most, seed, own)
        return found.spread(varied), bound

    def _tell(self, run: Run) -> None:
        cells, least = self.cells or {}, None if self.at_least is None else Design(self.at_least)
        spent = sum(n * self.importance.get(name, 1.0) for name, n in cells.items())
        run.note(cells_by_column=cells, blanked_records=self.records, cost_at_least=least)
        few = any(0 < n < LEAST for n in cells.values())  # a sum less all the others would tell how many
        run.note("restricted" if few else "public", cells=sum(cells.values()), cost=Design(spent))


def _refuse_all(keys: int) -> NoReturn:
    message = f"no value of the {keys} keys could stay: all would be blanked"
    stop(InfeasibleError, "all-rare", "k", message, "coarsen the keys first, lower k, or look at fewer keys")


def _emptied(data: Dataset, keys: Sequence[str]) -> Dataset:
    """The rows without the cells that ``_lost_`` names, and without all working columns."""
    import narwhals as nw

    lost = nw.col("_lost_")
    stays = {name: (lost == 0) | (lost // (1 << j) % 2 == 0) for j, name in enumerate(keys)}  # most lose nothing
    result = data.mutate(**{name: nw.when(stay).then(nw.col(name)) for name, stay in stays.items()})
    working = [name for name in result.frame.collect_schema().names() if is_reserved(name)]
    return result.reframed(result.frame.drop(*(n for n in working if n.startswith(("_lost_", "_until_", "_draw")))))


def _written(classes: Classes, parcels: Parcels, data: Dataset, run: Run) -> dict[str, pa.Array]:
    """Each combination with what it loses: part i of it, the records with a draw up to ``_until_i_``, ``_lost_i_``."""
    import numpy as np
    import pyarrow as pa

    first = np.searchsorted(parcels.classes, np.arange(len(classes)))
    many = np.bincount(parcels.classes, minlength=len(classes))
    part = np.arange(len(parcels.classes)) - first[parcels.classes]
    limits = _limits(classes, parcels, many, data, run)
    columns = classes.combinations()
    for i in range(int(many.max(initial=1))):
        here = part == i
        until, lost = np.full(len(classes), np.nan), np.zeros(len(classes), dtype=np.int64)
        until[parcels.classes[here]], lost[parcels.classes[here]] = limits[here], parcels.gaps[here]
        columns |= {f"_{what}_{i}_": pa.array(v, mask=many <= i) for what, v in (("until", until), ("lost", lost))}
    return columns


def _limits(
    classes: Classes, parcels: Parcels, many: NDArray[np.int64], data: Dataset, run: Run
) -> NDArray[np.float64]:
    """Up to which draw a record belongs to each part: the last part of a class takes all that are left."""
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    result = np.ones(len(parcels.classes))
    if not (cut := many > 1).any():
        return result
    table = pa.table({**classes.only(cut).combinations(), "_class_": np.flatnonzero(cut)})
    met = matched(data, table, classes.keys).filter(~nw.col("_class_").is_null())
    rows = data.engine.arrays(run.draw(met, DRAW, SPLIT).frame.select("_class_", DRAW))
    draws = (drawn := rows[DRAW].to_numpy())[np.lexsort((drawn, rows["_class_"].to_numpy()))]
    inside, last = cut[parcels.classes], np.append(parcels.classes[1:] != parcels.classes[:-1], True)
    ends = np.cumsum(parcels.counts[inside]) - 1
    result[inside] = np.where(last[inside], 1.0, draws[ends])
    return result
