"""Importing is cheap: what is heavy is loaded where it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"duckdb", "numba", "numpy", "pandas", "polars", "pyarrow", "pyspark", "scipy"}


def loaded_after(code: str) -> set[str]:
    """Which heavy libraries a fresh process has loaded after running some code."""
    tail = "\nimport json, sys\nprint(json.dumps([name.partition('.')[0] for name in sys.modules]), file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return HEAVY & set(json.loads(ended.stderr.splitlines()[-1]))


def command(*arguments: str) -> str:
    return f"from schleier.cli import app\ntry:\n    app({list(arguments)!r})\nexcept SystemExit:\n    pass"


@pytest.mark.parametrize(
    "code",
    [
        "import schleier",
        "import schleier.cli",
        "from schleier import *",
        "from schleier.core import classes, criterion, data, measure, method, normal, registry, run, schema",
        "from schleier.core import registry\nfor kind in registry.KINDS: registry.names(kind)",
        "from schleier.flow.recipe import check, parents, recipe\nfrom schleier.flow.run import reader, runner",
        "from schleier.flow.release import digest, edge, publish, release",
        "import schleier.pytest_plugin",
        command("--help"),
        command("run", "--help"),
        command("methods"),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str) -> None:
    assert loaded_after(code) == set()


def test_the_plugin_for_pytest_loads_next_to_nothing() -> None:
    """It is loaded at the start of every test run on a machine where Schleier is installed."""
    probe = "import pytest, sys\nbefore = set(sys.modules)\nimport schleier.pytest_plugin\n"
    tail = "print(sorted(name for name in set(sys.modules) - before if not name.startswith('_')))"
    ended = subprocess.run([sys.executable, "-c", probe + tail], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "['schleier', 'schleier.pytest_plugin']"


def test_the_probe_would_notice() -> None:
    assert "numpy" in loaded_after("import numpy")
    assert "pyarrow" in loaded_after("from schleier.testing import example_table\nexample_table(1)")
