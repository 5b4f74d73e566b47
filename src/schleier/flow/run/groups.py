"""How many persons look alike in several releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from schleier.core.data import Dataset
from schleier.core.units import distinct

MOST_TABLES = 64
"""So many combinations of keys are judged one by one; beyond, all keys of a release together, which is stricter."""


class Groups(NamedTuple):
    """Persons who look alike in some releases."""

    level: int
    """The smallest number of them."""
    small: int
    """Groups of fewer than k."""
    persons: int
    """Who is in these."""


def smallest(people: Dataset, keys: Mapping[int, Sequence[tuple[str, ...]]], k: int) -> Groups:
    """The groups of persons who are in any of some releases.

    ``keys`` are the combinations of columns an attacker may know of each release, by its number.
    """
    import narwhals as nw

    there = [~nw.col(f"_in_{i}_").is_null() for i in keys]
    present = people.filter(nw.any_horizontal(*there, ignore_nulls=True))
    if prod(len(sets) for sets in keys.values()) > MOST_TABLES:
        keys = {i: [tuple(dict.fromkeys(name for one in sets for name in one))] for i, sets in keys.items()}
    level, groups, persons = -1, 0, 0
    for chosen in product(*keys.values()):
        columns = [f"_in_{i}_" for i in keys] + [
            f"_{i}_{n}" for i, names in zip(keys, chosen, strict=True) for n in names
        ]
        sizes = present.grouped(columns, {"_n_": distinct(nw.col("_who_"))}).column("_n_").to_numpy()
        small = sizes[sizes < k]
        lowest = int(sizes.min()) if len(sizes) else 0
        level = lowest if level < 0 else min(level, lowest)
        groups, persons = max(groups, len(small)), max(persons, int(small.sum()))
    return Groups(level, groups, persons)
