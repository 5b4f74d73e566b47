"""How many levels the columns were raised in all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.errors import Problem
from schleier.core.loss import Coarsened, Loss
from schleier.core.measure import Case, Finding
from schleier.core.pairs import pairs_of
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.run import Run


class HeightLoss(Loss):
    """Sum of the levels of the columns, divided by the sum of the depths of their hierarchies; dropping costs nothing.

    >>> HeightLoss(weights={"age": 2}).weight("age")
    2.0
    """

    reference: ClassVar[str] = "Samarati (2001), Protecting respondents' identities, distance vectors; ARX (height)"
    example: ClassVar[dict[str, object]] = {}

    columns: tuple[str, ...] = ()
    """Columns whose levels count; all quasi-identifiers that have a hierarchy when empty."""
    weights: dict[str, float] = Field(default_factory=dict)
    """How much a level of a column matters, 1 unless said here."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that count."""
        return self.columns or tuple(name for name in schema.quasi if schema[name].hierarchy) or schema.quasi

    def counted(self, fine: Classes) -> list[int]:
        """The places of its columns among the keys; those with a hierarchy, or all, when none is there."""
        named = [j for j, name in enumerate(fine.keys) if name in self.columns]
        return named or [j for j, h in enumerate(fine.hierarchies) if h] or list(range(len(fine.keys)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights are positive and belong to columns that count."""
        yield from super().problems(schema)
        for name, weight in self.weights.items():
            if name not in schema:
                yield schema.unknown(name, "weights")
            if not (weight > 0 and math.isfinite(weight)):
                yield Problem("bad-weight", "weights", f"the weight of column '{name}' is not positive")

    def weight(self, name: str) -> float:
        """How much a level of a column matters."""
        return self.weights.get(name, 1.0)

    def of(self, node: Coarsened) -> float:
        """The levels alone, as long as anything is left."""
        return 1.0 if node.fine.records and node.dropped == node.fine.records else self.floor(node)

    def floor(self, node: Coarsened) -> float:
        """Its own height: coarser nodes are higher, whatever is dropped."""
        fine = node.fine
        if not fine.records:
            return 0.0
        names = [(j, fine.keys[j], fine.hierarchies[j]) for j in self.counted(fine)]
        levels = {name: node.levels[j] for j, name, _ in names}
        return self._share(levels, {name: hierarchy.depth if hierarchy else 1 for _, name, hierarchy in names})

    def measure(self, case: Case, run: Run) -> Finding:
        """Look up the level of each column in its hierarchy; one that the release does not have is at the root."""
        schema, levels, depths = case.original.schema, {}, {}
        for name in self.uses(schema):
            if name not in schema:
                continue
            hierarchy = schema.hierarchies.get(schema[name].hierarchy or "")
            depths[name] = hierarchy.depth if hierarchy else 1
            pairs = pairs_of(case, name) if case.original.rows else None
            levels[name] = pairs.level() if pairs else depths[name]
        left = bool(case.released.rows)
        value = float(not left) if not case.original.rows or not left else self._share(levels, depths)
        detail = {"levels": levels, "height": sum(levels.values()), "most": sum(depths.values())}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        height, most = finding.detail["height"], finding.detail["most"]
        text = f"The columns were raised by {height} of {most} levels in all; left-out records are not counted."
        return finding.model_copy(update={"text": text})

    def _share(self, levels: Mapping[str, int], depths: Mapping[str, int]) -> float:
        """Levels of all levels there are, both with weights."""
        most = sum(self.weight(name) * depth for name, depth in depths.items())
        return sum(self.weight(name) * level for name, level in levels.items()) / most if most else 0.0
