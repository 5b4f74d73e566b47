"""Replace values by what a group of at least k similar records has in common (Höhne M01 to M11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed
from schleier.core.errors import InfeasibleError, Problem, Problems
from schleier.core.promises import Keeps, Kept
from schleier.core.schema import Schema
from schleier.core.traces import Groups, Trace, Traces
from schleier.methods._discrete import Discrete, distances
from schleier.methods._gap_patterns import PATTERN, pattern, rare, refuse_infinite
from schleier.methods._strata import changed_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run
    from schleier.kernels.change.keyed import KeyedDraws
    from schleier.kernels.grouping.microaggregation import GroupingPlan

    Floats = NDArray[np.float64]

SINGLE = ("individual", "optimal", "safe_interval")
"""Groupings that go column by column."""
FEWEST = 3
"""In a group of two, each knows the other's value; so it is with two owners (Höhne M00 and footnote 7)."""

Grouping = Literal[
    "mdav", "best", "centroid", "max_distance", "variable", "ward", "one_variable", "component", "score",
    "individual", "optimal", "safe_interval", "random", "bootstrap", "mixed",
]  # fmt: skip


class Microaggregate(Discrete):
    """Records are put into groups of at least k, and each value becomes the mean of its group.

    >>> Microaggregate(columns=["income", "rent"], k=3).grouping
    'mdav'
    """

    counts: ClassVar[frozenset[str]] = frozenset({"records_blanked"})
    reference: ClassVar[str] = (
        "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation; Höhne (2010), 2.2.6 and 3"
    )
    example: ClassVar[dict[str, object]] = {"columns": ["income", "children"], "k": 3}
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    traces: ClassVar[Traces] = frozenset({"average", "group_mean"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    ways: ClassVar[tuple[str, ...]] = ("within", "distance")

    k: int = Field(ge=2)
    """Records in a group at least; 3 or more unless ``allow_small_k``."""
    grouping: Grouping = "mdav"
    """How groups are formed: nearest records (mdav, best, centroid, max_distance), of varying size (variable, ward),
    neighbours by the first column, the first principal component or the sum of standardised columns (one_variable,
    component, score), each column on its own (individual, optimal, safe_interval), at random (random, bootstrap),
    or numbers and categories together (mixed)."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Columns that are grouped together, block by block; all columns are one block unless said."""
    representative: Literal["mean", "median", "mode"] = "mean"
    """What takes the place of the numbers of a group; categories are always replaced by their mode."""
    round: Literal["none", "nearest"] = "nearest"
    """What becomes of whole numbers: broken (none), or rounded one by one (nearest)."""
    interval: float = Field(default=0.05, gt=0, lt=1)
    """For safe_interval: how wide the interval must be in which an attacker can place a value, as a share of its
    upper end."""
    published: bool = False
    """For safe_interval: the weaker rule as printed in the source, which does not keep its promise."""
    reach: float = Field(default=0.2, gt=0)
    """For variable: a further record joins a group when it is nearer to it than so many times to the other records."""
    pieces_of: int | None = Field(default=None, ge=100)
    """Cut the records into pieces of about so many first and group within them: much faster, a little more is lost."""
    zeros: Literal["change", "keep"] = "change"
    """Whether zeros are values like others, or stay (structural zeros); then records are grouped with those that have
    zeros in the same columns."""
    gaps: Literal["error", "blank"] = "error"
    """What to do with values that fewer than k records with the same gaps have: refuse, or make them missing."""
    small_strata: Literal["error", "merge"] = "error"
    """What to do with strata of fewer than k records: refuse, or put them together."""
    owners: Literal["respect", "ignore"] = "respect"
    """Whether each group must belong to three units at least, where the table has a column of role "unit"."""
    allow_small_k: bool = False
    """Accept groups of two, in which each finds the other's value."""

    @model_validator(mode="before")
    @classmethod
    def _mixed_takes_categories(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("grouping") == "mixed" and given.get("categories") is None:
            return given | {"categories": "distance"}
        return given

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns must differ")
        return self

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """k, types and blocks must fit."""
        yield from super().problems(schema)
        if self.k < FEWEST and not self.allow_small_k:
            hint = "take k = 3, or set allow_small_k = true"
            yield Problem("small-k", "k", "in groups of two each finds the other's value", hint)
        if self.categories == "distance" and self.grouping != "mixed":
            message = "only grouping = mixed compares categories and numbers"
            yield Problem("needs-mixed", "grouping", message, "take it, or leave the columns of categories out")
        named = [name for block in self.blocks for name in block]
        if self.blocks and (sorted(named) != sorted(self.columns) or not all(self.blocks)):
            message = "blocks must hold every column of columns once"
            yield Problem("bad-blocks", "blocks", message, "add what is missing, or leave blocks out")
        if self.representative != "mean" and self.grouping in ("safe_interval", "bootstrap"):
            message = f"{self.grouping} is made for means"
            yield Problem("needs-mean", "representative", message, "leave representative out")

    def given(self, schema: Schema) -> tuple[str, ...]:
        """The unit, where owners are respected."""
        return schema.having("unit")[:1] if self.owners == "respect" and self.grouping != "bootstrap" else ()

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Means of groups keep means; a bootstrap does so on average. Gaps that are blanked are more gaps.

        Whole numbers that are rounded one by one may all be rounded the same way: little is left of a mean then.
        """
        if known.get("gaps") != "error":
            return cls.keeps
        whole: Keeps = {**cls.keeps, "missing": "exact"}
        if known.get("representative") != "mean":
            return whole
        how: Kept = "expected" if known.get("grouping") == "bootstrap" else "exact"
        how = "weak" if known.get("round") == "nearest" else how
        return {**whole, "mean": how, "total": how}

    def trail(self, trace: Trace, schema: Schema) -> Groups | None:
        """The columns by whose order groups were made: all where each is by itself, else the first of a block."""
        if trace != "group_mean":
            return None
        blocks = (self.blocks or (self.columns,)) if self.grouping == "one_variable" else ()
        firsts = tuple(next(name for name in block if schema[name].numeric) for block in blocks)
        return Groups(self.columns if self.grouping in SINGLE else firsts, self.splits(schema))

    def parts(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        """The columns that change, block by block."""
        changed = (*self.metric(schema), *self.coded(schema))
        if self.grouping in SINGLE:
            return tuple((name,) for name in changed)
        blocks = tuple(tuple(name for name in block if name in changed) for block in self.blocks)
        return tuple(block for block in blocks if block) or (changed,)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn the strata; refuse what cannot be put into groups of k."""
        if self.kept is not None:
            return self
        refuse_infinite(data, self.metric(data.schema))
        least, found = max(self.k, self.min_stratum), Problems()
        learned = self.model_copy(update={"min_stratum": least}).learn(data, run)
        fitted = self.model_copy(update=learned)
        if self.splits(data.schema) and self.small_strata == "error":
            pooled = _pooled(fitted, data)
            if pooled:
                hint = "use coarser strata, or set small_strata = merge"
                found.add("small-strata", "strata", f"{pooled} strata hold fewer than {least} records", hint)
        fitted._look(data, run, found)
        found.raise_as(InfeasibleError)
        return fitted

    def again(self) -> Self:
        """Strata are counted anew."""
        return self.model_copy(update={"kept": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the values of the groups."""
        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        import numpy as np

        from schleier.kernels.grouping.microaggregation import microaggregate

        schema, plan = data.schema, self._plan(data.schema)
        names = (*self.metric(schema), *self.coded(schema))
        blocks = [[names.index(name) for name in block] for block in self.parts(schema)]
        owned, matrices = bool(self.given(schema)), dict(zip(names[::-1], plan.distances[::-1], strict=False))

        def change(numbers: Floats, stratum: str, draws: KeyedDraws) -> Floats:
            owners = numbers[:, -1].astype(np.int64) if owned else None
            result = np.empty((len(numbers), len(names)))
            for block in blocks:
                apart = tuple(matrices[names[j]] for j in block if names[j] in matrices)
                part = plan if apart == plan.distances else _with(plan, apart)
                result[:, block] = microaggregate(np.ascontiguousarray(numbers[:, block]), part, owners, draws)
            return result

        return changed_numbers(self, data, run, change)

    def numbers(self, group: Arrays, schema: Schema, draws: KeyedDraws) -> Floats:
        """The columns as numbers, categories by their place; the owner is the last column where there is one."""
        import numpy as np

        parts = [group[name].astype(np.float64, copy=False) for name in self.metric(schema)]
        for name in self.coded(schema):
            codes = self._codes(group[name], name)
            parts.append(np.where(codes < 0, np.nan, codes))
        parts += [_owners(group[name]) for name in self.given(schema)]
        return parts[0][:, None] if len(parts) == 1 else np.stack(parts, axis=1)

    def released(self, numbers: Floats, group: Arrays, schema: Schema) -> dict[str, NDArray[Any]]:
        """The columns back from numbers."""
        import numpy as np

        metric = self.metric(schema)
        found: dict[str, NDArray[Any]] = {n: self._rounded(numbers[:, i], n, schema) for i, n in enumerate(metric)}
        for i, name in enumerate(self.coded(schema), start=len(metric)):
            words = np.array([*self.values[name], None], dtype=object)
            found[name] = words[np.where(np.isnan(numbers[:, i]), len(words) - 1, numbers[:, i]).astype(np.int64)]
        return found

    def _plan(self, schema: Schema) -> GroupingPlan:
        import pyarrow as pa

        from schleier.kernels.grouping.microaggregation import GroupingPlan

        return GroupingPlan(
            grouping=self.grouping,
            k=self.k,
            representative=self.representative,
            interval=self.interval,
            published=self.published,
            reach=self.reach,
            pieces_of=self.pieces_of,
            keep_zeros=self.zeros == "keep",
            distances=tuple(distances(schema, n, pa.array(self.values[n])) for n in self.coded(schema)),
        )

    def _look(self, data: Dataset, run: Run, found: Problems) -> None:
        """Whether k records, and three owners, have the same gaps, stratum by stratum and block by block."""
        (named, by), unit, owners = self.split(data), self.given(data.schema), min(FEWEST, self.k)
        safe = self.grouping == "safe_interval"
        for block in self.parts(data.schema):
            text = pattern(block, data.schema, zeros=safe or self.zeros == "keep", signs=safe)
            few, alone, single = rare(named.mutate(**{PATTERN: text}), by, unit, self.k, owners)
            if self.gaps == "blank":
                if few + alone:
                    run.note(columns=list(block), records_blanked=few + alone)
                continue
            if few and single:
                message = f"groups of {self.k} need {self.k} records at least, and there are {few}"
                found.add("few-records", "k", message, "take a smaller k, or more records")
            elif few:
                message = f"{few} records have gaps (or kept zeros, or signs) that fewer than {self.k} have"
                hint = f"fill or drop {listed(block)} first, use several blocks, or set gaps = blank"
                found.add("rare-gaps", "columns", message, hint)
            if alone:
                message = f"{alone} records with the same gaps belong to fewer than {owners} units"
                found.add("few-owners", "owners", message, "use coarser strata, or set gaps = blank")


def _with(plan: GroupingPlan, apart: tuple[Floats, ...]) -> GroupingPlan:
    from dataclasses import replace

    return replace(plan, distances=apart)


def _owners(cells: NDArray[Any]) -> Floats:
    """A number for every unit; who has none is one of his own."""
    import numpy as np
    import pyarrow as pa

    codes = pa.array(cells, from_pandas=True).dictionary_encode().indices
    gone = codes.is_null().to_numpy(zero_copy_only=False)
    numbers: Floats = codes.fill_null(0).to_numpy(zero_copy_only=False).astype(np.float64)
    numbers[gone] = len(cells) + np.arange(int(gone.sum()))
    return numbers


def _pooled(step: Microaggregate, data: Dataset) -> int:
    """How many strata are too small."""
    import narwhals as nw

    from schleier.methods._discrete import STRATUM

    named = data.mutate(**{STRATUM: step._stratum(data.schema)})
    return len(named.grouped([STRATUM], {"_n_": nw.len()})) - len(step.kept or ())
