"""Several registers put together: more columns about fewer persons (Müller et al. 1991, 6.2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop

if TYPE_CHECKING:
    from schleier.core.data import Dataset


@dataclass(frozen=True)
class Cumulated:
    """One file of the persons whom all registers have."""

    data: Dataset
    persons: tuple[int, ...] = field(repr=False)
    """Persons left after each register; it never rises."""
    gained: tuple[tuple[str, ...], ...]
    """Columns of interest that each register adds."""


def cumulate(registers: Sequence[Dataset], columns: Sequence[str]) -> Cumulated:
    """Join registers by their row keys, which tell the person, for the columns that a release has too.

    What several registers say of a column is taken from the first of them.
    """
    import narwhals as nw

    if not registers:
        stop(DataError, "no-registers", "registers", "there is no register to put together", "name at least one")
    if not any(name in one.schema for one in registers for name in columns):
        message = "no register has any of the columns"
        stop(DataError, "no-common-column", "registers", message, "name columns that the release and a register have")
    first = registers[0]
    key, held, gained, persons = first.schema.key, list[str](), list[tuple[str, ...]](), list[int]()
    frame, described = first.frame.select(key), list(first.schema.columns[:0])
    for one in registers:
        new = tuple(name for name in columns if name in one.schema and name not in held)
        part = one.frame.select(nw.col(one.schema.key).cast(nw.String).alias("_person_"), *new)
        mine = frame.with_columns(_person_=nw.col(key).cast(nw.String))
        frame = first.engine.keep(mine.join(part, on="_person_", how="inner").drop("_person_"))
        held += new
        gained.append(new)
        described += [one.schema[name] for name in new]
        persons.append(int(first.engine.arrays(frame.select(n=nw.len()))["n"][0].as_py()))
    schema = first.schema.model_copy(update={"columns": tuple(described)})
    return Cumulated(replace(first, frame=frame, schema=schema), tuple(persons), tuple(gained))


def cumulated_rates(registers: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """How often a column differs when mistakes of several files add up: a + b - a b for each further one.

    >>> {name: round(rate, 3) for name, rate in cumulated_rates([{"age": 0.1}, {"age": 0.1, "sex": 0.01}]).items()}
    {'age': 0.19, 'sex': 0.01}
    """
    found = dict[str, float]()
    for rates in registers:
        for name, rate in rates.items():
            before = found.get(name, 0.0)
            found[name] = before + rate - before * rate
    return found
