"""Whether the tests notice small errors: mutants of the parts on which a verdict rests, and the tests that fit them.

Each mutant is written into a copy of the tree and the tests of its module run there: those of its name, those that
import it or a component of the same room that is built on it, the contracts of these components, the examples in its
docstring. A mutant that fails a test, or hangs, is killed. At least nine of ten must be.

A copy is never used by two mutants at once. The process that has the libraries loaded forks for every run, so that a
run takes little more than its tests. Kernels that are mutated run interpreted and with an empty cache of machine code;
elsewhere kernels are as they were, and so is their cache.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from mutants import Mutant, equivalents, mutants, sample, without

ROOT = Path(__file__).parent.parent
SOURCE = Path("src/schleier")
AIMS = ("core/attack.py", "core/trust/*.py", "criteria/*.py", "risk/*.py", "kernels/inference/*.py")
"""What is mutated, below the source."""
TESTED_IN = ("core", "criteria", "risk", "kernels", "attacks", "golden")
"""Folders of tests in which those that import a module are looked for: the others take long, and test many at once."""
ROOMS = {"criteria": "criterion", "risk": "measure"}
ALSO = {
    "core/attack.py": ("attacks/test_exact_match.py", "contracts/test_attack.py"),
    "core/trust/aim.py": ("core/trust/test_fitting.py", "attacks/test_auto.py"),
    "core/trust": ("attacks/test_exact_match.py",),
    "criteria/": ("criteria/test_bounds.py",),
    "risk/": ("risk/test_bounds.py", "risk/test_empty_file.py"),
}
"""Tests of a module that neither bear its name nor import it."""
LIBRARIES = """
numpy scipy.stats scipy.optimize scipy.special numba pyarrow.compute duckdb narwhals pydantic hypothesis pytest jinja2
""".split()
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "demo", "results", "spark-warehouse")
WANTED, SIZE = 0.9, 150
FEW = 3
"""Components of which a helper's mutants run the contracts."""
NOTHING_COLLECTED, WRONG_CALL = 5, 4
LONG = 600.0
"""Seconds after which a run hangs when it is not known how long it takes."""


@dataclass(frozen=True)
class Tests:
    """What is run for a module."""

    module: str
    files: tuple[str, ...]
    contracts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Components whose contracts are run."""

    def parts(self) -> Iterator[Tests]:
        """The same, one file and one component at a time."""
        for file in self.files:
            yield Tests(self.module.rpartition(".")[0], (file,))
        for word in self.words:
            yield Tests(self.module.rpartition(".")[0], (), self.contracts, (word,))

    def calls(self) -> Iterator[list[str]]:
        """The arguments of pytest, run by run."""
        if self.files:
            yield list(self.files)
        if self.words:
            yield [*self.contracts, "-k", " or ".join(self.words)]


def imports(file: Path) -> set[str]:
    """The modules of ours a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("schleier."):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def name_of(file: Path) -> str:
    """The module a file of the source is."""
    parts = file.relative_to("src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tests_of(file: Path) -> Tests:
    """The tests that fit a file of the source: nearest first."""
    room = file.parent
    uses = {each: imports(each) for each in sorted(room.glob("*.py"))}
    built = [file]  # what is built on it in its room, step by step
    for one in built:
        built += [each for each, used in uses.items() if name_of(one) in used and each not in built]
    below = [file.relative_to(SOURCE) for file in built]
    named = [Path("tests") / each.parent / f"test_{each.stem.lstrip('_')}.py" for each in below]
    modules = {name_of(each) for each in built}
    candidates = [test for folder in TESTED_IN for test in sorted(Path("tests", folder).rglob("test_*.py"))]
    importing = [test for test in candidates if imports(test) & modules]
    own = [test for test in importing if name_of(file) in imports(test)]
    also = [Path("tests") / test for place, tests in ALSO.items() if place in file.as_posix() for test in tests]
    ordered = dict.fromkeys((*named[:1], *also, *own, *named, *importing))
    kind = ROOMS.get(room.name)
    words = [each.stem for each in built if not each.stem.startswith("_")][:FEW] if kind else []
    return Tests(
        name_of(file),
        tuple(test.as_posix() for test in ordered if test.is_file()),
        ("tests/contracts/test_component.py", f"tests/contracts/test_{kind}.py") if kind else (),
        tuple(words),
    )


@dataclass
class Job:
    """One run of the tests of a file, with an error or without."""

    tests: Tests
    file: Path
    mutant: Mutant | None
    limit: float = float("inf")
    seconds: float = 0.0
    killed: bool = False
    how: str = ""


@dataclass
class Slot:
    """A copy of the tree, and the run that goes on in it."""

    tree: Path
    job: Job | None = None
    pid: int = 0
    began: float = field(default=0.0)

    def start(self, job: Job) -> None:
        """Write the error and fork."""
        place = self.tree / job.file
        if job.mutant:
            source = (ROOT / job.file).read_text(encoding="utf-8")
            place.write_text(job.mutant.of(source), encoding="utf-8")
            for stale in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):  # its age would not tell
                stale.unlink()
        self.job, self.began = job, time.monotonic()
        self.pid = os.fork()
        if not self.pid:
            os._exit(ran(self.tree, job))

    def finished(self) -> Job | None:
        """The job, when it has ended or taken too long."""
        assert self.job
        job = self.job
        done, status = os.waitpid(self.pid, os.WNOHANG)
        job.seconds = time.monotonic() - self.began
        if not done:
            if job.seconds < job.limit:
                return None
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status) if done else -signal.SIGKILL
        if code == WRONG_CALL:
            raise RuntimeError(f"pytest was called wrongly: see {self.tree / 'log.txt'}")
        job.killed, job.how = code != 0, "" if done else "hangs"
        if job.mutant:
            shutil.copy2(ROOT / job.file, self.tree / job.file)
        self.job = None
        return job


def ran(tree: Path, job: Job) -> int:
    """In a process of its own: the exit code of the first part that fails."""
    import doctest

    import pytest

    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    log = os.open(tree / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(tree)
    sys.dont_write_bytecode = True
    sys.path[:] = [str(tree / "src"), *(path for path in sys.path if path not in (str(ROOT / "src"), str(ROOT)))]
    os.environ.update(PYTHONPATH=str(tree / "src"), HYPOTHESIS_PROFILE="mutants")
    with tempfile.TemporaryDirectory(dir=tree) as empty:
        if "kernels" in job.file.parts:
            import numba

            os.environ.update(NUMBA_DISABLE_JIT="1", NUMBA_CACHE_DIR=empty)
            numba.config.DISABLE_JIT = 1
        module = importlib.import_module(job.tests.module)
        assert Path(module.__file__ or "").is_relative_to(tree)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        if doctest.testmod(module, optionflags=flags).failed:
            return 1
        options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not spark and not browser", "--rootdir", str(tree)]
        for call in job.tests.calls():
            code = int(pytest.main([*options, *call]))
            if code not in (0, NOTHING_COLLECTED):
                return code
    return 0


def carried_out(jobs: list[Job], slots: list[Slot]) -> Iterator[Job]:
    """Every job, in the order in which they end."""
    waiting = list(reversed(jobs))
    try:
        while waiting or any(slot.job for slot in slots):
            for slot in slots:
                if not slot.job and waiting:
                    slot.start(waiting.pop())
                if slot.job and (done := slot.finished()):
                    yield done
            time.sleep(0.05)
    finally:  # interrupted: nobody goes on alone
        for slot in slots:
            if slot.job:
                with suppress(ProcessLookupError):
                    os.killpg(slot.pid, signal.SIGKILL)


def copies(place: Path, count: int) -> list[Slot]:
    """Copies of the tree, with the bytecode and the machine code of its modules."""
    slots = [Slot(place / str(i)) for i in range(count)]
    for slot in slots:
        shutil.copytree(ROOT, slot.tree, ignore=LEFT_BEHIND)
    return slots


def limit(seconds: Iterable[float]) -> float:
    """When a run that took so long as it is must hang, also on a busy machine."""
    return 4 * sum(seconds) + 30 if any(seconds := list(seconds)) else LONG


def say(text: str) -> None:
    """A line, at once."""
    print(text, flush=True)


def chosen(only: list[str], size: int) -> list[Mutant]:
    """The mutants to try, of the files whose name contains one of ``only``."""
    files = [file for aim in AIMS for file in sorted((ROOT / SOURCE).glob(aim)) if file.name != "__init__.py"]
    pool = [m for file in files for m in mutants(file.read_text(encoding="utf-8"), str(file.relative_to(ROOT)))]
    pool, stale = without(pool, equivalents(EQUIVALENT))
    for entry in stale:
        say(f"stale entry in {EQUIVALENT.name}: {entry.file}: {entry.after}")
    return [mutant for mutant in sample(pool, size) if any(part in mutant.file for part in only)]


def main() -> int:
    """Try all, list who survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", nargs="*", default=[""], help="files whose name contains one of these")
    parser.add_argument("--size", type=int, default=SIZE, help="how many mutants are drawn from all files")
    parser.add_argument("--quick", action="store_true", help="believe that the tests pass as it is")
    parser.add_argument("--list", action="store_true", help="only list the mutants and their tests")
    asked = parser.parse_args()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pool = chosen(asked.only, asked.size)
    tests = {file: tests_of(Path(file)) for file in dict.fromkeys(mutant.file for mutant in pool)}
    if asked.list:
        for mutant in pool:
            say(f"{mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}")
        for file, each in tests.items():
            say(f"{file}: {' '.join(each.files)}; contracts of {', '.join(each.words) or 'nobody'}")
        return 0
    for library in LIBRARIES:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        slots = copies(Path(place), asked.jobs)
        parts = {part: Job(part, Path(file), None) for file, each in tests.items() for part in each.parts()}
        for job in carried_out([] if asked.quick else list(parts.values()), slots):
            if job.killed:
                raise RuntimeError(f"these tests fail as it is: {' '.join(job.tests.files + job.tests.words)}")
        say(f"as it is: {sum(job.seconds for job in parts.values()):.0f} s")
        jobs = [
            Job(tests[m.file], Path(m.file), m, limit(parts[p].seconds for p in tests[m.file].parts())) for m in pool
        ]
        done = []
        for job in carried_out(jobs, slots):
            done.append(job)
            say(f"{len(done):4} {'killed' if job.killed else 'SURVIVES'} {job.how} {job.seconds:5.1f} s  {job.file}")
    return told(done)


def told(done: list[Job]) -> int:
    """The survivors and the share; whether it is enough."""
    alive = sorted((job.mutant for job in done if not job.killed and job.mutant), key=lambda m: (m.file, m.line))
    for mutant in alive:
        say(f"{mutant.file}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}")
    killed = len(done) - len(alive)
    share = killed / len(done) if done else 1.0
    say(f"{killed} of {len(done)} mutants killed: {share:.1%}; {WANTED:.0%} are wanted")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
