"""A real run, killed at fifty moments, never leaves half a release."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from flow.making import RECIPE, written
from schleier.core.schema import Schema
from schleier.flow.recipe.parents import load
from schleier.flow.release.digest import digest_of
from schleier.flow.release.documents import Report
from schleier.flow.release.edge import batches
from schleier.flow.release.release import is_release

KILLS = 50


class Server:
    """Starts a run in a fresh process as often as asked (see forking.py)."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def run(self, killed_after: float | None = None) -> int:
        """How a run ended: its exit code, or minus the signal that ended it."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        child = int(self._line())
        if killed_after is not None:
            time.sleep(killed_after)
            with suppress(ProcessLookupError):  # it may have been faster
                os.kill(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(int(self._line()))


@contextmanager
def serving(*arguments: str) -> Iterator[Server]:
    command = [sys.executable, str(Path(__file__).with_name("forking.py")), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Server(process)
        assert process.stdin is not None
        process.stdin.close()


def whole(out: Path) -> bool:
    """Every file is there as the manifest says, and the rows are those the report speaks of."""
    if not is_release(out):
        return False
    report = Report.model_validate(json.loads((out / "public" / "report.json").read_text(encoding="utf-8")))
    schema = Schema.model_validate(load((out / "public" / "schema.toml").read_text(encoding="utf-8"))["schema"])
    return digest_of(batches(out / "public" / report.file), schema).hexdigest() == report.digest


def test_a_run_killed_at_any_of_fifty_moments_leaves_a_whole_release_or_none(tmp_path: Path) -> None:
    out = tmp_path / "place" / "release"
    recipe = written(tmp_path, RECIPE, rows=240)
    ends, states = [], set()
    with serving("run", str(recipe), "--out", str(out), "--force", "--quiet") as server:
        server.run(killed_after=0.05)  # the first child of a process is slower than the others
        start = time.monotonic()
        assert server.run() == 0
        took = time.monotonic() - start
        random = np.random.default_rng(50)
        anywhere, writing = random.uniform(0, 1, KILLS // 2), random.uniform(0.75, 1, KILLS // 2)
        for moment in (*anywhere, *writing):
            ends.append(server.run(killed_after=moment * took))
            took *= 1.02 if ends[-1] else 0.85  # other work on the machine makes runs slower and faster
            states.add("whole" if whole(out) else "absent" if not out.exists() else "half")
        assert server.run() == 0
    assert set(ends) <= {0, -signal.SIGKILL}
    assert ends.count(-signal.SIGKILL) > KILLS // 5, "most moments must fall into the run"
    assert "half" not in states
    assert whole(out)
    assert [path.name for path in out.parent.iterdir()] == ["release"]
    assert sorted(path.name for path in out.iterdir()) == ["public", "release.json", "restricted"]
