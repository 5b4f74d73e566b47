"""Results for people (a table) and for programs (JSON)."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.harness import CORES, Metric, Requirement, Results

FOLDER = Path(__file__).parent / "results"
MEASURED = ("duckdb", "narwhals", "pyarrow", "numpy", "pydantic")


def machine() -> dict[str, Any]:
    """What the numbers were measured on; the load says how far to trust them."""
    return {
        "cores": CORES,
        "load": round(os.getloadavg()[2], 1),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in MEASURED},
    }


def show(console: Console, name: str, results: Results, metric: Metric, found: list[Requirement]) -> None:
    """Print a benchmark."""
    times: list[Metric] = list(dict.fromkeys(("wall", metric, "cpu")))
    ratios: list[Metric] = list(dict.fromkeys((metric, "cpu")))
    table = Table(title=f"{name} (ratios to the first of each round)", title_justify="left")
    table.add_column("round", no_wrap=True)
    table.add_column("contestant", no_wrap=True)
    for heading in (*(f"{word} s" for word in times), "peak MB", *(f"{word} ratio" for word in ratios)):
        table.add_column(heading, justify="right", no_wrap=True)
    last = ""
    for entry in results:
        if last and entry.round != last:
            table.add_section()
        cells = [f"{entry.median(word):.2f}" for word in times]
        cells += [f"{entry.median('peak') / 1e6:,.0f}", *(spread(results.ratios(entry, word)) for word in ratios)]
        title = entry.round if entry.round != last else ""
        table.add_row(title, entry.name, *(cells if not entry.failure else ["failed"]))
        last = entry.round
    console.print(table)
    console.print(f"  {CORES} cores, mean load of the last minutes {os.getloadavg()[2]:.1f}")
    for entry in results:
        if entry.failure:
            console.print(f"  [red]failed[/]  {entry.round}, {entry.name}: {escape(entry.failure)}")
    for requirement in found:
        word = "[green]holds[/]" if requirement.holds else "[red]BROKEN[/]"
        console.print(f"  {word}  {requirement.text}: {escape(requirement.found)}")


def spread(ratios: list[float]) -> str:
    """The median, and how far the turns lie apart.

    >>> spread([1.5, 1.2, 2.0])
    '1.50 (1.20-2.00)'
    """
    middle, low, high = f"{median(ratios):.2f}", f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    return middle if low == high else f"{middle} ({low}-{high})"


def keep(name: str, results: Results, found: list[Requirement]) -> Path:
    """Write a benchmark to ``results/NAME.json``."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    document = {
        "benchmark": name,
        "machine": machine(),
        "entries": results.to_json(),
        "requirements": [asdict(r) for r in found],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path
