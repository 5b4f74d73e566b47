"""The command line: parsing and printing, no logic. Each module adds its commands to the one app."""

from __future__ import annotations

from importlib import import_module

from schleier.cli.shared import app

__all__ = ["app", "main"]

for _name in ("plan", "init", "describe", "inspect", "suggest", "recipes", "replay", "example", "catalogue"):
    import_module(f"schleier.cli.{_name}")  # in this order `schleier --help` shows them


def main() -> None:
    """Entry point of the command ``schleier``."""
    app()
