"""What a process and everything it started use: memory from /proc, CPU from the kernel's accounts (Linux only)."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import threading
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PAUSE = 0.02
GRACE = 20.0
PAGE = os.sysconf("SC_PAGE_SIZE")


def adopt_orphans() -> None:
    """Let grandchildren come to us when their parent ends (Spark's JVM): else their CPU seconds are lost."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_of_children() -> float:
    """CPU seconds of all children that have ended and been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def descendants(pid: int) -> list[int]:
    """Processes below a process."""
    found: list[int] = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in listing.read_text().split()]
        except OSError:  # it ended while we were looking
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def resident(pid: int) -> int:
    """Bytes of a process that are in memory now."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def peak_of(pid: int) -> int:
    """The most a process ever had in memory since it was started; unlike ru_maxrss not inherited from its parent."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


class PeakMemory(threading.Thread):
    """Watches our descendants: the largest sum seen, and never less than the peak of any single one."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes = 0
        self._over = threading.Event()

    def run(self) -> None:
        while True:
            below = descendants(os.getpid())
            self.bytes = max(self.bytes, sum(map(resident, below)), *map(peak_of, below), 0)
            if self._over.wait(PAUSE):
                return

    def stop(self) -> None:
        self._over.set()
        self.join()


def reap() -> None:
    """Wait for adopted orphans so that their CPU counts; end what is still there after a while."""
    end = time.monotonic() + GRACE
    while descendants(os.getpid()):
        if time.monotonic() > end:
            for pid in descendants(os.getpid()):  # only ever processes a contestant of ours has started
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(PAUSE)
