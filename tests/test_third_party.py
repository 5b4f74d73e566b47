"""A method of somebody else, installed beside Schleier: no file is edited, and it is everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copies import ROOT, offered, passed, ran, run_tests
from schleier.core import registry

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
    texts = {"shift_values.py": METHOD, "shift_values.md": PAGE}
    return offered(tmp_path, "veil_extra", texts, {"method": "shift_values = veil_extra.shift_values:ShiftValues"})


def test_the_command_line_lists_and_explains_it(elsewhere: Path) -> None:
    listed = ran(ROOT, "-m", "schleier", "methods", also=[elsewhere])
    assert "shift_values" in listed.stdout
    explained = ran(ROOT, "-m", "schleier", "methods", "shift_values", also=[elsewhere])
    assert "whose values make the groups" in " ".join(explained.stdout.split())


def test_the_docs_check_asks_for_its_page(elsewhere: Path) -> None:
    stale = ran(ROOT, "tools/docs.py", "--check", also=[elsewhere])
    assert "shift_values.md: the table of parameters is not current" in stale.stdout
    assert len(stale.stdout.splitlines()) == stale.returncode == 1, "nothing else is asked for"
    (elsewhere / "veil_extra" / "shift_values.md").unlink()
    missing = ran(ROOT, "tools/docs.py", "--check", also=[elsewhere])
    assert "missing, the page of the method shift_values" in missing.stdout


def test_the_contracts_take_it_in(elsewhere: Path) -> None:
    assert passed(run_tests(ROOT, "tests/contracts", "-k", "shift_values", also=[elsewhere])) >= 20


def test_two_packages_with_one_word_stop_whoever_asks_for_it(elsewhere: Path, tmp_path: Path) -> None:
    more = offered(
        tmp_path / "more", "lace", {"shift_values.py": METHOD}, {"method": "shift_values = lace.a:ShiftValues"}
    )
    done = ran(ROOT, "-m", "schleier", "methods", "shift_values", also=[elsewhere, more])
    told = " ".join(done.stderr.split())
    assert done.returncode == 70
    assert "veil_extra.shift_values:ShiftValues" in told and "lace.a:ShiftValues" in told


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
