"""Which way the level of a criterion must go, and how far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """What a criterion asks of its level.

    >>> Goal(5, protects=True)
    Goal(limit=5, protects=True)
    """

    limit: float | None = None
    """How far it may go; nothing where no number says so."""
    protects: bool = False
    """Whether more of it is better; else it is a risk."""


RISK = Goal()
"""A level that should be small, without a limit that is known."""
