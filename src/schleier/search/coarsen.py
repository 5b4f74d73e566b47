"""The least coarse table that meets the criteria: full-domain generalisation over hierarchies, proven optimal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field, field_validator

from schleier.core import registry
from schleier.core.classes import Classes
from schleier.core.component import secret
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.hierarchy import AnyHierarchy, Hierarchy
from schleier.core.loss import Loss
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.nested import nested
from schleier.core.packing import packed, unpacked
from schleier.core.schema import Schema
from schleier.core.sql import FOUND, Rewrite, Typed, lookup_of, quoted
from schleier.search.goals import demands_of, request_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.search.optimum import Node, Search

KEPT = "_kept_"
LARGEST = 1_000_000
"""Nodes of the largest lattice that is searched."""


class Coarsen(Method):
    """Choose a level for every key so that the criteria are met and least information is lost.

    >>> Coarsen(criteria=[{"criterion": "k_anonymity", "k": 5}], max_suppressed=0.04).criteria[0].k
    5
    """

    reference: ClassVar[str] = "Samarati, Sweeney (1998); Kohlmayer et al. (2012), Flash; Bitkom 2.1"
    mapping: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {
        "columns": ["age", "sex"],
        "criteria": [{"criterion": "k_anonymity", "k": 3, "keys": [["age", "sex"]]}],
    }

    columns: tuple[str, ...] = ()
    """The keys whose levels are chosen; all quasi-identifiers when empty."""
    criteria: tuple[nested("criterion"), ...] = ()  # type: ignore[valid-type]
    """What must hold; the criteria of the recipe when empty."""
    loss: nested("measure") = Field(default="generalised_loss", validate_default=True)  # type: ignore[valid-type]
    """What is made small."""
    max_suppressed: float = Field(default=0.0, ge=0.0, le=1.0)
    """Share of the records that may be left out where that saves more than it costs."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds after which the best found so far is taken; the report then says how far from the best it can be."""
    levels: dict[str, int] | None = None
    """Learned: the level of each key."""
    suppressed: int | None = None
    """Learned: records that were left out."""
    hierarchies: dict[str, AnyHierarchy] = secret(default_factory=dict)
    """Learned: the hierarchies as they were used."""
    kept: str | None = secret(None)
    """Learned: the combinations that stay, as a compressed Arrow table in base64; absent when all do."""

    @field_validator("loss")
    @classmethod
    def _is_loss(cls, loss: Any) -> Any:
        if not isinstance(loss, Loss):
            raise ValueError("this measure is no loss that a search can make small")
        return loss

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return self.columns or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys, with hierarchies for those that are to become coarser."""
        yield from super().problems(schema)
        keys = self.uses(schema)
        if not keys:
            yield Problem("no-keys", "columns", "there is no quasi-identifier to coarsen", "name columns")
        if len(set(keys)) < len(keys):
            yield Problem("equal-columns", "columns", "columns must differ")
        if keys and not any(name in schema and self._hierarchy(schema, name) for name in keys):
            hint = "declare them under [hierarchies] and name them in the schema"
            yield Problem("no-hierarchy", "columns", "none of the keys has a hierarchy", hint)
        for criterion in self.criteria:
            yield from criterion.problems(schema)
        yield from self.loss.problems(schema)

    def after(self, schema: Schema) -> Schema:
        """Keys that became coarser hold words; before the levels are known, all that may become coarser."""
        for name, level in (self.levels or {n: 1 for n in self.uses(schema) if self._hierarchy(schema, n)}).items():
            if level:
                schema = self._recode(name, level, None).after(schema)
        return schema

    def fit(self, data: Dataset, run: Run) -> Self:
        """Search the lattice."""
        if self.levels is not None:
            return self if self.suppressed is not None else self._counted(data, run)
        from schleier.search.optimum import Search

        keys = self.uses(data.schema)
        demands = demands_of(self.criteria, run.criteria, data.schema, keys)
        hierarchies = _fitted(data, [name for name in keys if self._hierarchy(data.schema, name)])
        described = data.described(_with(data.schema, hierarchies))
        classes = described.classes(request_of(keys, demands))
        counted = [name for name in self.loss.uses(described.schema) or keys if name in keys]
        # Never all of them: a release without records is none.
        budget = min(int(self.max_suppressed * classes.records + 1e-9), max(classes.records - 1, 0))
        search = Search(classes, demands, self.loss, budget, counted, self.time_limit)
        if search.nodes > LARGEST:
            message = f"the lattice has {search.nodes:,} nodes; at most {LARGEST:,} are searched"
            hint = "search fewer columns, or give their hierarchies fewer levels"
            stop(InfeasibleError, "lattice-too-large", "columns", message, hint)
        best = search.best()
        if best is None:
            raise InfeasibleError(_explained(search, self.max_suppressed))
        proven = best.cost <= search.bound
        run.note(nodes=search.nodes, looked_at=search.looked_at, loss=best.cost, proven=proven, bound=search.bound)
        kept = packed(_labels(best)) if best.dropped else None
        update = {"hierarchies": hierarchies, "kept": kept, "suppressed": best.dropped}
        return self.model_copy(update=update | {"levels": dict(zip(keys, best.levels, strict=True))})

    def lenient(self) -> Self:
        """Values outside the hierarchies become the root, and nobody is left out."""
        lenient = {name: h.model_copy(update={"outside": "root"}) for name, h in self.hierarchies.items()}
        return self.model_copy(update={"hierarchies": lenient, "kept": None})

    def again(self) -> Self:
        """The levels stay, and so do the combinations that were allowed; who is left out is counted anew."""
        return self.model_copy(update={"suppressed": None})

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The label of each key, and a lookup of the combinations that stay."""
        columns: dict[str, Typed] = {}
        for name, level in (self.levels or {}).items():
            if level:
                rewrite = self._recode(name, level, self.hierarchies[name]).sql(schema, types)
                if rewrite is None:
                    return None
                columns |= rewrite.columns
        if self.kept is None:
            return Rewrite(columns)
        kept = {name: columns.get(name, Typed(quoted(name), types[name])) for name in self.levels or {}}
        lookup = lookup_of(unpacked(self.kept), kept)
        return Rewrite(columns, where=f"{FOUND} IS NOT NULL", lookup=lookup) if lookup else None

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its keys at their levels, without the records that were suppressed."""
        if self.levels is None or self.suppressed is None:
            return self.fit(data, run).apply(data, run)
        run.note(levels=self.levels, suppressed=self.suppressed)
        return self._left(self._recoded(data, run))

    def _recoded(self, data: Dataset, run: Run) -> Dataset:
        for name, level in (self.levels or {}).items():
            if level:
                data = self._recode(name, level, self.hierarchies[name]).apply(data, run)
        return data

    def _left(self, data: Dataset) -> Dataset:
        import narwhals as nw
        import pyarrow as pa

        if self.kept is None:
            return data
        table = unpacked(self.kept)
        flagged = table.append_column(KEPT, pa.repeat(pa.scalar(1), len(table)))
        found = matched(data, flagged, list(self.levels or {})).filter(~nw.col(KEPT).is_null())
        return replace(found, frame=found.frame.drop(KEPT))

    def _counted(self, data: Dataset, run: Run) -> Self:
        """How many of other rows are left out."""
        coarse = self._recoded(data, run)
        return self.model_copy(update={"suppressed": coarse.rows - self._left(coarse).rows})

    def _hierarchy(self, schema: Schema, name: str) -> bool:
        return name in self.hierarchies or (name in schema and schema[name].hierarchy in schema.hierarchies)

    def _recode(self, name: str, level: int, hierarchy: Hierarchy | None) -> Method:
        """One key at its level; the method ``recode`` knows how."""
        found: Method = registry.get("method", "recode")(column=name, level=level, hierarchy=hierarchy)
        return found


def _fitted(data: Dataset, names: Sequence[str]) -> dict[str, Hierarchy]:
    import narwhals as nw

    found = {name: data.schema.hierarchy(name) for name in names}
    return {name: h.fit(*data.counts(nw.col(name))) if h.learns else h for name, h in found.items()}


def _with(schema: Schema, hierarchies: dict[str, Hierarchy]) -> Schema:
    named = {schema[name].hierarchy or name: hierarchy for name, hierarchy in hierarchies.items()}
    return schema.model_copy(update={"hierarchies": {**schema.hierarchies, **named}})


def _labels(node: Node) -> dict[str, Any]:
    """The combinations of labels that stay."""
    import pyarrow as pa

    stay: Classes = node.table.only(~node.bad)
    codes = (stay.codes[:, j] for j in range(len(stay.keys)))
    places = (pa.array(column, mask=column < 0) for column in codes)
    return {name: values.take(place) for name, values, place in zip(stay.keys, stay.values, places, strict=True)}


def _explained(search: Search, share: float) -> list[Problem]:
    """Why nothing holds: what each criterion says of the coarsest table."""
    top, found = search.top(), []
    for i, demand in enumerate(search.demands):
        verdict = demand.verdict(top.table)
        if not verdict.holds:
            message = f"even with all keys at their coarsest level it is broken: {verdict.text}"
            found.append(Problem("unreachable", f"criteria[{i}]", message, "lower the demand"))
    if not found:
        message = f"the criteria can be met only by leaving out more than {share:.0%} of the records"
        found.append(Problem("unreachable", "max_suppressed", message, "allow more, or give the keys coarser levels"))
    return found
