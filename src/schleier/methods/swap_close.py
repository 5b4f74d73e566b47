"""Change values with another method, then exchange those it hardly changed (Höhne S04, noise and swapping)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from schleier.core.component import secret
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.methods._exchange import Exchange, Places, Seen
from schleier.methods._second_step import OLD, AfterFirst

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run


class SwapClose(AfterFirst, Exchange):
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
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    ways: ClassVar[tuple[str, ...]] = ("within",)
    cure: ClassVar[str] = "lower closer_than, use coarser strata, or let the first method change more"
    enough: ClassVar[float] = 0.99

    closer_than: float = secret(..., gt=0, lt=1)
    """Values that changed by less than this share of the original are exchanged."""

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The first method, then pairs of values that change places."""
        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        wide = self.changed(data, run)
        old = self.given(wide.schema)
        result = super().apply(wide, run)
        return replace(result, frame=result.frame.drop(*old), schema=wide.schema.without(old))

    def given(self, schema: Schema) -> tuple[str, ...]:
        """The old values."""
        return tuple(OLD.format(j) for j in range(len(self.metric(schema))) if OLD.format(j) in schema)

    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """Column by column; who finds nobody stays too close."""
        import numpy as np

        from schleier.kernels.change.distance import pair_at_distance

        places = {}
        for j, name in enumerate(name for name in seen if name in self.columns):
            old, new = seen[OLD.format(j)], seen[name]
            who, place = np.flatnonzero(~np.isnan(old) & ~np.isnan(new)), np.arange(len(new))
            if self.zeros == "keep":
                who = who[(old[who] != 0) & (new[who] != 0)]
            place[who] = who[pair_at_distance(old[who], new[who], self.closer_than, rng)[0]]
            places[name] = place
        return places

    def stays(self, name: str, same: NDArray[np.bool_], place: NDArray[np.int64], seen: Seen) -> NDArray[np.bool_]:
        """Who is still too close: found nobody to exchange with."""
        from schleier.kernels.change.distance import close

        old = seen[OLD.format([n for n in seen if n in self.columns].index(name))]
        return close(old, seen[name][place], self.closer_than)
