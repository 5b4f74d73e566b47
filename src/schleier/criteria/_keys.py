"""What criteria judged on classes of keys have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Missing
from schleier.core.criterion import Criterion, Verdict
from schleier.core.errors import Problem
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class AdditiveCriterion(Criterion):
    """A criterion on something that adds up over the records of a class: records, units, persons, inhabitants."""

    missing: Missing = Field(default="category")
    """A missing key is a value of its own (category), may be anything (wildcard), or leaves its row out (exclude)."""

    @property
    def monotone(self) -> bool:
        """Merging adds up; but where missing keys are left out or count several times, the root brings new rows in."""
        return self.missing == "category"

    @property
    def hereditary(self) -> bool:
        """A part never has more than the whole; sums over compatible classes are no parts."""
        return self.missing != "wildcard"


class KeysCriterion(Criterion):
    """A criterion on the classes of one or several combinations of keys."""

    keys: tuple[tuple[str, ...], ...] = ()
    """Combinations of columns to look at; all quasi-identifiers together when empty."""
    missing: Missing = Field(default="category")
    """A missing key is a value of its own (category), may be anything (wildcard), or leaves its row out (exclude)."""

    def combinations(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        """The combinations of keys."""
        return self.keys or (schema.quasi,)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return tuple(dict.fromkeys(name for keys in self.combinations(schema) for name in keys))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys."""
        yield from super().problems(schema)
        if not self.keys and not schema.quasi:
            hint = 'give columns the role "quasi", or name keys'
            yield Problem("no-keys", "keys", "there is no quasi-identifier to look at", hint)
        if any(not keys for keys in self.keys):
            yield Problem("no-keys", "keys", "a combination of keys is empty")

    def verdict(
        self, tables: Sequence[Classes], bad: Sequence[NDArray[np.bool_]], level: float | None, text: str, **more: Any
    ) -> Verdict:
        """The verdict that some classes of the tables fail."""
        return verdict(self, tables, bad, level, text, **more)


def verdict(
    criterion: Criterion,
    tables: Sequence[Classes],
    bad: Sequence[NDArray[np.bool_]],
    level: float | None,
    text: str,
    **more: Any,
) -> Verdict:
    """The verdict that some classes of the tables fail; ``text`` is its first sentence without the full stop."""
    failing = sum(int(mask.sum()) for mask in bad)
    found = any(map(len, tables))
    facts: dict[str, Any] = {
        "criterion": criterion.word(),
        "name": criterion.name,
        "parameters": criterion.parameters(public=True),
        "holds": failing == 0,
        "level": level if found else None,
        "keys": tuple(classes.keys for classes in tables),
        "bad_classes": failing,
        "bad_records": sum(int(c.sizes[mask].sum()) for c, mask in zip(tables, bad, strict=True)),
        "records": max((classes.records for classes in tables), default=0),
        "text": outcome(text, failing) if found else "The table is empty.",
    }
    return Verdict(**(facts | more))


def outcome(text: str, failing: int) -> str:
    """A sentence that ends with how many classes fail.

    >>> outcome("At least 5 are required", 0), outcome("At least 5 are required", 1)
    ('At least 5 are required.', 'At least 5 are required, and 1 class fails.')
    """
    if not failing:
        return f"{text}."
    return f"{text}, and {'1 class fails' if failing == 1 else f'{failing} classes fail'}."


def persons(level: float, what: str = "person") -> str:
    """A number of persons.

    >>> persons(1), persons(2.5)
    ('1 person', '2.5 persons')
    """
    return f"{level:,.10g} {what if level == 1 else what + 's'}"
