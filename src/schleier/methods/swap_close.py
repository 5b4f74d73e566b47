"""Change values with another method, then exchange those it hardly changed (Höhne S04, noise and swapping)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from schleier.core.component import secret
from schleier.core.errors import Problem
from schleier.core.exchange import Exchange, Places, Seen
from schleier.core.method import Method
from schleier.core.nested import nested
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np

    from schleier.core.data import Dataset
    from schleier.core.run import Run

OLD = "_old_{}_"


class SwapClose(Exchange):
    """After a first method, values within ``closer_than`` of the original are exchanged until they are not.

    >>> SwapClose(columns=["income"], first={"method": "round_to", "column": "income", "base": 5}, closer_than=0.1).ways
    ('within',)
    """

    reference: ClassVar[str] = "Kim and Winkler (1995), Masking microdata files; Höhne (2010), 2.2.5 (S04)"
    example: ClassVar[dict[str, object]] = {
        "columns": ["income"],
        "first": {"method": "round_to", "column": "income", "base": 100},
        "closer_than": 0.05,
    }
    keeps: ClassVar[dict[str, str]] = {
        "rows": "exact",
        "other columns": "exact",
        "total": "as after the first method",
        "distribution": "as after the first method",
    }
    ways: ClassVar[tuple[str, ...]] = ("within",)

    first: nested("method")  # type: ignore[valid-type]
    """The method that changes the values first, written like a step: { method = "add_noise", ... }."""
    closer_than: float = secret(..., gt=0, lt=1)
    """Values that changed by less than this share of the original are exchanged."""

    def parameters(self, *, public: bool = False) -> dict[str, Any]:
        """What the first method keeps secret stays secret here."""
        known = super().parameters(public=public)
        return known | {"first": {"method": self._first().word(), **self._first().parameters(public=public)}}

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """What it exchanges, and what the first method uses."""
        return tuple(dict.fromkeys((*super().uses(schema), *self._first().uses(schema))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The first method must fit, keep the records, and leave the columns numeric."""
        known = all(name in schema for name in self.columns)
        yield from super().problems(schema)
        for problem in self._first().problems(schema):
            yield Problem(problem.code, f"first.{problem.where}", problem.message, problem.hint)
        if self._first().keeps.get("rows") != "exact":
            message = f"{self._first().word()} does not keep the records, so old and new values cannot be compared"
            yield Problem("rows-change", "first", message, "make it a step of its own")
        elif known and not list(self._first().problems(schema)):
            after = self._first().after(schema)
            lost = [n for n in self.metric(schema) if n not in after or not after[n].numeric]
            if lost:
                message = f"{self._first().word()} leaves no numbers in {len(lost)} of the columns"
                yield Problem("not-numeric", "first", message, "exchange other columns")

    def after(self, schema: Schema) -> Schema:
        """As the first method leaves it."""
        return self._first().after(schema)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Fit the first method, and look at the strata."""
        if self.kept is not None:
            return self
        with run.within(f"{run.step}/first"):
            first = self._first().fit(data, run)
        return super().fit(data, run).model_copy(update={"first": first})

    def lenient(self) -> Self:
        """The first method decides what it does not know."""
        return self.model_copy(update={"first": self._first().lenient()})

    def again(self) -> Self:
        """The first method as it was learned; strata anew."""
        return super().again().model_copy(update={"first": self._first().again()})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The first method, then pairs of values that change places."""
        import narwhals as nw

        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        with run.within(f"{run.step}/first"):
            changed = self._first().apply(data, run)
        moved, key = self.metric(data.schema), data.schema.key
        old = {OLD.format(j): nw.col(name).cast(nw.Float64) for j, name in enumerate(moved)}
        frame = changed.frame.join(data.frame.select(key, **old), on=key, how="left")
        # The old values travel as further columns of the table; they are dropped again below.
        extra = tuple(data.schema[n].model_copy(update={"name": OLD.format(j)}) for j, n in enumerate(moved))
        wide = changed.schema.model_copy(update={"columns": (*changed.schema.columns, *extra)})
        result = super().apply(replace(changed, frame=frame, schema=wide), run)
        return replace(result, frame=result.frame.drop(*old), schema=changed.schema)

    def given(self, schema: Schema) -> tuple[str, ...]:
        """The old values."""
        return tuple(OLD.format(j) for j in range(len(self.metric(schema))) if OLD.format(j) in schema)

    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """Column by column; who finds nobody stays too close."""
        import numpy as np

        from schleier.kernels.apart import apart

        places = {}
        for j, name in enumerate(name for name in seen if name in self.columns):
            old, new = seen[OLD.format(j)], seen[name]
            who, place = np.flatnonzero(~np.isnan(old) & ~np.isnan(new)), np.arange(len(new))
            if self.zeros == "keep":
                who = who[(old[who] != 0) & (new[who] != 0)]
            place[who] = who[apart(old[who], new[who], self.closer_than, rng)[0]]
            places[name] = place
        return places

    def _first(self) -> Method:
        assert isinstance(self.first, Method)
        return self.first
