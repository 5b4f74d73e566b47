"""Exchange the places of households that stand out with similar ones elsewhere (targeted record swapping)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.classes.table import sorted_codes
from schleier.core.component import secret
from schleier.core.errors import DataError, Problem, stop
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._exchange import generator, in_key_order, with_new_columns

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

    Ints = NDArray[np.int64]


class SwapHouseholds(Method):
    """Households with a rare member change areas with households of the same profile in another area.

    >>> SwapHouseholds(areas=["region"], risk=["age", "sex"], similar=["sex"], k=3).rate
    0.0
    """

    counts: ClassVar[frozenset[str]] = frozenset({"households_moved"})
    reference: ClassVar[str] = "Eurostat (2024), Guidelines for SDC methods applied on geo-referenced data; sdcMicro"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "memory"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"exchange"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A2",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {
        "areas": ["region"],
        "risk": ["schooling", "children"],
        "similar": ["sex"],
        "k": 2,
        "rate": 0.1,
        "whole_units": False,
    }

    areas: tuple[str, ...] = Field(min_length=1)
    """Columns that say where a household is, from the largest areas to the smallest."""
    risk: tuple[str, ...] = Field(min_length=1)
    """Columns by which a person may be found."""
    similar: tuple[str, ...] = ()
    """Households change places only when their members are alike in these columns (and as many)."""
    k: int = Field(ge=2)
    """A person is at risk in an area where fewer than so many are alike in the columns of ``risk``."""
    rate: float = secret(0.0, ge=0, lt=1)
    """Share of the households of each smallest area that change places at least, whether at risk or not."""
    whole_units: bool = True
    """Whether households (role "unit") change places as a whole; else every record is a household of its own."""
    carry: tuple[str, ...] = ()
    """Further columns that go with the areas: coordinates, names of places."""
    public: tuple[str, ...] = ()
    """Secret parameters that are published on purpose."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        places = (*self.areas, *self.carry)
        if len(set(places)) != len(places) or set(places) & {*self.risk, *self.similar}:
            raise ValueError("areas and carry must differ, from each other and from risk and similar")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """All of them, and the unit."""
        named = (*self.areas, *self.carry, *self.risk, *self.similar, *self._unit(schema))
        return tuple(dict.fromkeys(named))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The areas, and what goes with them."""
        return (*self.areas, *self.carry)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be households."""
        yield from super().problems(schema)
        if self.whole_units and not schema.having("unit"):
            hint = 'give the column that says who belongs together the role "unit", or set whole_units = false'
            yield Problem("no-unit", "areas", "nothing says which records belong together", hint)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with areas exchanged between households."""
        import numpy as np
        import pyarrow as pa

        key = data.schema.key
        table = in_key_order(data.engine.arrays(data.frame.select(key, *self.uses(data.schema))), key)
        if not len(table):
            return data
        household, count = _households(table, self._unit(data.schema))
        first = np.unique(household, return_index=True)[1]
        where = _nested([sorted_codes(table.column(name))[1] for name in self.areas])
        self._refuse_spread(where[-1], household, first)
        known = np.all([sorted_codes(table.column(name))[1][first] >= 0 for name in self.areas], axis=0)
        partner, facts = self._partners(table, household, count, [w[first] for w in where], known, run)
        run.note(areas=list(self.areas), households=count, households_moved=int((partner != np.arange(count)).sum()))
        run.note("restricted", levels=facts)
        giver = first[partner[household]]
        # A household takes the place of the first member of the other one: all of its members have the same.
        fresh = {name: table.column(name).take(pa.array(giver)) for name in (*self.areas, *self.carry)}
        return with_new_columns(data, pa.table({key: table.column(key), **fresh}))

    def _unit(self, schema: Schema) -> tuple[str, ...]:
        return schema.having("unit")[:1] if self.whole_units else ()

    def _partners(
        self, table: pa.Table, household: Ints, count: int, where: list[Ints], known: NDArray[np.bool_], run: Run
    ) -> tuple[Ints, list[dict[str, Any]]]:
        """From the largest areas to the smallest: who is at risk there goes to another, of the same larger area if
        possible; at last as many further households as the rate asks for."""
        import numpy as np

        from schleier.kernels.change.households import pair_households, risky

        rng, partner = generator(run.subkey("households"), ""), np.arange(count)
        key = _combined([sorted_codes(table.column(name))[1] for name in self.risk], len(household))
        profile = _profiles([sorted_codes(table.column(name))[1] for name in self.similar], household, count)
        at_risk, facts = np.zeros(count, dtype=bool), list[dict[str, Any]]()
        for level, area in enumerate(where):
            now = risky(area[household], key, household, count, self.k) & known
            fresh = np.flatnonzero(now & ~at_risk & (partner == np.arange(count)))
            wanting, at_risk = rng.permutation(fresh), at_risk | now
            larger = where[level - 1] if level else np.zeros(count, dtype=np.int64)
            near, anywhere = _combined([profile, larger], count), profile
            for pool in (near, anywhere) if level else (anywhere,):
                alone = pair_households(wanting, np.where(known, pool, -1), area, partner, rng.random(len(wanting)))
            facts.append({"area": self.areas[level], "at_risk": len(fresh), "found_nobody": alone})
        due = self._due(where[-1], partner, known, rng)
        larger = where[-2] if len(where) > 1 else np.zeros(count, dtype=np.int64)
        pair_households(
            due, np.where(known, _combined([profile, larger], count), -1), where[-1], partner, rng.random(len(due))
        )
        return partner, facts

    def _due(self, area: Ints, partner: Ints, known: NDArray[np.bool_], rng: np.random.Generator) -> Ints:
        """Households drawn to make up the rate in each smallest area."""
        import numpy as np

        order = rng.permutation(len(area))
        moved = np.bincount(area, weights=partner != np.arange(len(area)))
        lacking = np.ceil(self.rate * np.bincount(area)) - moved
        here = order[(partner[order] == order) & known[order]]
        here = here[np.argsort(area[here], kind="stable")]
        starts = np.searchsorted(area[here], area[here])
        due = here[np.arange(len(here)) - starts < lacking[area[here]]]
        found: Ints = rng.permutation(due)
        return found

    def _refuse_spread(self, area: Ints, household: Ints, first: Ints) -> None:
        """A household is in one place."""
        import numpy as np

        spread = np.unique(household[area != area[first][household]])
        if len(spread):
            message = f"{len(spread)} households are in several areas at once"
            hint = "correct the areas, or the column that says who belongs together"
            stop(DataError, "unit-crosses-areas", "areas", message, hint)


def _households(table: pa.Table, unit: tuple[str, ...]) -> tuple[Ints, int]:
    """The number of each record's household; who has none is one of his own."""
    import numpy as np

    codes = np.full(len(table), -1)
    for name in unit:
        codes = sorted_codes(table.column(name))[1].astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return codes, int(codes.max(initial=-1)) + 1


def _combined(columns: list[Any], size: int) -> Ints:
    """One number per combination."""
    import numpy as np

    if not columns:
        return np.zeros(size, dtype=np.int64)
    found: Ints = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found


def _nested(columns: list[Any]) -> list[Ints]:
    """The area at each level: areas of the same name in different larger ones are different."""
    return [_combined(columns[: level + 1], len(columns[0])) for level in range(len(columns))]


def _profiles(columns: list[Any], household: Ints, count: int) -> Ints:
    """Households with the same number of members, alike in the columns one by one, have the same number."""
    import numpy as np

    kind = _combined(columns, len(household))
    order = np.lexsort((kind, household))
    sizes = np.bincount(household, minlength=count)
    starts = np.cumsum(sizes) - sizes
    number = np.zeros(count, dtype=np.int64)
    for size in np.unique(sizes):
        who = np.flatnonzero(sizes == size)
        members = kind[order][starts[who][:, None] + np.arange(size)]
        number[who] = number.max(initial=0) + 1 + np.unique(members, axis=0, return_inverse=True)[1].reshape(-1)
    return number
