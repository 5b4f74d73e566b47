"""A check learns everything once, and a run uses it: nothing is opened, unwrapped or walked through again."""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import schleier as sl
from schleier.core.schema import Column, Schema
from schleier.engine.duckdb import Duckdb
from schleier.flow.recipe.check import check
from schleier.flow.run.files import Files
from schleier.flow.run.reader import read
from schleier.formats.csv import Csv
from schleier.formats.gzip import Gzip
from schleier.methods.top_code import TopCode

PEOPLE = "age,sex,pay\n" + "30,f,1000\n41,m,2000\n30,f,3000\n41,m,900\n" * 3
RECIPE = """
[data]
file = "{file}"
[schema]
columns = [
  {{ name = "age", role = "quasi", scale = "discrete" }},
  {{ name = "sex", role = "quasi", scale = "nominal" }},
  {{ name = "pay", scale = "discrete" }},
]
[[steps]]
method = "top_code"
column = "pay"
upper = 2500
[[criteria]]
criterion = "k_anonymity"
k = 2
"""


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the formats are asked, and the step for the schema after it."""
    found = Counter[str]()

    def count(owner: type[Any], verb: str) -> None:
        real = getattr(owner, verb)

        def counting(self: Any, *args: Any, **kwargs: Any) -> Any:
            found[f"{owner.__name__}.{verb}"] += 1
            return real(self, *args, **kwargs)

        monkeypatch.setattr(owner, verb, counting)

    for owner, verb in ((Csv, "detect"), (Csv, "header"), (Gzip, "unwrap"), (TopCode, "problems")):
        count(owner, verb)
    return found


def recipe(folder: Path, name: str) -> sl.Recipe:
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "people.csv.gz").write_bytes(gzip.compress(PEOPLE.encode()))
    return sl.Recipe.from_toml(RECIPE.format(file=folder / name))


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_a_run_looks_at_its_file_once(name: str, tmp_path: Path, counted: Counter[str]) -> None:
    made = recipe(tmp_path, name)
    assert made.run(out=tmp_path / "out").report.records_released == 12
    wrapped = {"Gzip.unwrap": 1} if name.endswith("gz") else {}
    assert counted == {"Csv.detect": 1, "Csv.header": 1, "TopCode.problems": 1} | wrapped


def test_nothing_that_was_unwrapped_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, room = recipe(tmp_path, "people.csv.gz"), tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    made.run()
    check(made)
    assert list(room.iterdir()) == []


def test_the_outlook_tells_what_is_ahead(tmp_path: Path) -> None:
    made = recipe(tmp_path, "people.csv")
    ahead = check(made)
    assert ahead.problems == ()
    assert [stage.label for stage in ahead.stages] == ["top_code:pay"]
    assert ahead.released == made.after() == ahead.stages[-1].after
    assert check(made, header=False) is made.outlook


def test_files_read_again_are_unwrapped_once(tmp_path: Path, counted: Counter[str]) -> None:
    recipe(tmp_path, "people.csv.gz")
    schema = Schema(columns=[Column(name=name, scale="text") for name in ("age", "sex", "pay")])
    engine, path = Duckdb(), tmp_path / "people.csv.gz"
    with Files(engine.work, again=True) as files:
        first, second = (read(path, schema, engine, files).to_arrow() for _ in range(2))
    assert first.equals(second)
    assert counted["Gzip.unwrap"] == 1
    engine.close()


def test_a_file_that_was_read_does_not_stay_unwrapped(tmp_path: Path, counted: Counter[str]) -> None:
    """It may be large, and the engine has its rows."""
    recipe(tmp_path, "people.csv.gz")
    schema = Schema(columns=[Column(name=name, scale="text") for name in ("age", "sex", "pay")])
    engine, path = Duckdb(), tmp_path / "people.csv.gz"
    with Files(engine.work) as files:
        read(path, schema, engine, files)
        assert not list(engine.work.glob("unwrapped-*"))
        read(path, schema, engine, files)
    assert counted["Gzip.unwrap"] == 2
    engine.close()


def test_pandas_waits_until_somebody_uses_it(tmp_path: Path) -> None:
    """Arrow would import it for its first array: a third of the time of a short run."""
    import subprocess

    recipe(tmp_path, "people.csv")
    (tmp_path / "recipe.toml").write_text(RECIPE.format(file="people.csv"))
    code = (
        "import sys, schleier as sl; release = sl.Recipe.from_file('recipe.toml').run();"
        "assert 'pandas' not in sys.modules, 'imported by a run';"
        "import pandas as pd, pyarrow as pa; assert pa.array(pd.Series([1.0, None])).null_count == 1;"
        "assert len(release.data.to_pandas()) == 12; print('well')"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (told.returncode, told.stdout, told.stderr) == (0, "well\n", "")
