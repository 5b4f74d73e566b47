"""The command line: parsing and printing, no logic. Each module adds its commands to the one app, when it is needed."""

from __future__ import annotations

from schleier.cli.shared import app

__all__ = ["app", "main"]


def main() -> None:
    """Entry point of the command ``schleier``."""
    app()
