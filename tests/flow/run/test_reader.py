"""An address becomes a dataset; a file that changes while it is read becomes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import schleier as sl
from schleier.core.errors import DataError, EngineError, Problem
from schleier.core.schema import Layout
from schleier.flow.run.reader import read, read_header
from schleier.flow.run.runner import verify
from schleier.flow.run.states import states_of, unchanged
from schleier.risk.uniqueness import Uniqueness

ROWS = {"age": [20, 20, 30, 30], "sex": ["f", "f", "m", "m"]}
RECIPE = """
[data]
file = "{file}"
{more}
[schema]
columns = [{{name = "age", role = "quasi", scale = "discrete"}}, {{name = "sex", role = "quasi", scale = "nominal"}}]
[[criteria]]
criterion = "k_anonymity"
k = 2
[[measures]]
measure = "uniqueness"
"""


def write(path: Path, rows: dict[str, list[Any]] = ROWS) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table(rows), path)
    else:
        pyarrow.csv.write_csv(pa.table(rows), path)
    return path


def appended(path: Path) -> None:
    write(path, {name: values * 2 for name, values in ROWS.items()})


def replaced(path: Path) -> None:
    """Another file of the same size and time, moved into its place."""
    other, before = path.with_suffix(".other"), path.stat()
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def touched(path: Path) -> None:
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def removed(path: Path) -> None:
    path.unlink()


def meanwhile(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Let a measure change something before it measures."""
    measure = Uniqueness.measure

    def changing(self: Uniqueness, *given: Any) -> Any:
        found = measure(self, *given)
        change()
        return found

    monkeypatch.setattr(Uniqueness, "measure", changing)


@pytest.mark.parametrize("name", ["people.parquet", "people.csv"])
@pytest.mark.parametrize("change", [replaced, touched, appended])
def test_a_file_that_changes_during_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Path], None]
) -> None:
    path, out = write(tmp_path / name), tmp_path / "out"
    recipe = sl.Recipe.from_toml(RECIPE.format(file=path, more=""))
    meanwhile(monkeypatch, lambda: change(path))
    for place in (out, None):
        with pytest.raises(DataError) as caught:
            recipe.run(out=place)
        (problem,) = caught.value.problems
        assert (problem.code, problem.where) == ("changed-while-reading", str(path))
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_a_release_that_stands_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = write(tmp_path / "people.csv"), tmp_path / "out"
    recipe = sl.Recipe.from_toml(RECIPE.format(file=path, more=""))
    recipe.run(out=out)
    before = {file: file.read_bytes() for file in out.rglob("*.json")}
    meanwhile(monkeypatch, lambda: touched(path))
    with pytest.raises(DataError, match="changed while it was read"):
        recipe.run(out=out, force=True)
    assert {file: file.read_bytes() for file in out.rglob("*.json")} == before


def test_the_file_of_control_is_watched_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, control = write(tmp_path / "people.csv"), write(tmp_path / "control.parquet")
    recipe = sl.Recipe.from_toml(RECIPE.format(file=path, more=f'control = "{control}"'))
    meanwhile(monkeypatch, lambda: touched(control))
    with pytest.raises(DataError) as caught:
        recipe.run(out=tmp_path / "out")
    assert [p.where for p in caught.value.problems] == [str(control)]


def test_every_file_that_changed_is_named(tmp_path: Path) -> None:
    one, two, three = (write(tmp_path / f"{name}.csv") for name in ("one", "two", "three"))
    before = states_of([str(one), f"{two}::part", str(three), "env:NAME::x"])
    with pytest.raises(DataError) as caught, unchanged(before):
        removed(one)
        touched(two)
    assert [p.where for p in caught.value.problems] == [str(one), f"{two}::part"]


def test_a_run_that_fails_says_why_first(tmp_path: Path) -> None:
    path = write(tmp_path / "one.csv")
    with pytest.raises(ValueError, match="why"), unchanged(states_of([str(path)])):
        removed(path)
        raise ValueError("why")


def test_an_engine_that_fails_over_a_changed_file_is_not_blamed(tmp_path: Path) -> None:
    path = write(tmp_path / "one.csv")
    with pytest.raises(DataError, match="changed while it was read"), unchanged(states_of([str(path)])):
        removed(path)
        raise EngineError(Problem("engine", "data", "no more bytes"))
    write(path)
    with pytest.raises(EngineError), unchanged(states_of([str(path)])):
        raise EngineError(Problem("engine", "data", "no more memory"))


def test_an_unchanged_file_is_no_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "people.parquet")
    assert sl.Recipe.from_toml(RECIPE.format(file=path, more="")).run().report.records_read == 4


def test_the_rows_know_nothing_of_the_title_of_their_file(tmp_path: Path) -> None:
    """Else their release could not be read with its own schema."""
    path, out = tmp_path / "people.csv", tmp_path / "out"
    path.write_text("Persons of 2020\n\nage,born\n" + "30,31.12.1990\n" * 4)
    columns = [sl.Column(name="age", scale="discrete"), sl.Column(name="born", scale="time", date="%d.%m.%Y")]
    schema = sl.Schema(columns=columns, layout=Layout(skip=2))
    assert read_header(path)[2] == Layout(skip=2, date="%d.%m.%Y")
    data = read(path, schema)
    assert (data.rows, data.schema.layout, data.schema["born"].date) == (4, Layout(), None)
    recipe = sl.Recipe.from_toml(
        f"""
        [data]
        file = "{path}"
        [schema]
        columns = [{{name = "age", role = "quasi", scale = "discrete"}},
                   {{name = "born", role = "quasi", scale = "time", date = "%d.%m.%Y"}}]
        layout = {{skip = 2}}
        [[criteria]]
        criterion = "k_anonymity"
        k = 2
        [release]
        format = "csv"
        """
    )
    released = recipe.run(out=out)
    assert (out / "public" / "data.csv").read_text().splitlines()[:2] == ["age,born", "30,1990-12-31"]
    assert read(out / "public" / "data.csv", released.schema).rows == 4
    assert all(verdict.holds for verdict in verify(out / "public" / "data.csv", recipe))


def test_a_title_that_is_found_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Persons of 2020\n\nage,sex\n30,f\n41,m\n")
    columns = [sl.Column(name="age", scale="discrete"), sl.Column(name="sex", scale="nominal")]
    assert read(path, sl.Schema(columns=columns)).to_arrow()["age"].to_pylist() == [30, 41]
