"""Compile a kernel and keep the machine code beside it; where nothing can be written, compile it for this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(kernel: Callable[..., Any], *, inline: str = "never", nogil: bool = False) -> Any:
    """A function of arrays and numbers as machine code, compiled when it is first called.

    >>> @compiled
    ... def twice(number: int) -> int:
    ...     return 2 * number
    >>> twice(21)
    42
    """
    try:
        return numba.njit(cache=True, inline=inline, nogil=nogil)(kernel)
    except RuntimeError:  # no folder for the cache can be written: slower to start, the same results
        return numba.njit(inline=inline, nogil=nogil)(kernel)


def inlined(kernel: Callable[..., Any]) -> Any:
    """The same for a small function that becomes part of those that call it."""
    return compiled(kernel, inline="always")


def unheld(kernel: Callable[..., Any]) -> Any:
    """The same for work that threads share: it does not hold the interpreter."""
    return compiled(kernel, nogil=True)
