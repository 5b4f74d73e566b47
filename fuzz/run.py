"""Spoiled recipes and files, signals and kills, all from fixed seeds: ``make fuzz ARGS="--minutes 5"``.

No command may call it a defect (exit code 70), hang, die, leave anything behind or tell a planted value.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:1] = [str(HERE.parent), str(HERE.parent / "tests")]

from fuzz.files import SCHEMA, spoiled  # noqa: E402
from fuzz.recipes import recipe, write_people  # noqa: E402
from fuzz.workers import Case, Tally, work  # noqa: E402


def recipes(number: int, place: Path) -> Iterator[tuple[str, ...]]:
    """Check a spoiled recipe; run it when it is found sound."""
    write_people(place)
    file = place / "recipe.toml"
    file.write_text(recipe(number), encoding="utf-8", errors="replace")
    yield "check", str(file)
    yield "run", str(file), "--out", str(place / "release"), "--quiet"


def files(number: int, place: Path) -> Iterator[tuple[str, ...]]:
    """Describe a spoiled file, or inspect it."""
    file = spoiled(number, place)
    if number % 2:
        yield "describe", str(file)
    else:
        (place / "schema.toml").write_text(SCHEMA)
        yield "inspect", str(file)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when nothing is wrong."""
    parser = argparse.ArgumentParser(prog="make fuzz ARGS=...", description=__doc__.splitlines()[0])
    parser.add_argument("--recipes", type=int, default=10_000, help="spoiled recipes (default: 10000)")
    parser.add_argument("--files", type=int, default=5_000, help="spoiled data files (default: 5000)")
    parser.add_argument("--kills", type=int, default=100, help="killed and interrupted commands (default: 100)")
    parser.add_argument("--minutes", type=float, default=60, help="stop after so many, whatever is left (default: 60)")
    parser.add_argument("--first", type=int, default=0, help="number of the first input, to see one again")
    options = parser.parse_args(arguments)
    _load()
    until, folder = time.monotonic() + 60 * options.minutes, Path(tempfile.mkdtemp(prefix="fuzz-"))
    faults = []
    cases: dict[str, tuple[Case, int]] = {"recipes": (recipes, options.recipes), "files": (files, options.files)}
    try:
        for name, (case, count) in cases.items():
            tally = work(case, range(options.first, options.first + count), folder / name, until)
            _tell(name, tally, count)
            faults += tally.faults
        faults += _kills(folder / "kills", options.kills)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("nothing is wrong" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


def _load() -> None:
    """Import everything once: the processes that are forked have it."""
    import duckdb  # noqa: F401
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401

    from schleier.core import registry
    from schleier.draft import describe  # noqa: F401
    from schleier.flow.inspect import inspect  # noqa: F401
    from schleier.flow.run import runner  # noqa: F401
    from schleier.report import html  # noqa: F401

    for kind in registry.KINDS:
        if kind != "engine":
            registry.every(kind)


def _tell(name: str, tally: Tally, count: int) -> None:
    ends = ", ".join(f"{number} times {end}" for end, number in sorted(tally.ends.items()))
    print(f"{name}: {tally.done} of {count}; exit codes: {ends}", flush=True)
    for fault in tally.faults:
        print(f"  {fault}", flush=True)


def _kills(folder: Path, count: int) -> list[str]:
    """Kill and interrupt commands; what is wrong."""
    if not count:
        return []
    from flow.killing import interrupt, kill

    found = []
    for what, attempt in (("kills", kill), ("signals", interrupt)):
        place = folder / what
        place.mkdir(parents=True)
        try:
            ends = attempt(place, count)
            print(f"{what}: {len(ends)}; ends: {sorted(set(ends))}", flush=True)
        except (AssertionError, TimeoutError, EOFError) as error:
            line = traceback.extract_tb(error.__traceback__)[1]
            found.append(f"{what}: {type(error).__name__} at {line.line} {error}")
            print(found[-1], flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
