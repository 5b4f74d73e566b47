"""What is known about single records goes to the restricted part of a release, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schleier as sl
from schleier.core.classes.records import by_class
from schleier.core.classes.request import Request
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.risk.uniqueness import Uniqueness

RECIPE = """
[[schema.columns]]
name = "id"
role = "identifier"
scale = "nominal"
[[schema.columns]]
name = "x"
role = "quasi"
scale = "nominal"
[[steps]]
method = "drop"
columns = ["id"]
[[measures]]
measure = "uniqueness"
[[measures]]
measure = "uniqueness"
"""


@pytest.fixture
def telling(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that keeps the size of each record's class."""
    real = Uniqueness.measure

    def measure(self: Uniqueness, case: Case, run: Run) -> Finding:
        classes = case.released.classes(Request(keys=("x",)))
        run.keep_by_record(lambda: by_class(case.released, classes, {"size": classes.sizes}))
        return real(self, case, run)

    monkeypatch.setattr(Uniqueness, "measure", measure)


def test_files_lie_in_the_restricted_part(telling: None, tmp_path: Path) -> None:
    rows = pa.table({"id": ["1", "2", "3", "4"], "x": ["a", "b", None, "a"]})
    sl.Recipe.from_toml(RECIPE).run(rows, out=tmp_path / "out")
    files = sorted((tmp_path / "out").rglob("records/*"))
    assert [file.relative_to(tmp_path / "out").as_posix() for file in files] == [
        "restricted/records/uniqueness_x.parquet",
        "restricted/records/uniqueness_x_2.parquet",
    ]
    assert [file.stat().st_mode & 0o077 for file in (*files, files[0].parent)] == [0, 0, 0]
    kept = pq.read_table(files[0])
    assert kept.column_names[1:] == ["size"]
    assert kept.column("size").to_pylist() == [2, 1, 1, 2]
    public = (tmp_path / "out" / "public" / "report.json").read_text(encoding="utf-8")
    assert "records/" not in public


def test_nothing_is_computed_without_a_folder(telling: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr("schleier.flow.release.records.file_name", fail)
    sl.Recipe.from_toml(RECIPE).run(pa.table({"id": ["1"], "x": ["a"]}))
