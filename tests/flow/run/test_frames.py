"""Frames of pandas, Polars and Arrow, as people have them, where the name of a file is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import schleier as sl
from schleier.core.errors import DataError
from schleier.core.frames import arrow_table

N = 60
ROWS = {"age": [20 + n % 5 for n in range(N)], "sex": ["f", "m"] * (N // 2), "wage": [1000.5 + n % 3 for n in range(N)]}
SCHEMA = sl.Schema(
    others="drop",
    columns=[
        sl.Column(name="age", role="quasi", scale="discrete"),
        sl.Column(name="sex", role="quasi", scale="nominal"),
        sl.Column(name="wage", role="sensitive", scale="continuous"),
    ],
)
RECIPE = sl.Recipe(schema=SCHEMA, criteria=[sl.criteria.KAnonymity(k=2)])


def pandas(**more: Any) -> pd.DataFrame:
    return pd.DataFrame({**ROWS, **more})


def nullable() -> pd.DataFrame:
    return pandas().astype({"age": "Int64", "sex": "string", "wage": "Float64"})


def indexed(frame: pd.DataFrame, index: pd.Index) -> pd.DataFrame:
    return frame.set_index(index)


BERLIN = pd.date_range("2024-01-01", periods=N, freq="D", tz="Europe/Berlin")
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": pandas,
    "pandas, named index": lambda: indexed(pandas(), pd.Index([f"P{n}" for n in range(N)], name="person")),
    "pandas, index like a column": lambda: indexed(pandas(), pd.Index(range(N), name="age")),
    "pandas, two indices": lambda: indexed(
        pandas(), pd.MultiIndex.from_arrays([range(N), range(N)], names=["household", "member"])
    ),
    "pandas, categories": lambda: pandas().astype({"sex": "category", "age": "category"}),
    "pandas, nullable": nullable,
    "pandas, Arrow types": lambda: pandas().convert_dtypes(dtype_backend="pyarrow"),
    "Polars": lambda: pl.DataFrame(ROWS),
    "Polars, lazy": lambda: pl.LazyFrame(ROWS),
    "Polars, categories": lambda: pl.DataFrame(ROWS).cast({"sex": pl.Enum(["f", "m"])}),
    "Arrow": lambda: pa.table(ROWS),
    "Arrow, dictionary": lambda: pa.table({**ROWS, "sex": pa.array(ROWS["sex"]).dictionary_encode()}),
    "Arrow, one batch": lambda: pa.RecordBatch.from_pydict(ROWS),
    "Arrow, batches": lambda: pa.table(ROWS).to_reader(),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_is_found_in_all_kinds_of_frames(kind: str) -> None:
    described = sl.describe(FRAMES[kind]()).schema
    assert [(c.name, c.role, c.scale) for c in described] == [
        ("age", "quasi", "discrete"),
        ("sex", "quasi", "nominal"),
        ("wage", "sensitive", "continuous"),
    ]
    assert sl.inspect(FRAMES[kind](), SCHEMA).findings[0].detail["after"]["unique"] == 0
    assert [verdict.level for verdict in sl.verify(FRAMES[kind](), RECIPE)] == [6]


@pytest.mark.parametrize("kind", ["pandas, named index", "Polars, categories", "Arrow, batches"])
def test_a_recipe_is_suggested_for_frames_and_runs_on_them(kind: str, key: bytes) -> None:
    found = sl.suggest(FRAMES[kind](), "internal")
    assert found.draft.file == "" and found.chosen is not None
    recipe = found.to_recipe()
    assert recipe.criteria[0].k == 2  # type: ignore[attr-defined]
    assert recipe.run(FRAMES[kind](), key=key).report.records_released == N


def test_a_draft_runs_on_its_frame(key: bytes) -> None:
    assert sl.describe(pandas()).to_recipe().run(pandas(), key=key).report.criteria[0].holds


def test_a_suggestion_takes_a_schema_and_the_index_that_it_describes() -> None:
    frame = FRAMES["pandas, named index"]()
    described = SCHEMA.model_copy(update={"row_key": "person"})
    assert sl.suggest(frame, "internal", schema=described).draft.schema.row_key == "person"


def test_points_in_time_keep_their_zone_and_more_columns_are_refused_by_verify() -> None:
    frame = pandas(visit=BERLIN)
    assert sl.describe(frame).schema["visit"].scale == "time"
    with pytest.raises(DataError) as caught:
        sl.verify(frame, RECIPE)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("unreleased-columns", "data"), "no file that nobody knows is named"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([0, 1, 2], ["0", "1", "2"]),
        (["age", 2, None], ["age", "2", "None"]),
        (
            pd.MultiIndex.from_tuples([("who", "age"), ("who", "sex"), ("pay", "wage")]),
            ["who age", "who sex", "pay wage"],
        ),
    ],
)
@pytest.mark.filterwarnings("error")
def test_names_that_are_no_texts_become_texts(names: Any, expected: list[str]) -> None:
    frame = pandas()
    frame.columns = names
    assert [guess.column.name for guess in sl.describe(frame).guesses] == expected


def test_names_that_become_the_same_are_refused() -> None:
    frame = pandas()
    frame.columns = ["1", 1, "wage"]
    with pytest.raises(DataError, match="more than once"):
        sl.describe(frame)


def test_columns_that_cannot_be_read_are_named() -> None:
    with pytest.raises(DataError, match="'odd', 'wave'") as caught:
        sl.describe(pandas(odd=[1, "SECRET"] * (N // 2), wave=np.arange(N) * 1j))
    assert caught.value.problems[0].code == "mixed-types" and "SECRET" not in str(caught.value)


def test_intervals_are_left_out_as_lists_are() -> None:
    draft = sl.describe(pandas(bin=pd.cut(pd.Series(range(N)), 4)))
    assert draft.left_out == ("bin",)
    assert "bin" in arrow_table(pandas(bin=pd.cut(pd.Series(range(N)), 4))).column_names


@pytest.mark.parametrize(
    "column",
    [
        pa.array([4611686018427387904] * N, pa.timestamp("s")),
        pa.UnionArray.from_sparse(pa.array([0] * N, pa.int8()), [pa.array(["4611686018427387904"] * N)]),
    ],
    ids=["a time beyond all calendars", "a union"],
)
def test_what_no_file_can_hold_is_refused_without_a_value(column: pa.Array) -> None:
    with pytest.raises(DataError) as error:
        sl.describe(pa.table({**ROWS, "when": column}))
    assert error.value.problems[0].code == "unreadable-frame"
    assert "4611686018427387904" not in f"{error.value}{error.value.__context__}"


def test_a_name_with_a_null_character_is_refused() -> None:
    for verb in (sl.describe, lambda frame: sl.inspect(frame, SCHEMA), RECIPE.run):
        with pytest.raises(DataError) as error:
            verb(pandas(**{"a\0b": [1] * N}))
        assert error.value.problems[0].code == "bad-column-name"
