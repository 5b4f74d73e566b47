"""The section of a recipe that keeps how it was decided."""

from __future__ import annotations

import datetime

from pydantic import Field

from schleier.core.record import Declared


class AdviceSection(Declared):
    """What ``advise`` was told and said; it goes into the audit and nowhere else, for a person wrote parts of it."""

    outcome: str = ""
    """What was advised."""
    advised_on: datetime.date | None = None
    """The day on which it was."""
    answers: dict[str, str | list[str]] = Field(default_factory=dict, repr=False)
    """The answers by question."""
