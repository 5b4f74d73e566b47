"""Importing stays cheap: nothing heavy is loaded before it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("numba", "scipy", "duckdb", "pyarrow", "pandas", "polars", "pyspark")
TELL = f"import sys, json; sys.stderr.write(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"

COMMAND = "from typer.testing import CliRunner; from schleier.cli import app"


def loaded(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return list(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import schleier",
        "import schleier as sl; sl.Recipe; sl.Schema; sl.methods.TopCode; sl.criteria.KAnonymity; dir(sl.measures)",
        f"{COMMAND}; assert CliRunner().invoke(app, ['--help']).exit_code == 0",
        f"{COMMAND}; assert CliRunner().invoke(app, ['methods']).exit_code == 0",
    ],
    ids=["package", "names", "help", "methods"],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert loaded(f"{code}; {TELL}") == []


def test_the_test_can_fail() -> None:
    assert loaded(f"import pyarrow; {TELL}") == ["pyarrow"]
