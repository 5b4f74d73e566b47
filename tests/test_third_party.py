"""A method of somebody else, installed beside Schleier: no file is edited, and it is everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schleier.core import registry

ROOT = Path(__file__).parent.parent
METHOD = '''"""Shift every value of a group by one keyed number."""

from __future__ import annotations

from typing import ClassVar

from schleier.core.method import Method


class ShiftValues(Method):
    """Add one random number per group to a numeric column.

    >>> ShiftValues(column="income", by="sex").column
    'income'
    """

    reference: ClassVar[str] = "made up for a test"
    scales: ClassVar[str] = "groups"
    random: ClassVar[bool] = True
    keeps: ClassVar[dict[str, str]] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"column": "income", "by": "sex"}

    column: str
    """The column to shift."""
    by: str
    """The column whose values make the groups."""

    def uses(self, schema):
        return (self.column, self.by)

    def apply(self, data, run):
        import narwhals as nw

        key, column, by = run.subkey("shift"), self.column, self.by

        def shift(group):
            import hashlib

            word = str(group[by][0]).encode()
            amount = int.from_bytes(hashlib.sha256(key + word).digest()[:2], "big")
            return {column: group[column] + amount}

        return data.map_groups([by], shift, {column: nw.Float64()}, given=[by])
'''
PAGE = "# shift_values\n\n<!-- parameters -->\n<!-- /parameters -->\n"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    package, info = tmp_path / "veil_extra", tmp_path / "veil_extra-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("")
    (package / "shift_values.py").write_text(METHOD)
    (package / "shift_values.md").write_text(PAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: veil-extra\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[schleier.method]\nshift_values = veil_extra.shift_values:ShiftValues\n")
    return tmp_path


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command that finds the package of somebody else."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )


def test_the_command_line_lists_and_explains_it(elsewhere: Path) -> None:
    listed = ran(elsewhere, "-m", "schleier", "methods")
    assert "shift_values" in listed.stdout
    explained = ran(elsewhere, "-m", "schleier", "methods", "shift_values")
    assert "whose values make the groups" in " ".join(explained.stdout.split())


def test_the_docs_check_asks_for_its_page(elsewhere: Path) -> None:
    stale = ran(elsewhere, "tools/docs.py", "--check")
    assert "shift_values.md: the table of parameters is not current" in stale.stdout
    assert stale.returncode == 1
    (elsewhere / "veil_extra" / "shift_values.md").unlink()
    assert "missing, the page of the method shift_values" in ran(elsewhere, "tools/docs.py", "--check").stdout


def test_the_contracts_take_it_in(elsewhere: Path) -> None:
    done = ran(
        elsewhere,
        "-m",
        "pytest",
        "tests/contracts",
        "-q",
        "-k",
        "shift_values",
        "-m",
        "not spark",
        "-p",
        "no:cacheprovider",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert int(done.stdout.strip().splitlines()[-1].split()[0]) >= 20


@pytest.mark.spark
def test_its_groups_are_the_same_on_spark(elsewhere: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(elsewhere))
    from veil_extra.shift_values import ShiftValues  # type: ignore[import-not-found]

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.testing import example_schema, example_table

    def result(engine: Any) -> Any:
        data = Dataset.from_frame(example_table(), example_schema(), engine)
        return ShiftValues(**ShiftValues.example).apply(data, Run(key=bytes(32))).to_arrow().to_pydict()

    here, there = registry.get("engine", "duckdb")(), registry.get("engine", "spark")()
    try:
        assert result(here) == result(there)
    finally:
        here.close()
        there.close()
