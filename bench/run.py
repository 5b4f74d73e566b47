"""Time and memory against peers, as ratios within one run: ``make bench ARGS="--only spine --quick"``.

Every file in ``cases/`` is a benchmark: SIZES, METRIC, rounds(sizes), requirements(results), and skip() where
it may be impossible. Nothing is listed here.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)  # contestants import the same modules by the same names


def main() -> int:
    from rich.console import Console

    from bench import tree

    names = sorted(file.stem for file in (HERE / "cases").glob("[a-z]*.py"))
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="the smallest size only")
    parser.add_argument("--repeat", type=int, help="median of so many (default: 3, and 1 for the largest size)")
    options = parser.parse_args()
    tree.adopt_orphans()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    good = [_run(name, options, console) for name in options.only or names]
    return 0 if all(good) else 1


def _run(name: str, options: argparse.Namespace, console: Console) -> bool:
    from bench.harness import Results, play
    from bench.show import keep, show

    case: ModuleType = import_module(f"bench.cases.{name}")
    reason = case.skip() if hasattr(case, "skip") else None
    if reason:
        console.print(f"{name}: skipped, {reason}")
        return True
    sizes = case.SIZES[:1] if options.quick else case.SIZES
    with console.status(name) as status:
        entries = [e for r in case.rounds(sizes) for e in play(r, options.repeat, lambda text: status.update(text))]
    results = Results(tuple(entries))
    found = list(case.requirements(results))
    show(console, name, results, case.METRIC, found)
    console.print(f"  {keep(name, results, found)}\n")
    return all(requirement.holds for requirement in found) and not any(entry.failure for entry in results)


if __name__ == "__main__":
    sys.exit(main())
