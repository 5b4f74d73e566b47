"""Authorised reversal of a pseudonym by the step of a recipe that gave it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, Problems, RecipeError, stop
from schleier.core.keys import find_key
from schleier.core.reversal import Reversal
from schleier.core.vault.log import Log
from schleier.core.vault.place import demand_place
from schleier.core.vault.revealing import entry, refuse_value, wrong_reason

if TYPE_CHECKING:
    from schleier.core.keys import Key
    from schleier.flow.recipe.recipe import Recipe

PURPOSE = "log of reversals"


def reveal(recipe: Recipe, column: str, pseudonym: str, reason: str, log: Path) -> str:
    """The value behind a pseudonym of a column. The log says who asked when, for which one, and why; never the value.

    Reversals that cannot be undone are refused before anything is written.
    """
    from schleier.flow.recipe.keyring import keyring

    step = _step(recipe, column)
    problems = Problems()
    problems.extend(wrong_reason(reason))
    problems.raise_as(DataError)
    demand_place(log, RecipeError)
    key = find_key(step.key, keyring(recipe))
    value = _value(step, pseudonym, key)
    book = log_of(log, key)
    facts = {"column": column, "token": pseudonym, "key": key.id}

    def write(outcome: str, told: str) -> None:
        book.add(book.read(None), entry(facts | {"reason": told, "outcome": outcome}))

    refuse_value(reason, value, lambda: write("refused", ""))
    write("unknown" if value is None else "revealed", reason)
    if value is None:
        hint = "check column, key and epoch; it may be of another release"
        stop(DataError, "no-pseudonym", "TOKEN", "this key undoes no such pseudonym", hint)
    return value


def log_of(path: Path, key: Key) -> Log:
    """The log beside a recipe: its lines are sealed with what follows from the key."""
    return Log(path, key.derive("", PURPOSE))


def _step(recipe: Recipe, column: str) -> Reversal:
    steps = [step for step in recipe.steps if isinstance(step, Reversal) and step.column == column]
    if len(steps) != 1:
        message = f"{len(steps)} steps of the recipe give pseudonyms to column '{column}'"
        stop(
            RecipeError, "which-step", "--column", message, "name a column of pseudonyms, and the recipe that made them"
        )
    (step,) = steps
    if not step.reversible:
        hint = "compute the pseudonyms of the persons in question, and compare"
        stop(RecipeError, "not-reversible", column, "nobody can undo these pseudonyms", hint)
    if hasattr(step, "vault"):
        stop(
            RecipeError,
            "which-step",
            "--recipe",
            "these tokens are in a vault",
            "name it: --vault FILE --key-file FILE",
        )
    return step


def _value(step: Reversal, pseudonym: str, key: Key) -> str | None:
    import pyarrow as pa

    value = step.reveal(pa.array([pseudonym], pa.string()), key)[0].as_py()
    return None if value is None else str(value)
