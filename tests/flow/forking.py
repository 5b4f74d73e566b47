"""Runs commands as often as it is told to, each time in a fresh child of a process that has imported everything: so
that a moment picked at random falls into the run and not into the imports.

For every line it reads (see ``Request`` in serving.py) it starts a child, says its process number, waits for it and
says how it ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import Any

import duckdb  # noqa: F401
import jinja2  # noqa: F401
import narwhals  # noqa: F401
import pyarrow.compute
import pyarrow.parquet  # noqa: F401

from schleier.cli import app
from schleier.core import registry
from schleier.draft import describe  # noqa: F401
from schleier.flow.inspect import inspect  # noqa: F401
from schleier.flow.recipe import recipe  # noqa: F401
from schleier.flow.run import runner  # noqa: F401

CHANGING = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod")
"""What Python tells before it asks it of the system, beside the opening of a file to write to it."""


def serve() -> None:
    for kind in registry.KINDS:
        if kind != "engine":
            registry.every(kind)
    registry.get("engine", "duckdb")
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(request)
        print(child, flush=True)
        print(os.waitpid(child, 0)[1], flush=True)


def _run(request: dict[str, Any]) -> None:
    """Be the command line, in this process."""
    os.environ |= request["environment"]
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore them
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tempfile.tempdir = None
    says = os.open(request["says"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(says, stream)
    if request["at"]:
        _die(request["at"], request["signal"])
    try:
        app(request["arguments"])
    except SystemExit as end:
        code = int(end.code or 0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _die(at: int, number: int) -> None:
    """Send oneself a signal before the n-th request to the system to change a file or folder."""
    left = at

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGING or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), number)

    sys.addaudithook(count)


if __name__ == "__main__":
    serve()
