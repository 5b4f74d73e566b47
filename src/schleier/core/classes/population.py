"""Population tables: how many persons there are with each combination of keys, whether in the data or not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.errors import DataError, stop

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.classes.request import Missing
    from schleier.core.data import Dataset
    from schleier.core.method import Method
    from schleier.core.run import Run
    from schleier.core.schema import Schema
    from schleier.kernels.classes.coding import Gaps

NAMES = ("population", "gazetteer")
"""The tables a criterion can ask for: persons with their keys, and places with their inhabitants."""
UNIT, MOST = 1e6, 1e12
"""Persons are added up as millionths: whole numbers have the same total in any order. So many persons have room."""


@dataclass(frozen=True)
class Population:
    """Persons of a population by their combination of keys.

    ``codes[i, j]`` points into the values of the class table, followed by ``others[j]``; -1 is missing.
    """

    codes: NDArray[np.int32] = field(repr=False)
    others: tuple[pa.Array | None, ...] = field(repr=False)
    """Values of each key that do not occur in the class table; none where the population does not tell the key."""
    persons: NDArray[np.float64] = field(repr=False)

    def matching(self, codes: NDArray[np.int32], missing: Missing, *, lend: bool = False) -> NDArray[np.float64]:
        """Persons in each class of a table.

        Under "wildcard" all that could be in it: a missing key of the class may be anything; with ``lend`` also one of
        the person. Else missing equals missing only.
        """
        return _match(missing, "both" if lend else "own")(codes, self.persons, self.codes)

    def unmatched(self, codes: NDArray[np.int32], sizes: NDArray[np.int64], missing: Missing) -> NDArray[np.float64]:
        """Persons by combination, of those combinations only that no record of a table shares."""
        from schleier.kernels.classes.coding import MISSING

        alone = (_match(missing, "others")(self.codes, sizes, codes) == 0) & (self.persons > 0)
        if missing == "exclude":
            alone &= (self.codes != MISSING).all(axis=1)
        found: NDArray[np.float64] = self.persons[alone]
        return found

    def recoded(self, key: int, own: NDArray[np.int32], values: pa.Array, labels: pa.Array) -> Population:
        """With new values of a key: ``own`` are the new codes of the table's, ``labels`` the words of the others."""
        import numpy as np

        from schleier.kernels.classes.coding import MISSING

        codes, others = codes_among(labels, values)
        column = np.concatenate([own, codes, np.array([MISSING])]).astype(np.int32)[self.codes[:, key]]
        changed = self.codes.copy()
        changed[:, key] = column
        return replace(self, codes=changed, others=(*self.others[:key], others, *self.others[key + 1 :]))

    def rooted(self, key: int, none: pa.Array) -> Population:
        """With one value for everybody, also for those whose key is missing or not told at all."""
        changed = self.codes.copy()
        changed[:, key] = 0
        return replace(self, codes=changed, others=(*self.others[:key], none, *self.others[key + 1 :]))

    def onto(self, keys: Sequence[int]) -> Population:
        """On some of the keys, equal combinations added up."""
        from schleier.kernels.classes.coding import add_up, merge

        rows, place = merge(self.codes[:, list(keys)])
        return Population(rows, tuple(self.others[j] for j in keys), add_up(self.persons, place, len(rows)))

    def summed(self) -> Population:
        """With equal combinations added up."""
        return self.onto(range(self.codes.shape[1]))


def require_keys(people: Population, keys: Sequence[str], name: str) -> Population:
    """A population that tells all the keys; stop when it does not."""
    absent = [key for key, others in zip(keys, people.others, strict=True) if others is None]
    if absent:
        message = f"the {name} table has no column {listed(absent)}"
        stop(DataError, "population-column", f"data.{name}", message, "add it, under the name it has in the data")
    return people


def _match(missing: Missing, gaps: Gaps) -> Callable[..., NDArray[Any]]:
    from schleier.kernels.classes.coding import compatible, equal_amounts

    return functools.partial(compatible, gaps=gaps) if missing == "wildcard" else equal_amounts


def codes_among(column: pa.Array, values: pa.Array) -> tuple[NDArray[np.int32], pa.Array]:
    """The place of each row in ``values`` or, behind them, among the values that are not there; -1 for missing."""
    import numpy as np
    import pyarrow.compute as pc

    from schleier.kernels.classes.coding import MISSING

    here = pc.index_in(column, value_set=values)
    others = column.filter(pc.and_(pc.is_null(here), pc.is_valid(column))).unique()
    there = pc.index_in(column, value_set=others).fill_null(MISSING).to_numpy(zero_copy_only=False)
    places = here.fill_null(MISSING).to_numpy(zero_copy_only=False)
    behind = np.where(there == MISSING, MISSING, there + len(values))
    return np.where(places == MISSING, behind, places).astype(np.int32), others


def population_of(data: Dataset, name: str, keys: Sequence[str], values: Sequence[pa.Array]) -> Population:
    """The persons of a population table of a dataset by some keys, which hold ``values`` in the data."""
    import numpy as np

    from schleier.core.classes.table import pa_concat
    from schleier.kernels.classes.coding import MISSING

    table = _counted(data, name, keys)
    codes = np.full((len(table), len(keys)), MISSING, dtype=np.int32)
    others: list[pa.Array | None] = []
    for j, (key, own) in enumerate(zip(keys, values, strict=True)):
        if key not in table.column_names:
            others.append(None)
            continue
        column = _alike(pa_concat([table.column(key)]), own.type, key, name)
        codes[:, j], rest = codes_among(column, own.cast(column.type))
        others.append(rest)
    persons = np.nan_to_num(np.asarray(table.column("_p_").to_numpy(zero_copy_only=False), dtype=np.float64))
    counted = data.populations[name].schema.having("weight")
    return Population(codes, tuple(others), persons / UNIT if counted else persons).summed()


def _counted(data: Dataset, name: str, keys: Sequence[str]) -> pa.Table:
    """One row per combination of the keys it has, with its persons ``_p_``."""
    import narwhals as nw

    if name not in data.populations:
        message, hint = f"there is no {name} table to compare with", f"name its file under [data]: {name}"
        stop(DataError, "no-population", f"data.{name}", message, hint)
    known = data.populations[name]
    weight = known.schema.having("weight")
    persons = (nw.col(weight[0]) * UNIT).round(0).cast(nw.Int64).sum() if weight else nw.len()
    return known.grouped([key for key in keys if key in known.schema], {"_p_": persons})


def _alike(column: pa.Array, kind: pa.DataType, key: str, name: str) -> pa.Array:
    """The column in the type it has in the data: a code may be a number in one file and text in the other."""
    import pyarrow as pa

    if column.type == kind or pa.types.is_null(kind):
        return column
    try:
        return column.cast(kind)
    except pa.ArrowException:
        message = f"column '{key}' holds values of another kind in the {name} table than in the data"
        stop(DataError, "population-type", f"data.{name}", message, "write it in the same way in both files")


def followed(before: Dataset, step: Method, after: Dataset, run: Run) -> Dataset:
    """The result of a fitted step, with the population tables of its input recoded in the same way."""
    known = {
        name: recode_population(one, step, before.schema, after.schema, run) for name, one in before.populations.items()
    }
    return replace(after, populations=known) if known else after


def recode_population(known: Dataset, step: Method, before: Schema, after: Schema, run: Run) -> Dataset:
    """A population table after a fitted step: values are mapped as the report says they were in the release.

    What the step does not know becomes "*". A step that draws leaves the population as it is; one that says whom the
    release is about leaves out the same persons here.
    """
    from schleier.core.run import Run as Fresh

    if step.declares("selection"):
        unknown = [name for name in step.uses(before) if name not in known.schema]
        if unknown:
            message = f"the population table does not tell whom a step keeps, it lacks: {listed(unknown)}"
            stop(DataError, "population-too-wide", "data.population", message, "add the columns to the table")
        known = step.apply(known, Fresh(key=run.key))
    if step.declares("rule") and set(step.uses(before)) & set(known.schema.names):
        wide = padded(known, step, before)
        lacking = [name for name in wide.schema.names if name not in known.schema]
        known = step.lenient().apply(wide, Fresh(key=run.key)).drop(*lacking)
    counted = known.schema.having("weight")
    return known.drop(*(name for name in known.schema.names if name not in after and name not in counted))


def padded(known: Dataset, step: Method, schema: Schema) -> Dataset:
    """With all columns a step uses: those there are not are missing, and the step does its part to the others."""
    import narwhals as nw

    kinds: dict[str, nw.dtypes.DType] = {"discrete": nw.Int64(), "continuous": nw.Float64(), "time": nw.Date()}
    names = [name for name in step.uses(schema) if name in schema and name not in known.schema]
    empty = {name: nw.lit(None).cast(kinds.get(schema[name].scale, nw.String())) for name in names}
    columns = (*known.schema.columns, *(schema[name] for name in names))
    wide = known.mutate(**empty) if empty else known
    return wide.described(known.schema.model_copy(update={"columns": columns}))
