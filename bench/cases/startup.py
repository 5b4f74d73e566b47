"""What it costs to begin: importing, asking the command line for help, describing a file of five hundred records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.harness import OUT, ROOT, Contestant, Requirement, Results, Round

SIZES = (0,)
METRIC = "cpu"
LIMITS = {"import": 0.6, "help": 1.0, "first file": 1.2}


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    command = Contestant("schleier --help", (str(Path(sys.executable).parent / "schleier"), "--help"))
    yield Round("import", (_code("import pydantic, narwhals"), _code("import schleier")), warm=True)
    yield Round("help", (_code("import typer, rich"), command), warm=True)
    recipe = "from schleier import Recipe"  # what any use of the library loads
    yield Round("recipe", (_code("import pydantic, narwhals"), _code(recipe)), warm=True)
    file = str(ROOT / "examples" / "first_release" / "people.csv")
    described = Contestant("schleier describe", (*command.command[:1], "describe", file, "-o", f"{OUT}/schema.toml"))
    yield Round("first file", (_code("import duckdb, pyarrow.compute, pydantic, typer"), described), warm=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for title, limit in LIMITS.items():
        entry = next(e for e in reversed(results.entries) if e.round == title)
        cpu = entry.median("cpu")
        yield Requirement(f"{entry.name} < {limit:g} s CPU", f"{cpu:.2f} s", cpu < limit)


def _code(code: str) -> Contestant:
    return Contestant(code, (sys.executable, "-c", code))
