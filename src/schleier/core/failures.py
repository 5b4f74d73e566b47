"""Engines speak of values in their error texts; what passes this gate never does."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from schleier.core.errors import DataError, EngineError, Problem, SchleierError, WriteError

P = ParamSpec("P")
R = TypeVar("R")

FULL = WriteError(Problem("disk-full", "", "there is no space left on the disk", "free some, or choose another folder"))
MEMORY_HINT = "raise memory_limit under [engine], or lower threads"


def guarded(verb: Callable[P, R]) -> Callable[P, R]:
    """An engine verb whose failures come out as Schleier errors without any value in them."""

    @functools.wraps(verb)
    def guard(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except (SchleierError, KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            raise explained(error) from None  # the original text may quote rows

    return guard


def explained(error: BaseException) -> SchleierError:
    """What an exception of DuckDB, Spark, Arrow or the system means to the user.

    >>> explained(OSError(errno.ENOSPC, "x")).exit_code
    6
    """
    text = str(error)
    if getattr(error, "errno", None) == errno.ENOSPC or "No space left" in text:
        return FULL
    if isinstance(error, PermissionError) or "Permission denied" in text:
        return WriteError(Problem("no-permission", "", "a file or folder may not be written", "check its rights"))
    if type(error).__name__ == "OutOfMemoryException" or "OutOfMemory" in text or isinstance(error, MemoryError):
        return EngineError(Problem("out-of-memory", "engine", "the engine ran out of memory", MEMORY_HINT))
    if type(error).__name__ in ("ArrowInvalid", "InvalidInputException") and "arquet" in text:
        return DataError(Problem("broken-file", "data", "the file is damaged or not a Parquet file"))
    kind = type(error).__name__
    hint = "this may be a defect of Schleier: report it with the recipe, without data"
    return EngineError(Problem("engine-failed", "engine", f"the engine could not do this step ({kind})", hint))


def guard_verbs(engine: type[Any]) -> type[Any]:
    """Guard every verb of an engine class."""
    for name in ("__init__", "read", "write", "keep", "arrays", "draw", "map_groups"):
        setattr(engine, name, guarded(getattr(engine, name)))
    return engine
