"""Runs the command line as often as it is told to, each time in a fresh child of a process that has imported
everything: so that a moment picked at random falls into the run and not into the imports.

For every line it reads it starts a child, says its process number, waits for it and says how it ended.
"""

from __future__ import annotations

import os
import sys

import duckdb  # noqa: F401
import jinja2  # noqa: F401
import narwhals  # noqa: F401
import pyarrow.compute
import pyarrow.parquet  # noqa: F401

from schleier.cli import app
from schleier.core import registry
from schleier.flow.recipe import recipe  # noqa: F401
from schleier.flow.run import runner  # noqa: F401


def serve(arguments: list[str]) -> None:
    for kind in registry.KINDS:
        if kind != "engine":
            registry.every(kind)
    registry.get("engine", "duckdb")
    print("ready", flush=True)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                app(arguments)
            except SystemExit as end:
                os._exit(int(end.code or 0))
            os._exit(70)
        print(child, flush=True)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    serve(sys.argv[1:])
