"""Add look-alikes of rare records (Höhne T14, cloning)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.classes.request import Request
from schleier.core.component import listed, secret
from schleier.core.data import tally
from schleier.core.errors import Problem
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import CONTENT, Column, Schema
from schleier.core.traces import Traces
from schleier.methods._added_records import after_adding, appended, fresh_units, put, renamed, with_wide_numbers

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

RARE = "_rare_"
TENS = tuple(float(f"1e{k}") for k in range(-6, 7))
"""Amounts are written in steps of 1, 2 or 5 times one of these: 0.000001 to 5 million."""
OFF = 1e-6
"""A value so far from a whole number of steps is none."""


class CloneUnits(Method):
    """Add artificial records with the same ``keys`` and similar amounts where a combination of keys is rare.

    >>> CloneUnits(keys=["industry", "region"], min_count=3, spread=0.2).clones
    2
    """

    counts: ClassVar[frozenset[str]] = frozenset({"cloned", "cloned_records", "clones"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Klonen (T14)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"copy"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A2",)
    example: ClassVar[dict[str, object]] = {
        "keys": ["age", "sex"],
        "min_count": 2,
        "spread": 0.1,
        "vary": ["disease"],
    }

    keys: tuple[str, ...] = Field(min_length=1)
    """The columns an attacker may know: clones share them; missing is a value of its own."""
    min_count: int = Field(ge=2)
    """Combinations with fewer records than this get clones."""
    clones: int = Field(default=2, ge=1, le=100)
    """Clones of each such record. With 2 there are three that look alike."""
    spread: float = secret(gt=0, lt=1)
    """Amounts of a clone differ by at most this share of the original, and by half of it at least."""
    vary: tuple[str, ...] = ()
    """Columns that are themselves worth knowing: a clone gets the value of another record at random."""
    share_weights: bool = True
    """Divide the weight of a record among itself and its clones, so that weighted counts stay right."""
    public: tuple[str, ...] = ()
    """Secret parameters to publish."""
    cloned: int | None = None
    """Learned: number of records that were cloned."""

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """The sum of the weights, where clones share them."""
        return {"total weight": "exact"} if known.get("share_weights") else {}

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        named = (*self.keys, *self.vary)
        if len(set(named)) < len(named):
            raise ValueError("keys and vary must differ: clones share the keys")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Keys and columns that vary; and all others, which a clone has too."""
        return tuple(dict.fromkeys((*self.keys, *self.vary, *schema.names)))

    def label(self, schema: Schema) -> str:
        """Its name, or its word and the keys."""
        return self.name or f"{self.word()}:{','.join(self.keys)}"

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights, units and identifiers are no keys."""
        yield from super().problems(schema)
        odd = [
            n for n in (*self.keys, *self.vary) if n in schema and schema[n].role in ("weight", "unit", "identifier")
        ]
        if odd:
            message = f"clones have weights, units and identifiers of their own: {listed(odd)}"
            yield Problem("not-cloned", "keys", message, "leave them out")

    def after(self, schema: Schema) -> Schema:
        """Divided weights are broken numbers; units have new numbers, identifiers are gone."""
        schema = after_adding(schema)
        for name in schema.having("weight") if self.share_weights else ():
            schema = schema.changed(name, scale="continuous", decimals=None)
        return schema

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the rare records."""
        if self.cloned is not None:
            return self
        sizes = data.classes(Request(keys=self.keys)).sizes
        return self.model_copy(update={"cloned": int(sizes[sizes < self.min_count].sum())})

    def again(self) -> Self:
        """Count the other rows again."""
        return self.model_copy(update={"cloned": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with clones; the rare records are held in memory."""
        import narwhals as nw

        if self.cloned is None:
            return self.fit(data, run).apply(data, run)
        told = "counts and totals hold the clones, too" + (": use the weights" if data.schema.having("weight") else "")
        run.note(cloned_records=self.cloned, clones=self.clones * self.cloned, caution=told)
        after, weights = self.after(data.schema), data.schema.having("weight") if self.share_weights else ()
        ready = data.mutate(**{name: nw.col(name).cast(nw.Float64) for name in weights}) if weights else data
        ready = with_wide_numbers(replace(ready, schema=after))
        if not self.cloned:
            return fresh_units(ready, run)
        marked = self._marked(ready).kept()
        rare = marked.filter(~nw.col(RARE).is_null())
        others = marked.filter(nw.col(RARE).is_null())
        others = replace(others, frame=others.frame.drop(RARE))
        originals, *copies = self._copies(ready, replace(rare, frame=rare.frame.drop(RARE)), run)
        return fresh_units(appended(others, originals, copies), run)

    def _marked(self, data: Dataset) -> Dataset:
        import pyarrow as pa

        classes = data.classes(Request(keys=self.keys))
        rare = classes.only(classes.sizes < self.min_count)
        parts = zip(rare.keys, rare.values, rare.codes.T, strict=True)
        table = {key: values.take(pa.array(codes, mask=codes == -1)) for key, values, codes in parts}
        return matched(data, pa.table({**table, RARE: pa.repeat(1, len(rare))}), self.keys)

    def _copies(self, data: Dataset, rare: Dataset, run: Run) -> list[pa.Table]:
        """The rare records with their weights divided, and each set of clones."""
        schema = data.schema
        weights = schema.having("weight") if self.share_weights else ()
        amounts = [c for c in schema if c.numeric and c.role in CONTENT]
        changed = [c for c in amounts if c.name not in (*self.keys, *self.vary)]
        drawn = rare
        for copy in range(1, self.clones + 1):
            for i, name in enumerate((*(c.name for c in changed), *self.vary)):
                drawn = run.draw(drawn, f"_draw_{copy}_{i}_", f"clone {copy} {name}")
        rows = data.engine.arrays(drawn.frame.sort(schema.key))
        plain = rows.select([schema.key, *schema.names])
        plain = put(plain, {n: plain.column(n).to_numpy() / (self.clones + 1) for n in weights})
        found, grids = [plain], self._grids(data, changed)
        for copy in range(1, self.clones + 1):
            draws = [rows.column(f"_draw_{copy}_{i}_").to_numpy() for i in range(len(changed) + len(self.vary))]
            clone = put(
                plain,
                {c.name: self._similar(plain, c.name, u, *grids[c.name]) for c, u in zip(changed, draws, strict=False)},
            )
            for name, draw in zip(self.vary, draws[len(changed) :], strict=True):
                clone = clone.set_column(
                    clone.column_names.index(name), clone.schema.field(name), self._others(data, name, draw)
                )
            found.append(renamed(data, run, clone, (schema.key, *schema.having("unit")), copy))
        return found

    def _grids(self, data: Dataset, columns: list[Column]) -> dict[str, tuple[float, bool]]:
        """For each column the step of which all its values are multiples (0 for none), and whether it holds zeros.

        Among amounts in whole hundreds a clone with any other amount would be told at once.
        """
        import narwhals as nw

        names = [column.name for column in columns]
        zeros = data.totals(**{name: tally(nw.col(name) == 0) for name in names}) if names else {}
        tens = _fitting(data, dict.fromkeys(names, TENS))
        # Multiples of 20 or of 50 are multiples of 10: of the larger steps only these two are left to try.
        more = _fitting(data, {name: tuple(m * max(fit) for m in (2, 5)) if fit else () for name, fit in tens.items()})
        found = {}
        for column in columns:
            decimals = 0 if column.scale == "discrete" else column.decimals
            told = 0.0 if decimals is None else 10.0**-decimals
            name = column.name
            found[name] = (max([told, *tens[name], *more[name]]), bool(zeros[name]))
        return found

    def _similar(
        self, rows: pa.Table, name: str, draws: NDArray[np.float64], step: float, zero: bool
    ) -> NDArray[np.float64]:
        import numpy as np

        from schleier.kernels.change.parts import similar

        values = np.nan_to_num(rows.column(name).to_numpy(zero_copy_only=False).astype(np.float64))
        return similar(values, draws, self.spread, step, zero)

    def _others(self, data: Dataset, name: str, draws: NDArray[np.float64]) -> pa.Array:
        """Values of a column drawn as often as they occur in the file."""
        import narwhals as nw
        import numpy as np
        import pyarrow as pa

        values, counts = data.counts(nw.col(name))
        if not len(values):
            return pa.nulls(len(draws), values.type)
        place = np.searchsorted(np.cumsum(counts), np.floor(draws * counts.sum()), side="right")
        return values.take(pa.array(place))


def _fitting(data: Dataset, steps: Mapping[str, tuple[float, ...]]) -> dict[str, list[float]]:
    """For each column those of the steps of which all its values are multiples."""
    import narwhals as nw

    sums = {}
    for i, (name, tried) in enumerate(steps.items()):
        value = nw.col(name).cast(nw.Float64)
        for j, step in enumerate(tried):
            times = value / step
            off = (times - (times + 0.5).floor()).abs() > OFF
            sums[f"_off_{i}_{j}_"] = tally(off | ((value != 0) & (times.abs() < 0.5)))
    seen = data.totals(**sums) if sums else {}
    return {
        name: [step for j, step in enumerate(tried) if not seen[f"_off_{i}_{j}_"]]
        for i, (name, tried) in enumerate(steps.items())
    }
