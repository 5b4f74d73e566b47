"""What can go wrong, said all at once, without ever quoting a protected value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, where it is, and the way out.

    >>> print(Problem("unknown-column", "steps[0].column", "there is no column 'agee'", "did you mean 'age'?"))
    steps[0].column: there is no column 'agee' (did you mean 'age'?)
    """

    code: str
    """Stable machine-readable name, for example ``unknown-column``."""
    where: str
    """Place in the recipe, schema or data, for example ``steps[2].upper``."""
    message: str
    """What is wrong, in plain words; counts and names of columns, never values."""
    hint: str = ""
    """What to do about it."""

    @property
    def document(self) -> dict[str, str]:
        """What programs read of it."""
        return {"code": self.code, "where": self.where, "message": self.message, "hint": self.hint}

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        way_out = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{way_out}"


class SchleierError(Exception):
    """Base of all errors: carries every problem found, not only the first."""

    exit_code: ClassVar[int] = 70
    http_status: ClassVar[int] = 500

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class SchemaError(SchleierError):
    """The description of the columns is wrong."""

    exit_code, http_status = 2, 422


class RecipeError(SchleierError):
    """The recipe is wrong: nothing was read, nothing was written."""

    exit_code, http_status = 2, 422


class InfeasibleError(SchleierError):
    """The data cannot meet what the recipe demands: no release was written."""

    exit_code, http_status = 3, 409


class BudgetError(SchleierError):
    """A privacy budget is exhausted."""

    exit_code, http_status = 3, 409


class DataError(SchleierError):
    """The data do not fit their description."""

    exit_code, http_status = 4, 422


class EngineError(SchleierError):
    """The engine that moves the rows failed."""

    exit_code, http_status = 5, 503


class WriteError(SchleierError):
    """The release could not be written; what stood before still stands."""

    exit_code, http_status = 6, 507


class InternalError(SchleierError):
    """A defect of Schleier itself."""


@dataclass
class Problems:
    """Collects problems so that the user sees all of them at once.

    >>> found = Problems()
    >>> found.add("no-rows", "data", "the file has no rows")
    >>> found.raise_as(DataError)
    Traceback (most recent call last):
    schleier.core.errors.DataError: data: the file has no rows
    """

    found: list[Problem] = field(default_factory=list)

    def add(self, code: str, where: str, message: str, hint: str = "") -> None:
        """Remember one problem."""
        self.found.append(Problem(code, where, message, hint))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Remember several problems."""
        self.found.extend(problems)

    def raise_as(self, kind: type[SchleierError]) -> None:
        """Raise all problems as one error; do nothing when there are none."""
        if self.found:
            raise kind(self.found)


def stop(kind: type[SchleierError], code: str, where: str, message: str, hint: str = "") -> NoReturn:
    """Raise an error with a single problem; what a library said before may quote values and is not shown."""
    raise kind(Problem(code, where, message, hint)) from None
