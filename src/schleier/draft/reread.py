"""What a column is when its values do not allow what was guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.schema import Column, Role
from schleier.draft.roles import ColumnGuess, names_records
from schleier.draft.why import Why

if TYPE_CHECKING:
    from schleier.core.errors import Problem


def reread(guesses: Sequence[ColumnGuess], problems: Sequence[Problem]) -> list[ColumnGuess] | None:
    """Other guesses for the columns that problems are about; none where nothing else is left to try.

    A package holds codes as numbers: there, what is no code after all is a number, and everything else is text.
    """
    wrong = {guess.column.name: [p for p in problems if _concerns(p, guess.column.name)] for guess in guesses}
    found = [_otherwise(guess, wrong[guess.column.name]) for guess in guesses]
    return found if found != list(guesses) else None


def _otherwise(guess: ColumnGuess, problems: Sequence[Problem]) -> ColumnGuess:
    if problems and guess.column.scale != "nominal":
        return _as_text(guess)
    return _as_number(guess) if any(problem.code == "not-whole" for problem in problems) else guess


def _concerns(problem: Problem, name: str) -> bool:
    return f"'{name}'" in problem.message or problem.where == name


def _as_text(guess: ColumnGuess) -> ColumnGuess:
    """What was to be coarsened or capped as a number or date cannot be, so it may have to go."""
    role: Role = guess.column.role
    if role in ("quasi", "sensitive"):
        role = "identifier" if names_records(guess.facts) else role
    elif role != "identifier":
        role = "undecided"
    return _again(guess, Column(**_said(guess), role=role, scale="nominal"), "unreadable")


def _as_number(guess: ColumnGuess) -> ColumnGuess:
    """Nobody is numbered by fractions."""
    role: Role = "undecided" if guess.column.role == "unit" else guess.column.role
    return _again(guess, Column(**_said(guess), role=role, scale="continuous"), "numbers")


def _said(guess: ColumnGuess) -> dict[str, object]:
    return guess.column.model_dump(include={"name", "title", "judged", "judged_on"})


def _again(guess: ColumnGuess, column: Column, why: str) -> ColumnGuess:
    return replace(guess, column=column, why=(*guess.why, Why.of(why)))
