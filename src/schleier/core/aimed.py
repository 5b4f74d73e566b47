"""What an attack is aimed at: the methods it fits, and the parameters it then takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from schleier.core.measure import Measure

if TYPE_CHECKING:
    from schleier.core.measure import Case
    from schleier.core.method import Method
    from schleier.core.schema import Schema

MOST = 3
"""Columns that ``auto`` tries each attack on, those of role "sensitive" first: more would tell little more."""

LEFT_OUT = "attacks_that_do_not_apply"
"""The fact ``auto`` notes: words of the attacks that fit nothing that was done."""

NOISE = ("add_noise", "multiply_noise")
SWAPS = ("swap", "rank_swap", "half_swap", "swap_close", "swap_cyclic", "shuffle")
MODELS = ("impute", "replace_sparse")


class Aimed(Measure):
    """A risk that comes with certain methods."""

    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    against: ClassVar[tuple[str, ...]] = ()
    """Methods it is aimed at; empty when it can be tried on every release."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """The same attack with sensible parameters for a release; nothing when it does not apply."""
        return []


def aimed_at(case: Case, words: Sequence[str]) -> Iterator[tuple[Method, Schema]]:
    """The steps of a release that are one of these methods, with the schema they met."""
    schema = case.original.schema
    for step in case.steps:
        if step.word() in words:
            yield step, schema
        schema = step.after(schema)


def treated(case: Case, words: Sequence[str], *, numbers: bool) -> list[str]:
    """Columns these methods treated that are in the release, as numbers or not, the most sensitive first."""
    before, after = case.original.schema, case.released.schema
    found: dict[str, None] = {}
    for step, schema in aimed_at(case, words):
        named = getattr(step, "columns", None) or getattr(step, "column", None)
        names = (named,) if isinstance(named, str) else tuple(named or step.uses(schema))
        found |= {name: None for name in names if isinstance(name, str)}
    fit = [
        name
        for name in found
        if name in before
        and name in after
        and before[name].numeric == after[name].numeric == numbers
        and after[name].role not in ("weight", "unit")
    ]
    return sorted(fit, key=lambda name: after[name].role != "sensitive")


def amounts(case: Case) -> list[str]:
    """Numbers of the release that somebody may want to learn, the most sensitive first."""
    after = case.released.schema
    names = [c.name for c in after if c.numeric and c.role in ("sensitive", "plain")]
    fit = [name for name in names if name in case.original.schema and case.original.schema[name].numeric]
    return sorted(fit, key=lambda name: after[name].role != "sensitive")


def groupings(case: Case) -> list[str]:
    """Columns of the release by which tables are likely to be published: keys with few values."""
    before, after = case.original.schema, case.released.schema
    named = [c.name for c in after if c.role == "quasi" and c.scale in ("nominal", "ordinal", "place")]
    return [name for name in named if name in before]
