"""Continuous methods for categories and whole numbers (Höhne 2.2.1 a to f): one option each for both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.component import listed, secret
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.schema import Schema
from schleier.methods._fixed_columns import fixed_columns

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run
    from schleier.kernels.change.keyed import KeyedDraws

    Floats = NDArray[np.float64]

Ways = Literal["within", "number", "distance", "sullivan"]
CATEGORICAL = ("nominal", "ordinal", "place")
STRATUM, POOL = "_stratum_", ""
"""Working column that names a row's stratum, and the name of the pool of small strata."""
ADVICE = {
    "sullivan": "its columns are drawn anew for every record and have no meaning when they are exchanged",
    "distance": "it puts records into no groups, so no distance is looked at",
    "number": "it does not compute with numbers of categories",
    "within": "it cannot go stratum by stratum",
}


class Discrete(Method):
    """A method on numbers that also takes categories, whole numbers and strata.

    A subclass names in ``ways`` what it can do with categories, learns with ``learn``, splits the rows with
    ``split``, and its kernel computes between ``numbers`` and ``released``.
    """

    ways: ClassVar[tuple[str, ...]] = ("within", "number", "distance", "sullivan")
    """What the method can do with categories."""

    columns: tuple[str, ...] = Field(min_length=1)
    """The columns to change."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations are treated separately; missing is a value of its own."""
    min_stratum: int = Field(default=3, ge=3)
    """Strata of fewer records are pooled."""
    categories: Ways | None = None
    """What to do with columns of categories: split the rows by them and leave them (within), number them (number),
    compare them by their hierarchy (distance), or make continuous columns of them (sullivan)."""
    round: Literal["none", "nearest", "controlled"] = "nearest"
    """What becomes of whole numbers, and of controlled ones with declared decimals: broken (none), rounded one by one
    (nearest), or rounded so that the total of a stratum stays (controlled)."""
    values: dict[str, tuple[bool | int | float | str, ...]] = secret(default_factory=dict)
    """Learned: categories of each column that is treated as numbers, in order."""
    kept: tuple[str, ...] | None = secret(None)
    """Learned: strata that are large enough to be treated on their own."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns and the strata."""
        return tuple(dict.fromkeys((*self.columns, *self.strata)))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns, but for categories that only split the rows."""
        kept = self.splits(schema)
        return tuple(name for name in self.columns if name not in kept)

    def metric(self, schema: Schema) -> tuple[str, ...]:
        """The numeric columns that change."""
        return tuple(name for name in self.columns if schema[name].numeric)

    def coded(self, schema: Schema) -> tuple[str, ...]:
        """The columns of categories that change."""
        return () if self.categories == "within" else tuple(c for c in self.columns if not schema[c].numeric)

    def splits(self, schema: Schema) -> tuple[str, ...]:
        """The columns that split the rows."""
        within = [name for name in self.columns if self.categories == "within" and not schema[name].numeric]
        return tuple(dict.fromkeys((*self.strata, *within)))

    def given(self, schema: Schema) -> tuple[str, ...]:
        """Columns that are looked at and not changed."""
        return ()

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights and units stay; categories need a way the method has; strata must be no amounts."""
        yield from super().problems(schema)
        yield from fixed_columns(schema, self.columns)
        known = [schema[name] for name in self.columns if name in schema]
        if self.categories is not None and self.categories not in self.ways:
            message = f"{self.word()} cannot treat categories this way: {ADVICE[self.categories]}"
            hint = f"possible are: {', '.join(self.ways)}" if self.ways else "recode or drop them"
            yield Problem("categories-refused", "categories", message, hint)
        odd = [c.name for c in known if not c.numeric and (self.categories is None or c.scale not in CATEGORICAL)]
        if odd:
            hint = f"say categories = {' or '.join(self.ways)}, or leave them out" if self.ways else "leave them out"
            yield Problem("not-numeric", "columns", f"not numeric: {listed(odd)}", hint)
        if known and not any(column.numeric for column in known) and self.categories == "within":
            hint = "name the numeric columns to change as well"
            yield Problem("nothing-to-change", "columns", "all columns are categories that only split the rows", hint)
        amounts = [name for name in self.strata if name in schema and schema[name].scale == "continuous"]
        if amounts:
            message = f"amounts cannot split the rows: {listed(amounts)}"
            yield Problem("continuous-strata", "strata", message, "recode them to bands first")
        both = sorted(set(self.columns) & set(self.strata))
        if both:
            yield Problem("strata-change", "strata", f"columns cannot change and split the rows: {listed(both)}")

    def after(self, schema: Schema) -> Schema:
        """Whole numbers that are not rounded are amounts afterwards."""
        for name in self.metric(schema) if self.round == "none" else ():
            if schema[name].scale == "discrete":
                schema = schema.changed(name, scale="continuous")
        return schema

    def learn(self, data: Dataset, run: Run) -> dict[str, Any]:
        """The categories and the strata, to be put into a copy of the step; small strata are pooled."""
        import narwhals as nw

        values = {name: self._values(data, name) for name in self.coded(data.schema)}
        if not self.splits(data.schema):
            return {"values": values, "kept": ()}
        named = data.mutate(**{STRATUM: self._stratum(data.schema)})
        table = named.grouped([STRATUM], {"_n_": nw.len()}).sort_by(STRATUM)
        sizes = dict(zip(table.column(STRATUM).to_pylist(), table.column("_n_").to_pylist(), strict=True))
        kept = tuple(name for name, size in sizes.items() if size >= self.min_stratum)
        pool = sum(sizes.values()) - sum(sizes[name] for name in kept)
        if 0 < pool < self.min_stratum:
            message = f"{len(sizes) - len(kept)} strata hold {pool} records in all, too few even when pooled"
            stop(InfeasibleError, "small-pool", "strata", message, "coarsen the columns that split the rows")
        run.note(strata=len(sizes), strata_pooled=len(sizes) - len(kept))
        return {"values": values, "kept": kept}

    def split(self, data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
        """The rows with the name of their stratum, and what to group them by; strata not learned go to the pool."""
        import narwhals as nw

        if not self.splits(data.schema):
            return data, ()
        named = data.mutate(**{STRATUM: self._stratum(data.schema)})
        known = nw.col(STRATUM).is_in(list(self.kept or ()))
        return named.mutate(**{STRATUM: nw.when(known).then(nw.col(STRATUM)).otherwise(nw.lit(POOL))}), (STRATUM,)

    def types(self, data: Dataset) -> dict[str, nw.dtypes.DType]:
        """The columns that change, with what they hold afterwards."""
        import narwhals as nw

        held, found = data.frame.collect_schema(), dict[str, nw.dtypes.DType]()
        for name in self.metric(data.schema):
            whole = data.schema[name].scale == "discrete" and self.round != "none"
            found[name] = nw.Int64() if whole else nw.Float64()
        for name in self.coded(data.schema):
            kind = held[name]
            found[name] = nw.Int64() if kind.is_integer() else nw.Float64() if kind.is_float() else kind
        return found

    def numbers(self, group: Arrays, schema: Schema, draws: KeyedDraws) -> Floats:
        """The columns of a group as numbers, one per column; missing is NaN. A category may take several columns."""
        import numpy as np

        parts = [group[name].astype(np.float64, copy=False)[:, None] for name in self.metric(schema)]
        parts += [self._numbers(group[name], name, draws) for name in self.coded(schema)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def released(self, numbers: Floats, group: Arrays, schema: Schema) -> dict[str, NDArray[Any]]:
        """The columns back from numbers in the order of ``numbers``, rounded as asked for."""
        found = {name: self._rounded(numbers[:, i], name, schema) for i, name in enumerate(self.metric(schema))}
        at = len(found)
        for name in self.coded(schema):
            width = 1 if self.categories == "number" else max(len(self.values[name]) - 1, 0)
            found[name] = self._words(numbers[:, at : at + width], group[name], name)
            at += width
        return found

    def _rounded(self, numbers: Floats, name: str, schema: Schema) -> Floats:
        from schleier.kernels.change.rounding import controlled, nearest_multiple

        column = schema[name]
        whole = column.scale == "discrete"
        if self.round == "controlled" and (whole or column.decimals is not None):
            return controlled(numbers, 0 if whole else column.decimals or 0)
        return nearest_multiple(numbers) if whole and self.round == "nearest" else numbers

    def _stratum(self, schema: Schema) -> nw.Expr:
        """A name that tells combinations apart, missing values too."""
        import narwhals as nw

        parts = []
        for name in self.splits(schema):
            text = nw.concat_str(nw.lit("="), nw.col(name).cast(nw.String))
            parts.append(nw.when(nw.col(name).is_null()).then(nw.lit("-")).otherwise(text))
        return nw.concat_str(*parts, separator="\x1f") if len(parts) > 1 else parts[0]

    def _values(self, data: Dataset, name: str) -> tuple[Any, ...]:
        """Categories in the order of their labels, else in their own."""
        import narwhals as nw

        found = data.counts(nw.col(name))[0].to_pylist()
        rank = {code: i for i, code in enumerate(data.schema[name].labels)}
        return tuple(sorted(found, key=lambda value: rank.get(str(value), len(rank))))

    def _codes(self, cells: NDArray[Any], name: str) -> NDArray[np.int64]:
        """Place of each category in the learned ones; -1 for missing and for what was not learned."""
        import pyarrow as pa
        import pyarrow.compute as pc

        learned = pa.array(self.values[name])
        found = pa.array(cells, from_pandas=True)
        if found.type != learned.type and len(learned):
            found = found.cast(learned.type)
        codes: NDArray[np.int64] = pc.index_in(found, learned).fill_null(-1).cast(pa.int64()).to_numpy()
        return codes

    def _numbers(self, cells: NDArray[Any], name: str, draws: KeyedDraws) -> Floats:
        import numpy as np

        from schleier.kernels.change.sullivan import forward

        codes = self._codes(cells, name)
        if self.categories == "number":
            return np.where(codes < 0, np.nan, codes + 1.0)[:, None]
        shares = self._shares(codes, name)
        lots = np.stack([draws.uniform(f"sullivan:{name}:{i}") for i in range(len(shares))] or [np.empty(0)], axis=1)
        numbers = forward(codes, shares, lots) if len(shares) else np.empty((len(codes), 0))
        numbers[codes < 0] = np.nan
        return numbers

    def _words(self, numbers: Floats, cells: NDArray[Any], name: str) -> NDArray[Any]:
        import numpy as np

        from schleier.kernels.change.rounding import nearest_multiple
        from schleier.kernels.change.sullivan import to_category

        before = self._codes(cells, name)
        if self.categories == "number":
            numbered = np.nan_to_num(nearest_multiple(numbers[:, 0]), nan=1.0)
            codes = np.clip(numbered, 1, max(len(self.values[name]), 1)).astype(np.int64) - 1
        else:
            codes = to_category(numbers, self._shares(before, name))
        words = np.array([*self.values[name], None], dtype=object)
        found: NDArray[Any] = words[np.where(before < 0, len(words) - 1, codes)]
        return found

    def _shares(self, codes: NDArray[np.int64], name: str) -> Floats:
        """Frequencies of all categories but the last among the records that have one."""
        import numpy as np

        counts = np.bincount(codes[codes >= 0], minlength=len(self.values[name]))[:-1]
        return counts / max(int((codes >= 0).sum()), 1)


def distances(schema: Schema, column: str, values: pa.Array) -> Floats:
    """How far categories are apart (Torra 2004): the height of the level at which they meet, the root being 1.

    Without a hierarchy all are equally far. Regions below states below a country: 0 for the same state, 0.5 for
    the same region, 1 otherwise.
    """
    import numpy as np

    codes = np.arange(len(values))
    apart = np.where(codes[:, None] == codes, 0.0, 1.0)
    name = schema[column].hierarchy
    tree = schema.hierarchies.get(name) if name else None
    for level in range((tree.depth if tree else 0) - 1, 0, -1):
        if tree:
            group = tree.groups(values, level)
            same = (group[:, None] == group) & (group[:, None] >= 0)
            apart = np.where(same & (codes[:, None] != codes), level / tree.depth, apart)
    return apart
