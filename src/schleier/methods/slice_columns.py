"""Short records: every record shows one slice of the columns only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from schleier.core.component import listed
from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema, is_reserved
from schleier.core.traces import Traces
from schleier.core.units import draw_units
from schleier.methods._amounts import name_in_use

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

DRAW, PLACE = "_draw_", "_place_"


class SliceColumns(Method):
    """Give every record at random one of several slices of columns, and blank the others.

    >>> SliceColumns(slices=[["income", "rent"], ["disease"]]).into
    'slice'
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 2.1.2.1 (short records, operator A-21)"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"slicing"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A1", "A2")
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "mean": "expected"}
    example: ClassVar[dict[str, object]] = {
        "slices": [["income", "schooling"], ["disease", "children"]],
        "most": 11,
    }

    slices: tuple[tuple[str, ...], ...] = Field(min_length=2)
    """The slices, each a list of columns; a column may be in several. Columns in none are in every record."""
    most: int = Field(default=15, ge=1)
    """So many columns may a record show at most, those in no slice included."""
    into: str = Field(default="slice", min_length=1)
    """Name of the column to add that says which slice a record shows, from 1."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if any(not part or len(set(part)) < len(part) for part in self.slices):
            raise ValueError("a slice needs columns, each once")
        if is_reserved(self.into):
            raise ValueError("the name *, and names that begin and end with an underscore, are reserved")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns of the slices, and the new one where it is there already."""
        named = dict.fromkeys(name for part in self.slices for name in part)
        return (*named, self.into) if self.into in schema and self.into not in named else tuple(named)

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns of the slices."""
        return tuple(dict.fromkeys(name for part in self.slices for name in part))

    def label(self, schema: Schema) -> str:
        """Its name, or its word and the columns of the slices."""
        return self.name or f"{self.word()}:{','.join(dict.fromkeys(n for part in self.slices for n in part))}"

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The slices must be short, without weights and units, and the name free."""
        yield from super().problems(schema)
        yield from name_in_use(schema, self.into, "into")
        odd = [n for part in self.slices for n in part if n in schema and schema[n].role in ("weight", "unit")]
        if odd:
            message = f"every record needs its weight and its unit: {listed(sorted(set(odd)))}"
            yield Problem("not-sliced", "slices", message, "leave them out of the slices")
        common = [c for c in schema if c.role != "identifier" and not any(c.name in part for part in self.slices)]
        for i, part in enumerate(self.slices):
            if (n := len(common) + len(part)) > self.most:
                message = f"a record with this slice shows {n} columns, more than {self.most}"
                hint = "drop columns first, make more and smaller slices, or raise most"
                yield Problem("slice-too-wide", f"slices[{i}]", message, hint)

    def after(self, schema: Schema) -> Schema:
        """One more column: which slice a record shows."""
        new = Column(name=self.into, role="plain", scale="nominal")
        return schema.model_copy(update={"columns": (*schema.columns, new)})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with short records; records of a unit show the same slice."""
        import narwhals as nw

        n = len(self.slices)
        drawn = draw_units(data, run, DRAW) if data.schema.having("unit") else run.draw(data, DRAW)
        drawn = drawn.mutate(**{PLACE: (nw.col(DRAW) * n).floor().cast(nw.Int64)})
        sliced = dict.fromkeys(name for part in self.slices for name in part)
        new = {}
        for name in sliced:
            where = [i for i, part in enumerate(self.slices) if name in part]
            new[name] = nw.when(nw.col(PLACE).is_in(where)).then(nw.col(name))
        label = {self.into: (nw.col(PLACE) + 1).cast(nw.Int64)}
        run.note(slices=n, caution="totals of a sliced column must be multiplied by slices / slices it is in")
        after = self.after(data.schema)
        frame = drawn.mutate(**new, **label).frame
        return replace(data, frame=frame.select(after.key, *after.names), schema=after)
