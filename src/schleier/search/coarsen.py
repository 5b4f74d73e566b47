"""The least coarse table that meets the criteria: full-domain generalisation over hierarchies, proven optimal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self

from pydantic import Field, field_validator

from schleier.core.amount import settle_all
from schleier.core.component import listed, secret
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.hierarchy import AnyHierarchy, Hierarchy
from schleier.core.loss import Loss
from schleier.core.method import Method
from schleier.core.nested import nested
from schleier.core.packing import packed, unpacked
from schleier.core.schema import Schema
from schleier.core.sql import FOUND, Rewrite, Typed, lookup_of, quoted
from schleier.core.traces import Traces
from schleier.search._goals import demands_of, request_of, with_members
from schleier.search._stages import Others, Stage, labelled, learned_hierarchies, recode, relabelled, with_hierarchies

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.search._choices import Choices
    from schleier.search._judge import Node
    from schleier.search._optimum import Search

LARGEST = 1_000_000
"""Nodes of the largest lattice that is searched whole."""


class Coarsen(Method):
    """Choose a level for every key so that the criteria are met and least information is lost.

    >>> Coarsen(criteria=[{"criterion": "k_anonymity", "k": 5}], max_suppressed=0.04).criteria[0].k
    5
    """

    counts: ClassVar[frozenset[str]] = frozenset({"suppressed_records", "suppressed", "suppressed_with_their_unit"})
    reference: ClassVar[str] = "Samarati, Sweeney (1998); Kohlmayer et al. (2012), Flash; Bitkom 2.1"
    traces: ClassVar[Traces] = frozenset({"coarsening", "gap", "rule"})
    design: ClassVar[frozenset[str]] = frozenset({"levels", "further", "nodes", "looked_at"})
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1", "A2")
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
    """Share of the records that may be suppressed where that saves more than it costs."""
    suppressed: Literal["drop", "blank"] = "drop"
    """Leave suppressed records out, or keep them with all keys missing."""
    local: bool = False
    """Give the records that one choice for all would suppress levels of their own."""
    heuristic: bool = False
    """Take a good choice without proof where there are too many to look at, or too many for the time limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds of computing after which the best found so far is taken; the report says how far off it can be."""
    levels: dict[str, int] | None = None
    """Learned: the level of each key."""
    further: tuple[dict[str, int], ...] = ()
    """Learned: levels of the records that these would have suppressed, one set after the other."""
    suppressed_records: int | None = None
    """Learned: records that were suppressed."""
    hierarchies: dict[str, AnyHierarchy] = secret(default_factory=dict)
    """Learned: the hierarchies as they were used."""
    kept: tuple[str, ...] = secret(())
    """Learned: the combinations for each set of levels, as compressed Arrow tables in base64; empty when all stay."""

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
        if self.local and not self.loss.additive:
            message = "levels of their own can be chosen only by a loss that adds up over cells"
            yield Problem("not-additive", "loss", message, 'use "generalised_loss", or leave local out')
        for criterion in self.criteria:
            yield from criterion.problems(schema)
        yield from self.loss.problems(schema)
        if both := sorted(set(self.loss.histograms(schema)) & set(keys)):
            hint = "take it out of the columns of the search, or choose another target"
            yield Problem("target-is-key", "loss", f"both key and target of the loss: {listed(both)}", hint)

    def after(self, schema: Schema) -> Schema:
        """Keys that became coarser hold words; before the levels are known, all that may become coarser."""
        sets = (self.levels, *self.further) if self.levels is not None else ()
        may = {n for n in self.uses(schema) if self._hierarchy(schema, n)} if self.levels is None else ()
        for name in self.uses(schema):
            if name in may or any(levels.get(name) for levels in sets):
                schema = recode(name, 1, None).after(schema)
        return schema

    def same_rows(self) -> bool:
        """When no record was suppressed, or only its keys."""
        return self.suppressed_records == 0 or self.suppressed == "blank"

    def fit(self, data: Dataset, run: Run) -> Self:
        """Search the lattice; records that steps added hide nobody and are not counted."""
        if self.levels is not None:
            return self if self.suppressed_records is not None else self._counted(data.genuine(), run)
        from schleier.search._units import with_whole_units

        search, known = self._search(data, run)

        def choose(one: Search) -> tuple[Self, dict[str, Any]]:
            return self._chosen(one, known, run)

        units = bool(data.schema.having("unit"))
        found: tuple[Self, dict[str, Any]]
        found = with_whole_units(data.genuine(), search, choose, run) if units else choose(search)
        fitted, facts = found
        run.note("restricted", **facts)
        run.note("public", **settle_all(facts, ()))
        return fitted

    def choices(self, data: Dataset, run: Run) -> Choices:
        """The best node, every node nobody has reason to refuse for another, and those that were looked at."""
        from schleier.search._choices import choices

        search = self._search(data, run)[0]
        if search.nodes > LARGEST:
            self._refuse(search)
        return choices(search)

    def _search(self, data: Dataset, run: Run) -> tuple[Search, dict[str, Hierarchy]]:
        from schleier.search._optimum import Search

        keys = self.uses(data.schema)
        demands = demands_of(self.criteria, run.criteria, data.schema, keys)
        hierarchies = learned_hierarchies(data, [name for name in keys if self._hierarchy(data.schema, name)])
        described = data.genuine().described(with_hierarchies(data.schema, hierarchies))
        loss = self.loss.about(described.schema, keys)
        request = request_of(keys, demands, loss.histograms(described.schema))
        classes = described.classes(with_members(request) if request.compositions else request)
        # Never all of them: a release without records is none.
        budget = min(int(self.max_suppressed * classes.records + 1e-9), max(classes.records - 1, 0))
        blank = self.suppressed == "blank"
        search = Search(classes, demands, loss, budget, loss.columns, blank=blank, seconds=self.time_limit)
        return search, hierarchies

    def _chosen(self, search: Search, hierarchies: dict[str, Hierarchy], run: Run) -> tuple[Self, dict[str, Any]]:
        """The step with its levels, and what the report tells of the search."""
        from schleier.search._explanation import explain_coarsest
        from schleier.search._local import learned_levels, local_plan

        keys, fixed = search.classes.keys, {"hierarchies": hierarchies}
        node = self._best(search, run)
        if node is None:
            raise InfeasibleError(explain_coarsest(search))
        seen = min(search.looked_at, search.nodes)  # a node that was looked at in two walks is one of them
        facts = {"nodes": search.nodes, "looked_at": seen, "loss": node.cost}
        proven = {"proven": node.cost <= search.bound, "bound": search.bound}
        # Who has levels of his own matches nobody in a population table, whose persons have none.
        plan = local_plan(search) if self.local and self.max_suppressed and not search.classes.populations else None
        if plan is not None and len(plan.parts) > 1 and plan.cost < node.cost:
            found = {"loss": plan.cost, "loss_of_one_choice": node.cost}
            return self.model_copy(update=fixed | learned_levels(keys, plan)), facts | found
        kept = (packed(node.released.combinations()),) if node.suppressed else ()
        levels = dict(zip(keys, node.levels, strict=True))
        learned = {"levels": levels, "kept": kept, "suppressed_records": node.suppressed}
        return self.model_copy(update=fixed | learned), facts | proven

    def _best(self, search: Search, run: Run) -> Node | None:
        from schleier.search._greedy import bound, greedy_node

        if search.nodes <= LARGEST:
            node = search.best()
            if node is None or node.cost <= search.bound or not self.heuristic:
                return node
            # Cut off by the clock, perhaps with nothing but the coarsest node: steps downhill from there find more.
            other, seen = greedy_node(search, run.rng("greedy"), search.seconds)
            search.looked_at += seen
            return node if other is None or node.cost <= other.cost else other
        if not self.heuristic:
            self._refuse(search)
        node, search.looked_at = greedy_node(search, run.rng("greedy"), search.seconds)
        search.bound = bound(search)
        return node

    def _refuse(self, search: Search) -> NoReturn:
        message = f"the lattice has {search.nodes:,} nodes; at most {LARGEST:,} are searched"
        hint = "search fewer columns, give their hierarchies fewer levels, or set heuristic = true"
        stop(InfeasibleError, "lattice-too-large", "columns", message, hint)

    def lenient(self) -> Self:
        """Values outside the hierarchies become the root, and nobody is suppressed."""
        lenient = {name: h.model_copy(update={"outside": "root"}) for name, h in self.hierarchies.items()}
        if not self.further:
            return self.model_copy(update={"hierarchies": lenient, "kept": ()})
        # Which combinations have levels of their own can be seen in the release; who has none of them gets the first.
        return self.model_copy(update={"hierarchies": lenient, "further": (*self.further, self.levels)})

    def again(self) -> Self:
        """The levels stay, and so do the combinations that were allowed; who is suppressed is counted anew."""
        return self.model_copy(update={"suppressed_records": None})

    def repeated(self, data: Dataset, before: Schema, run: Run) -> Dataset | None:
        """The words of each key looked at once more; none before the levels are known, or where there are several."""
        known = self.levels is not None and not self.further
        return relabelled(data, self.stages[0], self.hierarchies, before, run) if known else None

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The label of each key, and a lookup of the combinations that stay; not for levels of their own, nor units."""
        if self.further or (self.kept and schema.having("unit")):
            return None
        columns: dict[str, Typed] = {}
        for name, level in (self.levels or {}).items():
            if level:
                rewrite = recode(name, level, self.hierarchies[name]).sql(schema, types)
                if rewrite is None:
                    return None
                columns |= rewrite.columns
        if not self.kept:
            return Rewrite(columns)
        held = {name: columns.get(name, Typed(quoted(name), types[name])) for name in self.levels or {}}
        lookup = lookup_of(unpacked(self.kept[0]), held)
        if lookup is None:
            return None
        if self.suppressed == "blank":
            blank = {n: Typed(f"CASE WHEN {FOUND} THEN {value.text} END", value.kind) for n, value in held.items()}
            return Rewrite(blank, lookup=lookup)
        return Rewrite(columns, where=f"{FOUND} IS NOT NULL", lookup=lookup)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its keys at their levels; suppressed records are gone, or their keys are."""
        if self.levels is None or self.suppressed_records is None:
            return self.fit(data, run).apply(data, run)
        more = {"further": self.further} if self.further else {}
        run.note("public", levels=self.levels, suppressed=self.suppressed_records, **more)
        return self.labelled(data, run, self.stages, self.suppressed)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What rows are labelled by."""
        sets = (self.levels or {}, *self.further)
        return tuple(
            Stage(levels, unpacked(kept) if kept is not None else None) for levels, kept in zip_longest(sets, self.kept)
        )

    def labelled(self, data: Dataset, run: Run, stages: Sequence[Stage], others: Others) -> Dataset:
        """Rows with the labels of some stages."""
        return labelled(data, stages, self.hierarchies, self.after(data.schema), others, run)

    def _counted(self, data: Dataset, run: Run) -> Self:
        """How many of other rows are suppressed."""
        left = self.labelled(data, run, self.stages, "drop")
        return self.model_copy(update={"suppressed_records": data.rows - left.rows})

    def _hierarchy(self, schema: Schema, name: str) -> bool:
        return name in self.hierarchies or (name in schema and schema[name].hierarchy in schema.hierarchies)
