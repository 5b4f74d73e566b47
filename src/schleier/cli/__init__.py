"""The command line: parsing and printing, no logic. Each module adds its commands to the one app, when it is needed."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from schleier.cli.shared import app

__all__ = ["app", "main"]


def main() -> None:
    """Entry point of the command ``schleier``."""
    # The matrices here are small, and threads that wait for each other take many times what the arithmetic does.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a pipe on Windows may hold no more than Western letters
    app()
