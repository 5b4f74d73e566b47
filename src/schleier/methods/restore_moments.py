"""Change values with another method, then give the columns their mean and variance back (Höhne M12, Kim)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.data import tally
from schleier.core.errors import Problem
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Blocks, Trace, Traces, Trail
from schleier.methods._second_step import OLD, AfterFirst

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

SMALL = 50
"""Blocks of fewer records tell too much: two records are restored exactly, a dozen nearly."""


class RestoreMoments(AfterFirst):
    """After a first method, each column is stretched and moved until its mean and variance are the original ones.

    >>> first = {"method": "round_to", "column": "income", "base": 500}
    >>> RestoreMoments(columns=["income"], first=first).block is None
    True
    """

    counts: ClassVar[frozenset[str]] = frozenset({"with_another_sign"})
    reference: ClassVar[str] = "Kim (1986); Höhne (2010), 3.3.1 (M12): correction of the variance"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    traces: ClassVar[Traces] = frozenset({"stretch"})
    effects: ClassVar[tuple[str, ...]] = ("E3",)
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    ways: ClassVar[tuple[str, ...]] = ("within",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "mean": "weak"}
    example: ClassVar[dict[str, object]] = {
        "columns": ["income"],
        "first": {"method": "round_to", "column": "income", "base": 500},
    }

    block: int | None = Field(default=None, ge=2)
    """Correct blocks of so many neighbours one by one, instead of all records at once. This undoes much of what the
    first method did: the smaller the block, the nearer its values come to the original ones."""
    allow_small_blocks: bool = False
    """Accept blocks of fewer than 50 records, which may restore the original values."""
    zeros: Literal["change", "keep"] = "change"
    """Whether zeros move too; "keep" for zeros that follow from other columns (structural zeros)."""
    round: Literal["none", "nearest"] = "nearest"
    """What becomes of whole numbers: broken (none) or rounded (nearest); rounded ones keep their moments nearly."""

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Both moments, unless whole numbers are rounded one by one."""
        return {**cls.keeps, "mean": "exact", "variance": "exact"} if known.get("round") == "none" else cls.keeps

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Small blocks are dangerous."""
        yield from super().problems(schema)
        if self.block is not None and self.block < SMALL and not self.allow_small_blocks:
            message = f"mean and variance of blocks of {self.block} records nearly restore the original values"
            hint = f"use blocks of at least {SMALL} records or none, or set allow_small_blocks = true"
            yield Problem("small-blocks", "block", message, hint)

    def trail(self, trace: Trace, schema: Schema) -> Trail | None:
        """The blocks; otherwise as the first method left it."""
        return Blocks(self.block, self.splits(schema)) if trace == "stretch" else super().trail(trace, schema)

    def learn(self, data: Dataset, run: Run) -> dict[str, Any]:
        """A stratum is a block as well."""
        if self.allow_small_blocks:
            return super().learn(data, run)
        pooling = self.model_copy(update={"min_stratum": max(self.min_stratum, SMALL), "allow_small_blocks": True})
        return pooling.learn(data, run)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Fit the first method; pool small strata."""
        if self.kept is not None:
            return self
        return super().fit(data, run).model_copy(update=self.learn(data, run))

    def again(self) -> Self:
        """The first method as it was learned; strata and moments anew."""
        return super().again().model_copy(update={"kept": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The first method, then the correction; values that changed their sign are counted."""
        import narwhals as nw

        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        wide = self.changed(data, run)
        names = self.metric(data.schema)
        old = [OLD.format(j) for j in range(len(names))]
        schema = wide.schema.without(old)
        rows, by = self.split(wide)
        types = self.types(replace(wide, schema=schema))
        found = rows.map_groups(by, self._kernel(names, schema), types, [*old, *by]).kept()
        if self.block is not None:
            run.note(caution="blocks have their own mean and variance back: values are nearer to the original ones")
        signs = {name: tally((nw.col(name) * nw.col(before)) < 0) for name, before in zip(names, old, strict=True)}
        turned = {name: int(count) for name, count in found.totals(**signs).items() if count}
        if turned:
            run.note(with_another_sign=turned)
        kept = [nw.col(name) for name in (schema.key, *schema.names)]
        return replace(data, frame=found.frame.select(*kept), schema=self.after(data.schema))

    def _kernel(self, names: tuple[str, ...], schema: Schema) -> Any:
        import numpy as np

        from schleier.kernels.change.restoration import restored, restored_in_blocks

        def kernel(group: Arrays) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for j, name in enumerate(names):
                old, new = group[OLD.format(j)].astype(np.float64), group[name].astype(np.float64)
                who = ~np.isnan(old) & ~np.isnan(new)
                if self.zeros == "keep":
                    who &= (old != 0) | (new != 0)
                if who.any():
                    before, after = old[who], new[who]
                    blocks = self.block is not None
                    new[who] = restored_in_blocks(before, after, self.block or 0) if blocks else restored(before, after)
                found[name] = self._rounded(new, name, schema)
            return found

        return kernel
