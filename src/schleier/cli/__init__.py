"""The command line: parsing and printing, no logic. Each module adds its commands to the one app."""

from __future__ import annotations

from schleier.cli import catalogue, example, recipes  # noqa: F401  # in the order of `schleier --help`
from schleier.cli.shared import app

__all__ = ["app", "main"]


def main() -> None:
    """Entry point of the command ``schleier``."""
    app()
