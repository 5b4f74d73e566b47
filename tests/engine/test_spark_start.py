"""Spark starts in silence: its words are not ours, and may tell of the program or the data."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RECIPE = """
[data]
file = "people.csv"
[schema]
columns = [{ name = "age", role = "quasi", scale = "discrete" }]
[[criteria]]
criterion = "k_anonymity"
k = 2
"""
# Whoever runs the tests in the background ignores Ctrl-C, and so would the command.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from schleier.cli import main; main()"
PATIENCE = 600
"""Seconds; on a busy machine Java takes minutes to start."""


def begin(folder: Path) -> subprocess.Popen[str]:
    (folder / "people.csv").write_text("age\n30\n30\n40\n40\n")
    (folder / "recipe.toml").write_text(RECIPE)
    line = [sys.executable, "-c", START, "run", "recipe.toml", "--engine", "spark", "--json"]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def children(process: subprocess.Popen[str]) -> list[str]:
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


@pytest.mark.spark
def test_spark_starts_without_a_word(tmp_path: Path) -> None:
    process = begin(tmp_path)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("{") and (tmp_path / "release" / "public").is_dir()


@pytest.mark.spark
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to see Java start")
def test_spark_is_stopped_while_it_starts_without_a_trace(tmp_path: Path) -> None:
    process = begin(tmp_path)
    limit = time.monotonic() + PATIENCE
    while process.poll() is None and not children(process) and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    assert '"interrupted"' in out and not (tmp_path / "release").exists()
