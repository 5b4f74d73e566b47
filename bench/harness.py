"""Contestants in processes of their own, taking turns: only ratios within one run mean anything."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from bench import tree

ROOT = Path(__file__).parent.parent
STORE = Path(tempfile.gettempdir()) / "schleier-bench"
"""Generated data stay here between runs."""
CORES = len(os.sched_getaffinity(0))
OUT = "{out}"
"""Stands for a fresh folder in the arguments of a contestant."""
Metric = Literal["wall", "cpu", "work"]


@dataclass(frozen=True)
class Contestant:
    """A command to measure; ``after`` looks at what it wrote, unmeasured."""

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Round:
    """Contestants that do the same work on the same data; the first is the baseline of the ratios."""

    title: str
    contestants: tuple[Contestant, ...]
    rows: int = 0
    largest: bool = False
    """Measured once unless told otherwise."""
    warm: bool = False
    """Every contestant runs once before, unmeasured."""


@dataclass(frozen=True)
class Sample:
    """One measured process: wall and CPU seconds, bytes, and what it said of itself."""

    wall: float
    cpu: float
    peak: int
    facts: dict[str, Any] = field(default_factory=dict)
    failure: str = ""
    load: float = 0.0
    """What else the machine was doing when it began."""


@dataclass(frozen=True)
class Entry:
    """All samples of a contestant in a round."""

    round: str
    rows: int
    name: str
    samples: tuple[Sample, ...]

    @property
    def failure(self) -> str:
        return next((sample.failure for sample in self.samples if sample.failure), "")

    def said(self, fact: str) -> set[Any]:
        """A fact as every sample states it; None stands for a sample that failed."""
        return {None if sample.failure else sample.facts.get(fact) for sample in self.samples}

    def values(self, metric: Metric | Literal["peak"]) -> list[float]:
        if self.failure:
            return [float("nan")] * len(self.samples)
        found = [sample.facts if metric == "work" else vars(sample) for sample in self.samples]
        return [float(value[metric]) for value in found]

    def median(self, metric: Metric | Literal["peak"]) -> float:
        return statistics.median(self.values(metric))


@dataclass(frozen=True)
class Requirement:
    """What must hold, what was found."""

    text: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Results:
    """The entries of a benchmark."""

    entries: tuple[Entry, ...]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def get(self, title: str, name: str) -> Entry | None:
        return next((e for e in self.entries if (e.round, e.name) == (title, name)), None)

    @property
    def rounds(self) -> list[str]:
        return list(dict.fromkeys(entry.round for entry in self.entries))

    def ratios(self, entry: Entry, metric: Metric) -> list[float]:
        """Ratios to the baseline turn by turn: what ran side by side was slowed down alike."""
        baseline = next(e for e in self.entries if e.round == entry.round)
        return [a / b for a, b in zip(entry.values(metric), baseline.values(metric), strict=True)]

    def ratio(self, entry: Entry, metric: Metric) -> float:
        return statistics.median(self.ratios(entry, metric))

    def agreed(self, title: str, fact: str) -> Any:
        """What all samples of all contestants of a round say alike, or None."""
        said = set[Any]().union(*(entry.said(fact) for entry in self.entries if entry.round == title))
        return said.pop() if len(said) == 1 else None

    def to_json(self) -> list[dict[str, Any]]:
        return [asdict(entry) for entry in self.entries]


def call(function: str, **arguments: Any) -> tuple[str, ...]:
    """The command that calls ``module:function`` of this folder in a process of its own."""
    return (sys.executable, "-m", "bench.contest", function, json.dumps(arguments))


def play(round_: Round, repeat: int | None, say: Callable[[str], None]) -> Iterator[Entry]:
    """Measure a round; contestants take turns, so that a busy minute of the machine hits them alike."""
    times = repeat or (1 if round_.largest else 3)
    samples: Mapping[str, list[Sample]] = {c.name: [] for c in round_.contestants}
    if round_.warm:
        for contestant in round_.contestants:
            measured(contestant)
    for turn in range(times):
        for contestant in round_.contestants:
            say(f"{round_.title}: {contestant.name}" + (f" ({turn + 1} of {times})" if times > 1 else ""))
            samples[contestant.name].append(measured(contestant))
    for contestant in round_.contestants:
        yield Entry(round_.title, round_.rows, contestant.name, tuple(samples[contestant.name]))


def measured(contestant: Contestant) -> Sample:
    """Run a contestant in a fresh folder."""
    STORE.mkdir(exist_ok=True)
    out = tempfile.mkdtemp(prefix="out-", dir=STORE)
    try:
        sample = _measured([part.replace(OUT, out) for part in contestant.command], out)
        if contestant.after and not sample.failure:
            after = _measured([part.replace(OUT, out) for part in contestant.after], out)
            return replace(sample, facts=sample.facts | after.facts, failure=after.failure)
        return sample
    finally:
        shutil.rmtree(out, ignore_errors=True)


def _measured(command: list[str], folder: str) -> Sample:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    memory, load = tree.PeakMemory(), os.getloadavg()[0]
    with Path(folder, "stdout").open("w+") as said, Path(folder, "stderr").open("w+") as complained:
        before, start = tree.cpu_of_children(), time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=complained)
        memory.start()
        code = process.wait()
        wall = time.perf_counter() - start
        tree.reap()
        memory.stop()
        cpu = tree.cpu_of_children() - before
        said.seek(0)
        complained.seek(0)
        failure = "" if code == 0 else (complained.read().strip().splitlines() or [f"exit code {code}"])[-1]
        return Sample(wall, cpu, memory.bytes, _facts(said.read()), failure, load)


def _facts(text: str) -> dict[str, Any]:
    """What a contestant says of itself: one JSON object on the last line."""
    last = (text.strip().splitlines() or [""])[-1]
    return json.loads(last) if last.startswith("{") else {}
