"""Tie sensitive values to a class of records in place of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed
from schleier.core.engine import Source
from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema, is_reserved
from schleier.core.traces import Traces
from schleier.methods._amounts import name_in_use
from schleier.methods._donors import donated, refuse_small
from schleier.methods._fixed_columns import fixed_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

FEW, FIRST, RECEIVE = 3, "_first_", "_receive_"


class DetachSensitive(Method):
    """Permute sensitive values among the records that look alike, or release keys and values as two tables.

    >>> DetachSensitive(columns=["disease"], keys=["age", "sex"]).table
    'one'
    """

    reference: ClassVar[str] = (
        "Bitkom (2020), k-anonymity with values that belong to the group (B-013); Xiao and Tao (2006), anatomy"
    )
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"exchange", "omission"})
    effects: ClassVar[tuple[str, ...]] = ("E2", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    design: ClassVar[frozenset[str]] = frozenset({"others"})
    example: ClassVar[dict[str, object]] = {"columns": ["disease", "income"], "keys": ["sex"]}

    columns: tuple[str, ...] = ()
    """Columns to detach; all with the role "sensitive" when empty."""
    keys: tuple[str, ...] = ()
    """Columns whose combinations make the classes; all quasi-identifiers when empty. Missing is a value of its own."""
    together: bool = False
    """Whether the values of a record stay together and are detached as one; else each column on its own."""
    table: Literal["one", "keys", "values"] = "one"
    """One file in which values change places inside each class (one), or one of two files: the records with the number
    of their class in place of the values (keys), or the values of each class and how often each occurs (values)."""
    into: str = Field(default="class", min_length=1)
    """Name of the column for the number of the class, where there are two files: the same in both."""
    count: str = Field(default="count", min_length=1)
    """Name of the column for how often a value occurs in its class."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if set(self.columns) & set(self.keys):
            raise ValueError("columns and keys must differ: what is known need not be detached")
        if is_reserved(self.into) or is_reserved(self.count):
            raise ValueError("the name *, and names that begin and end with an underscore, are reserved")
        return self

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Permuted values are all there; without them the records are; a table of values has neither."""
        if known.get("table") == "one":
            return {
                "rows": "exact",
                "other columns": "exact",
                "distribution": "exact",
                "total": "exact",
                "mean": "exact",
                "variance": "exact",
            }
        return {"rows": "exact", "other columns": "exact"} if known.get("table") == "keys" else {}

    def leaves(self) -> Traces:
        """Values of other records, or columns that are missing."""
        return frozenset({"exchange"} if self.table == "one" else {"omission"})

    def makes_rows(self) -> bool:
        """A row for each value of a class: one more tells that somebody there is the only one with it."""
        return self.table == "values"

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive columns and the keys."""
        return tuple(dict.fromkeys((*self._columns(schema), *self._keys(schema))))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive columns; all of them, where only their values are left."""
        if self.table == "values":
            return schema.names
        return self._columns(schema)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys and sensitive columns, none of them both, and free names for new columns."""
        yield from super().problems(schema)
        columns, keys = self._columns(schema), self._keys(schema)
        if not columns:
            hint = 'give a column the role "sensitive", or name it under columns'
            yield Problem("no-sensitive", "columns", "there is no sensitive column to detach", hint)
        if not keys:
            hint = 'give columns the role "quasi", or name keys'
            yield Problem("no-keys", "keys", "there is no quasi-identifier to make classes of", hint)
        if both := [name for name in columns if name in keys]:
            hint = "name the keys, without it"
            yield Problem("sensitive-key", "keys", f"both key and sensitive: {listed(both)}", hint)
        yield from fixed_columns(schema, columns)
        if self.table != "one":
            yield from name_in_use(schema.without(columns) if self.table == "keys" else schema, self.into, "into")
        if self.table == "values":
            yield from name_in_use(schema, self.count, "count")
            if self.into.lower() == self.count.lower():
                yield Problem("name-taken", "count", f"there is a column '{self.count}' already", "choose another name")
            if len(columns) > 1 and not self.together:
                hint = "name one column, or set together = true"
                message = "a table of values holds one column, or the combinations of several"
                yield Problem("several-detached", "columns", message, hint)

    def after(self, schema: Schema) -> Schema:
        """The same columns, those without the values and with the class, or the values of each class."""
        if self.table == "one":
            return schema
        columns = self._columns(schema)
        number = Column(name=self.into, role="quasi", scale="nominal")
        if self.table == "keys":
            left = schema.without(columns)
            return left.model_copy(update={"columns": (*left.columns, number)})
        left = schema.without([name for name in schema.names if name not in columns])
        count = Column(name=self.count, role="plain", scale="discrete")
        return left.model_copy(update={"columns": (number, *left.columns, count)})

    def fit(self, data: Dataset, run: Run) -> Self:
        """Refuse classes too small to hide in."""
        refuse_small(data, self._keys(data.schema), FEW)
        return self

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its sensitive values tied to classes; a missing value is one of them."""
        columns, keys = self._columns(data.schema), self._keys(data.schema)
        refuse_small(data, keys, FEW)
        if others := [name for name in data.schema.names if name not in (*columns, *keys) and self.table != "values"]:
            run.note(others=others)
        if self.table == "one":
            return self._permuted(data, columns, keys, run)
        return self._divided(data, columns, keys)

    def _permuted(self, data: Dataset, columns: tuple[str, ...], keys: tuple[str, ...], run: Run) -> Dataset:
        """Each class in a random order of its own; who keeps his value by chance cannot be told from the others."""
        import narwhals as nw
        import numpy as np

        parts = [columns] if self.together else [(name,) for name in columns]
        draws = [f"_draw_{i}_" for i in range(len(parts))]
        drawn = run.draw(data, RECEIVE, "receive")
        for name, part in zip(draws, parts, strict=True):
            drawn = run.draw(drawn, name, f"give {','.join(part)}")

        def choose(arrays: Arrays) -> NDArray[np.int64]:
            # Two orders, so that the order of the rows does not matter: who comes first takes from who comes first.
            donors = np.empty((len(arrays[RECEIVE]), len(draws)), dtype=np.int64)
            donors[np.argsort(arrays[RECEIVE])] = np.stack([np.argsort(arrays[name]) for name in draws], axis=1)
            return donors

        found = donated(drawn, keys, choose, parts, [RECEIVE, *draws])
        return replace(
            found, frame=found.frame.select(*(nw.col(name) for name in (data.schema.key, *data.schema.names)))
        )

    def _divided(self, data: Dataset, columns: tuple[str, ...], keys: tuple[str, ...]) -> Dataset:
        """One of the two tables; classes are numbered in the order of their keys, so that both tables agree."""
        import narwhals as nw
        import numpy as np
        import pyarrow as pa

        key, after = data.schema.key, self.after(data.schema)
        marked = data.mutate(**{FIRST: nw.col(key).min().over(*keys)}).kept()
        classes = marked.grouped([*keys, FIRST], {"_n_": nw.len()}).sort_by([(name, "ascending") for name in keys])
        numbers = pa.table({FIRST: classes[FIRST], "_class_": np.arange(len(classes), dtype=np.int64) + 1})
        frame = marked.frame.join(data.engine.read(Source(numbers)), on=FIRST, how="left")
        if self.table == "keys":
            frame = frame.with_columns(nw.col("_class_").alias(self.into))
        else:
            rows = frame.group_by(nw.col("_class_"), *(nw.col(name) for name in columns))
            frame = rows.agg(nw.len().alias("_count_"), nw.col(key).min().alias("_key_"))
            new = {self.into: nw.col("_class_"), self.count: nw.col("_count_").cast(nw.Int64), key: nw.col("_key_")}
            frame = frame.with_columns(**new)
        return replace(data, frame=frame.select(*(nw.col(name) for name in (after.key, *after.names))), schema=after)

    def _columns(self, schema: Schema) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.columns)) or schema.having("sensitive")

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.keys)) or schema.quasi
