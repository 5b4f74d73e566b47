"""How a file is to be read, and how it was: what the user says of its place, and what was taken for something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schleier.core.errors import Problem, RecipeError, SchemaError
from schleier.core.format import Asked, Remark
from schleier.core.schema import Column, Layout
from schleier.draft.roles import ColumnGuess
from schleier.draft.why import Why
from schleier.flow.run.files import File, released_as


def asked_for(cells: str, header: int | None) -> Asked:
    """Where the table of a sheet lies, as the user says."""
    try:
        return Asked(Layout(range=cells, header=header or 1).range, header)
    except SchemaError:
        hint = "write a range such as B4:H200, or B4:H to the last row, and 1 to 9 rows of names"
        problem = Problem("bad-range", "range", "this is no range of cells, or no number of rows", hint)
    raise RecipeError(problem)


def other_format(given: File) -> tuple[Remark, ...]:
    """That a release cannot be written like the file itself."""
    outermost, form = given, released_as(given)
    while outermost.around is not None:
        outermost = outermost.around
    own = outermost.form.name
    return () if form == own else (Remark("other_format", {"own": own, "form": form}),)


def numbered(guesses: Sequence[ColumnGuess], remarks: Sequence[Remark]) -> list[ColumnGuess]:
    """A column without a name is the key where it tells the records apart, and never released in any case."""
    names = {remark.values["column"] for remark in remarks if remark.key == "row_number"}
    if not any(guess.column.name in names for guess in guesses):
        return list(guesses)
    found = []
    for guess in guesses:
        ours, facts = guess.column.name in names, guess.facts
        column, why, is_key = guess.column, guess.why, False
        if ours:
            is_key = facts.is_key and facts.kind in ("integer", "text")
            why = (Why.of("unnamed"),)
            column = Column(name=column.name, role="identifier", scale="nominal", judged="guess")
        found.append(replace(guess, column=column, why=why, is_key=is_key))
    return found
