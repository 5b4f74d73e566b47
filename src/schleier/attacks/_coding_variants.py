"""What was coded in more than one way: every combination of codes is a version of what the attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from schleier.core.data import Dataset

Fallback = Literal["missing", "first"]
Variants = Mapping[str, tuple[str, ...]]
Coding = tuple[int, ...]
"""For each column with several codes which of them is taken, 1 for the first."""


def codings(variants: Variants) -> Iterator[Coding]:
    """Every combination, the first codes first: k^n of n columns with k codes.

    >>> list(codings({"work": ("work_2",), "field": ("field_2",)}))
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    """
    yield from product(*(range(1, len(others) + 2) for others in variants.values()))


def coded(people: Dataset, variants: Variants, coding: Coding, fallback: Fallback) -> Dataset:
    """The file with these codes in the place of the first ones; who has none keeps the first, or has a gap."""
    import narwhals as nw

    held = dict(people.frame.collect_schema())
    taken = dict[str, nw.Expr]()
    for (name, others), place in zip(variants.items(), coding, strict=True):
        if place == 1:
            continue
        other, value = others[place - 2], nw.col(others[place - 2])
        if held[other] != held[name]:
            value = value.cast(held[name])
        taken[name] = nw.when(value.is_null()).then(nw.col(name)).otherwise(value) if fallback == "first" else value
    return people.mutate(**taken) if taken else people
