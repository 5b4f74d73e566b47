"""Parts that may each be wrong: what is wrong with one does not hide what is wrong with the next."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from schleier.core.errors import DataError, InfeasibleError, Problem, RecipeError, SchemaError, SchleierError

T = TypeVar("T")
DATA = "data"
"""Where a reader places what it says of a file."""
TOLD = (RecipeError, SchemaError, InfeasibleError, DataError)
"""What a user can put right; anything else stops at once."""


@dataclass
class Gathering:
    """Collects what is wrong with several parts, and raises all of it.

    >>> found = Gathering()
    >>> found.part(lambda: 1 + 1), found.part(lambda: found.refuse(DataError, [Problem("no-rows", "a", "no rows")]))
    (2, None)
    >>> found.settle()
    Traceback (most recent call last):
    schleier.core.errors.DataError: a: no rows
    """

    _problems: list[Problem] = field(default_factory=list)
    _kinds: list[type[SchleierError]] = field(default_factory=list)

    def part(self, make: Callable[[], T]) -> T | None:
        """What a part comes to; nothing when something is wrong with it."""
        try:
            return make()
        except TOLD as error:
            self.refuse(type(error), error.problems)
            return None

    def of_file(self, name: str, make: Callable[[], T], columns: Container[str] = (), hint: str = "") -> T | None:
        """What a part comes to that reads a file: where several are read, it is told which one is meant.

        Of its ``columns`` a hint is told in place of one that speaks of a schema nobody wrote.
        """

        def placed(one: Problem) -> Problem:
            if one.where != DATA and one.where not in columns:
                return one
            where = name if one.where == DATA else f"{name}.{one.where}"
            return replace(one, where=where, hint=hint if one.where in columns else one.hint)

        def read() -> T:
            try:
                return make()
            except TOLD as error:
                raise type(error)(map(placed, error.problems)) from None

        return self.part(read)

    def refuse(self, kind: type[SchleierError], problems: Iterable[Problem]) -> None:
        """Remember problems of a kind, each once."""
        new = [one for one in problems if one not in self._problems]
        self._problems += new
        self._kinds += [kind] if new else []

    def settle(self) -> None:
        """Raise everything at once, as what is nearest to the user: a wrong wish before wrong data."""
        if self._problems:
            raise min(self._kinds, key=lambda kind: kind.exit_code)(self._problems)
