"""A real run, killed at random moments, never leaves half a release; `make fuzz` kills a hundred more."""

from __future__ import annotations

import signal
from pathlib import Path

from flow.killing import kill

KILLS = 16


def test_a_run_killed_at_any_moment_leaves_a_whole_release_or_none(tmp_path: Path) -> None:
    ends = kill(tmp_path, KILLS)
    assert ends.count(-signal.SIGKILL) > KILLS // 5, "most moments must fall into the run"
