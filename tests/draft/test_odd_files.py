"""Files with columns nobody can read, names nobody can use, and more columns than can be compared."""

from __future__ import annotations

from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.schema import Column, Schema
from schleier.draft.describe import describe
from schleier.draft.suggest import suggest

AGES = [20 + n % 30 for n in range(300)]


def table(folder: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), folder / "file.parquet")
    return folder / "file.parquet"


def released(folder: Path, path: Path) -> pa.Table:
    for arguments in (
        ["describe", str(path), "-o", str(folder / "schema.toml")],
        ["check", str(folder / "recipe.toml")],
        ["run", str(folder / "recipe.toml"), "--out", str(folder / "release")],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
    return pq.read_table(folder / "release" / "public" / "data.parquet")


@pytest.mark.parametrize("odd", [[[1, 2]], [{"a": 1}], [b"x"], [time(1, 2)], [timedelta(1)], [None]])
def test_columns_that_cannot_be_read_are_left_out_and_told(odd: list[Any], tmp_path: Path) -> None:
    path = table(tmp_path, {"odd": odd * 300, "age": AGES})
    shown = CliRunner().invoke(app, ["describe", str(path)]).output
    assert "is left out: odd" in shown
    assert released(tmp_path, path).column_names == ["age"]


def test_nothing_but_columns_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        describe(table(tmp_path, {"odd": [[1]]}))


@pytest.mark.parametrize(("names", "message"), [(["_x_"], "reserved"), (["alter", "Alter"], "only in capitals")])
def test_names_that_cannot_be_used(names: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        describe(table(tmp_path, {"age": AGES, **dict.fromkeys(names, AGES)}))


def test_names_that_mean_something_to_python(tmp_path: Path) -> None:
    flags = ["yes", "no", "no"] * 100
    found = released(tmp_path, table(tmp_path, {"self": flags, "sex": ["m", "f"] * 150, "age": AGES}))
    assert set(found.column_names) == {"self", "sex", "age"}
    data = Dataset.from_frame(found, Schema(columns=[Column(name="self", scale="nominal")], others="drop"))
    seen = data.mutate(**{"self": nw.col("self").str.to_uppercase()}).totals(**{"self": nw.col("self").max()})
    assert seen == {"self": "YES"}


def test_numbers_of_all_sizes(tmp_path: Path) -> None:
    sizes = pa.array([2**64 - 1 - n % 9 for n in range(300)], pa.uint64())
    assert released(tmp_path, table(tmp_path, {"size": sizes, "age": AGES})).column_names == ["age"]


def test_columns_that_differ_in_marks_have_hierarchies_of_their_own(tmp_path: Path) -> None:
    towns = {"Ort/Stadt": ["a", "b"], "Ort:Stadt": ["c", "d"], "Ort Stadt": ["e", "f"], "Ort " + "x" * 300: ["g", "h"]}
    mixed = {name: [values[n >> i & 1] for n in range(300)] for i, (name, values) in enumerate(towns.items())}
    found = released(tmp_path, table(tmp_path, mixed))
    files = {path.name: path.read_text(encoding="utf-8")[0] for path in (tmp_path / "hierarchies").iterdir()}
    assert sorted(files.values()) == ["a", "c", "e", "g"] and max(map(len, files)) < 100
    assert set(found.column_names) == set(towns)


def test_of_very_many_dates_the_last_are_left_out(tmp_path: Path) -> None:
    years = np.random.Generator(np.random.Philox(key=1)).integers(2000, 2002, (70, 300)).tolist()
    days = {f"datum{n}": [date(year, 1, 1) for year in years[n]] for n in range(70)}
    found = released(tmp_path, table(tmp_path, {**days, "x": AGES}))
    assert "datum61" in found.column_names and "datum62" not in found.column_names


def test_of_very_many_columns_that_say_the_same_one_stays(tmp_path: Path) -> None:
    days = {f"datum{n}": [date(2000 + i % 2, 1, 1) for i in range(300)] for n in range(70)}
    path = table(tmp_path, {**days, "x": AGES})
    assert released(tmp_path, path).column_names == ["datum0"]
    chosen = suggest(path, "internal").chosen
    assert chosen is not None and [name for name, _, _ in chosen.levels] == ["datum0"]


def test_numbers_stored_as_texts_keep_their_role(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, {"age": [str(age) for age in AGES], "einkommen": [str(age) for age in AGES]}))
    assert [(column.role, column.scale) for column in draft.schema] == [("quasi", "nominal"), ("sensitive", "nominal")]
