"""Commands that are ended by signals: at a moment, or before the n-th request to the system."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

HANGS = 60.0
"""Seconds after which a command that should have ended is one that hangs."""


@dataclass(frozen=True)
class Request:
    """A command, and what happens to it."""

    arguments: tuple[str, ...]
    signal: int = signal.SIGKILL
    at: int = 0
    """Before which request to change a file or folder the signal comes; 0 for none of them."""
    environment: dict[str, str] = field(default_factory=dict)
    says: str = os.devnull
    """File for what it prints."""


class Server:
    """Starts a command in a fresh process as often as asked (see forking.py)."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        assert self._line(HANGS) == "ready"

    def _line(self, patience: float) -> str:
        """The next line; it is never read ahead, so that waiting for one can end."""
        assert self._process.stdout is not None
        handle, line = self._process.stdout.fileno(), b""
        while not line.endswith(b"\n"):
            if not select.select([handle], [], [], patience)[0]:
                raise TimeoutError
            if not (read := os.read(handle, 1)):
                raise EOFError("the server is gone")
            line += read
        return line.decode().strip()

    def run(self, request: Request, killed_after: float | None = None, patience: float = HANGS) -> int:
        """How a command ended: its exit code, or minus the signal that ended it; TimeoutError when it hangs."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(request)).encode() + b"\n")
        self._process.stdin.flush()
        child = int(self._line(patience))
        if killed_after is not None:
            time.sleep(killed_after)
            with suppress(ProcessLookupError):  # it may have been faster
                os.kill(child, request.signal)
        try:
            return os.waitstatus_to_exitcode(int(self._line(patience)))
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            self._line(patience)
            raise


@contextmanager
def serving() -> Iterator[Server]:
    """A server that is gone afterwards."""
    command = [sys.executable, str(Path(__file__).with_name("forking.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield Server(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
