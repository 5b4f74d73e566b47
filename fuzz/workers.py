"""Commands run one after the other in a process that is watched: whether one hangs, dies, leaves or tells anything."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.recipes import MARK, NUMBER

HANG, LOST = 10.0, 180.0
"""Seconds of computing after which a command hangs, and seconds of waiting."""
DEFECT = 70
TICK = os.sysconf("SC_CLK_TCK")

Case = Callable[[int, Path], Iterator[tuple[str, ...]]]
"""The commands for a number, in a folder of their own; each is told after the one before it was run."""


@dataclass
class Tally:
    """What happened."""

    ends: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    done: int = 0


def work(case: Case, numbers: range, folder: Path, until: float) -> Tally:
    """Run the commands of some numbers; a process that hangs or dies is replaced, and its number is a fault."""
    tally, left = Tally(), list(numbers)
    while left and time.monotonic() < until:
        source, sink = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(source)
            _run_all(case, left, folder, sink)
        os.close(sink)
        _watch(process, source, left, tally, until)
        os.close(source)
    tally.done = len(numbers) - len(left)
    return tally


def _watch(process: int, source: int, left: list[int], tally: Tally, until: float) -> None:
    """Read what a process says of its numbers until it ends or must be ended."""
    import select

    text, begun, computed = "", time.monotonic(), 0.0
    while True:
        ready = select.select([source], [], [], 0.5)[0]
        if ready and not (piece := os.read(source, 65536)):
            break
        if ready:
            text += piece.decode()
            *lines, text = text.split("\n")
            for line in lines:
                number, end, fault = line.split("\t")
                if end:
                    tally.ends[int(end)] += 1
                if fault:
                    tally.faults.append(f"{number}: {fault}")
                if not end:
                    left.remove(int(number))
                begun, computed = time.monotonic(), _computed(process)
        elif _computed(process) - computed > HANG or time.monotonic() - begun > LOST:
            tally.faults.append(f"{left.pop(0)}: hangs")
            os.kill(process, signal.SIGKILL)
            break
        elif time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            break
    ended = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if ended not in (0, -signal.SIGKILL) and left:
        tally.faults.append(f"{left.pop(0)}: the process died ({ended})")


def _computed(process: int) -> float:
    """Seconds a process has computed."""
    with suppress(OSError, IndexError):
        parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / TICK
    return 0.0


def _run_all(case: Case, numbers: list[int], folder: Path, sink: int) -> None:
    """Be the process: for every command its end and what is wrong, for every number a last line without an end."""
    place, temporary = folder / f"worker-{os.getpid()}", folder / f"temporary-{os.getpid()}"
    for room in (place, temporary):
        room.mkdir(parents=True)
    os.environ |= {"TMPDIR": str(temporary), "SCHLEIER_LANG": "en", "COLUMNS": "200"}
    tempfile.tempdir = None
    says = os.open(folder / f"says-{os.getpid()}.txt", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    for stream in (1, 2):
        os.dup2(says, stream)
    for number in numbers:
        try:
            for arguments in case(number, place):
                os.ftruncate(says, 0)
                os.lseek(says, 0, os.SEEK_SET)
                end = _run(arguments)
                told = os.pread(says, 10_000_000, 0).decode(errors="replace")
                fault = _fault(arguments, end, told, place, temporary)
                os.write(sink, f"{number}\t{end}\t{fault}\n".encode())
        except Exception as error:
            os.write(sink, f"{number}\t\tthe case itself failed: {type(error).__name__}\n".encode())
            continue
        os.write(sink, f"{number}\t\t\n".encode())
        for old in place.iterdir():
            shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink()
    os._exit(0)


def _run(arguments: tuple[str, ...]) -> int:
    from schleier.cli import app

    try:
        app(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _fault(arguments: tuple[str, ...], end: int, told: str, place: Path, temporary: Path) -> str:
    """What is wrong with how a command ended."""
    name = " ".join(arguments[:1])
    if end == DEFECT or "defect of Schleier" in told:
        return f"{name} calls it a defect ({end}): {' '.join(told.split())[:120]}"
    documents = [file for file in place.rglob("public/report.*") if file.is_file()]
    texts = [told, *(file.read_text(encoding="utf-8", errors="replace") for file in documents)]
    if any(MARK in text or str(NUMBER) in text for text in texts):
        return f"{name} tells a value"
    left = [path.name for path in temporary.glob("schleier-*")] + [path.name for path in place.glob("*.partial-*")]
    return f"{name} leaves {left}" if left else ""
