"""A section is a part of the report's page that a wing adds: ``extras/<wing>/report/<word>.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from markupsafe import Markup


class Section(Protocol):
    """Tells what the page itself cannot know."""

    def render(self, report: Any, lang: str) -> Markup | None:
        """The section for a report as safe HTML with its own heading (h2); nothing when it has nothing to tell."""
