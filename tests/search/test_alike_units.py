"""A search for the least coarse table in which units are alike as a whole."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.criteria.alike_units import AlikeUnits
from schleier.criteria.k_anonymity import KAnonymity
from schleier.search.coarsen import Coarsen
from schleier.search.mondrian import Mondrian

SCHEMA = Schema(
    columns=(
        Column(name="home", role="unit", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="sex", role="quasi", scale="nominal"),
    ),
    hierarchies={"age": {"intervals": [10, 20, 40]}},
)


def homes(*more: tuple[int, ...]) -> Dataset:
    """Couples of all ages, and further homes given by the ages of their members."""
    ages = [(20 + i % 40, 20 + i * 7 % 40) for i in range(80)]
    rows = [(f"h{i}", age, "fm"[j % 2]) for i, home in enumerate([*ages, *more]) for j, age in enumerate(home)]
    return Dataset.from_frame(pa.table([list(column) for column in zip(*rows, strict=True)], SCHEMA.names), SCHEMA)


def test_levels_are_found_at_which_homes_are_alike() -> None:
    data, demand = homes(), AlikeUnits(k=5)
    persons = Coarsen(criteria=[KAnonymity(k=5)]).fit(data, Run(key=bytes(32)))
    assert not demand.holds(persons.apply(data, Run(key=bytes(32))))
    found = Coarsen(criteria=[demand]).fit(data, Run(key=bytes(32)))
    assert demand.holds(found.apply(data, Run(key=bytes(32))))
    assert found.levels is not None and persons.levels is not None and found.levels["age"] > persons.levels["age"]


def test_a_home_that_is_like_no_other_is_said() -> None:
    data = homes((30, 30, 30, 30, 30))
    for share in (0.0, 0.1):
        with pytest.raises(InfeasibleError):
            Coarsen(criteria=[AlikeUnits(k=5)], max_suppressed=share).fit(data, Run(key=bytes(32)))


def test_what_is_suppressed_with_its_unit_is_judged_as_it_is_released() -> None:
    data = homes(*[(90, 30)] * 2)
    step = Coarsen(criteria=[AlikeUnits(k=5)], max_suppressed=0.05)
    found = step.fit(data, Run(key=bytes(32)))
    assert AlikeUnits(k=5).holds(found.apply(data, Run(key=bytes(32))))


def test_parts_of_a_partition_that_tell_homes_apart_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="composition"):
        Mondrian(criteria=[AlikeUnits(k=5)]).fit(homes((30, 30, 30)), Run(key=bytes(32)))
