"""Engines speak of values in their error texts; what passes this gate never does."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from schleier.core.arguments import misfits
from schleier.core.errors import DataError, EngineError, Problem, RecipeError, SchleierError, WriteError
from schleier.core.system import disk_full

P = ParamSpec("P")
R = TypeVar("R")

TOO_LITTLE = ("OutOfMemory", "TaskResultLost")
"""What Java and Spark say when there is not enough memory: also of a result they had to throw away."""
DEBUG = "SCHLEIER_DEBUG"
"""Variable of the environment that shows how a failure came about, perhaps with values of the data."""
FULL = Problem("disk-full", "", "there is no space left on the disk", "free some, or choose another folder")
INTERRUPTED = "Query interrupted"
"""What DuckDB makes of Ctrl-C and of any other signal that raises."""
MEMORY_HINT = "raise memory_limit under [engine], or lower threads"


def guarded(verb: Callable[P, R]) -> Callable[P, R]:
    """An engine verb whose failures come out as Schleier errors without any value in them."""

    @functools.wraps(verb)
    def guard(*args: P.args, **kwargs: P.kwargs) -> R:
        with reworded(explain_failure):
            return verb(*args, **kwargs)

    return guard


def public(verb: Callable[P, R]) -> Callable[P, R]:
    """A function for everybody: its errors show where it was called, not the way through the house.

    Where it fails and was given arguments of another kind than it takes, these are named. With SCHLEIER_DEBUG in the
    environment its errors show everything.
    """

    @functools.wraps(verb)
    def edge(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except SchleierError as error:
            if os.environ.get(DEBUG):
                raise
            error.__context__ = None  # what was handled before holds values, and its frames hold rows
            raise error.with_traceback(None) from None
        except (TypeError, AttributeError, ValueError):
            wrong = list(misfits(verb, args, kwargs))
            if not wrong or os.environ.get(DEBUG):
                raise
        told = RecipeError(wrong)  # outside, so that what failed does not travel with it
        raise told.with_traceback(None)

    return edge


@contextmanager
def reworded(explain: Callable[[Exception], SchleierError | None]) -> Iterator[None]:
    """What a library throws inside the block comes out as an error of ours that carries nothing of it.

    ``explain`` says what it means to the user, or nothing when it is no failure of the library: that goes on as it is.

    >>> with reworded(lambda error: DataError(Problem("broken-file", "a.db", "the database is damaged"))):
    ...     raise ValueError("near the name 'Ada'")
    Traceback (most recent call last):
    schleier.core.errors.DataError: a.db: the database is damaged
    """
    try:
        yield
    except SchleierError:
        raise
    except Exception as error:
        if str(error) == INTERRUPTED:
            raise KeyboardInterrupt from None
        found = explain(error)
        if found is None:
            raise
        try:
            raise found from None
        finally:
            found.__context__ = None  # else the library's words, which may quote rows, would travel with it


def explain_system(error: BaseException) -> SchleierError | None:
    """What it means that the machine has no room left; nothing for any other exception.

    >>> import errno
    >>> explain_system(OSError(errno.ENOSPC, "x")).exit_code
    6
    """
    if disk_full(error):
        return WriteError(FULL)
    if isinstance(error, MemoryError):
        hint = "free some, take a larger machine, or fewer columns and rows"
        return EngineError(Problem("out-of-memory", "", "there is not enough memory", hint))
    return None


def defect(error: Exception) -> Problem:
    """What is said of a failure that nobody foresaw: nothing that it says itself, which may hold values.

    >>> print(defect(ValueError("near the name 'Ada'")).message)
    a defect of Schleier (ValueError)
    """
    hint = "please report it; schleier --debug shows more, perhaps also values of your data"
    return Problem("internal", "", f"a defect of Schleier ({type(error).__name__})", hint)


def explain_failure(error: BaseException) -> SchleierError:
    """What an exception of DuckDB, Spark, Arrow or the system means to the user.

    >>> import errno
    >>> explain_failure(OSError(errno.ENOSPC, "x")).exit_code
    6
    """
    if known := explain_system(error):
        return known
    text = str(error)
    if "No space left" in text:
        return WriteError(FULL)
    if isinstance(error, PermissionError) or "Permission denied" in text:
        return WriteError(Problem("no-permission", "", "a file or folder may not be written", "check its rights"))
    if type(error).__name__ == "OutOfMemoryException" or any(word in text for word in TOO_LITTLE):
        return EngineError(Problem("out-of-memory", "engine", "the engine ran out of memory", MEMORY_HINT))
    if _is_damage(type(error).__name__, text):
        return DataError(Problem("broken-file", "data", "the file is damaged or not a Parquet file"))
    kind = type(error).__name__
    hint = "this may be a defect of Schleier: report it with the recipe, without data"
    return EngineError(Problem("engine-failed", "engine", f"the engine could not do this step ({kind})", hint))


def _is_damage(kind: str, text: str) -> bool:
    """Whether a library failed over the bytes of a file; DuckDB has no name of its own for what it finds in Parquet."""
    if kind in ("ArrowInvalid", "InvalidInputException"):
        return "arquet" in text or "Failed to read file" in text
    if kind == "InternalException":
        return "ParquetReader" in text or "FileReader" in text  # it prints where it was
    return kind == "Error" or (kind == "IOException" and "enough bytes" in text)


def guard_verbs(engine: type[Any]) -> type[Any]:
    """Guard every verb of an engine class."""
    for name in ("__init__", "read", "write", "keep", "arrays", "fold", "draw", "map_groups"):
        setattr(engine, name, guarded(getattr(engine, name)))
    return engine
