"""What objects of the public interface show in a notebook or a traceback: never a value of a protected column."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import BaseModel

import schleier as sl
from schleier.core.classes.request import Request
from schleier.core.engine import Source
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.flow.replay import Past, sql
from schleier.flow.run import runner
from schleier.planning.design import Design, Question

WORD = "Z" + "ORNROESCHEN"
"""Written in two pieces, for a traceback shows lines of this file."""
SEEN = re.compile(rf"{WORD}|\b7700\d|\b9900\d\d")
ROWS = 60
PLACES = [f"{WORD}place{i}" for i in range(4)]
RECIPE = f"""
[schema]
columns = [
  {{ name = "name", role = "identifier", scale = "text" }},
  {{ name = "job", role = "quasi", scale = "nominal", labels = {{ {WORD}job0 = "{WORD} old" }}, missing = ["{WORD}"] }},
  {{ name = "place", role = "quasi", scale = "nominal", hierarchy = "place" }},
  {{ name = "age", role = "quasi", scale = "discrete" }},
  {{ name = "income", role = "sensitive", scale = "continuous", decimals = 2 }},
]
[hierarchies]
place = {{ tree = {{ west = ["{PLACES[0]}", "{PLACES[1]}"], east = ["{PLACES[2]}", "{PLACES[3]}"] }} }}
[[steps]]
method = "drop"
columns = ["name"]
[[steps]]
method = "recode"
column = "place"
level = 1
[[steps]]
method = "recode"
column = "job"
map = {{ "{WORD}job1" = "{WORD}job0" }}
others = "keep"
[[steps]]
method = "suppress_rare"
columns = ["age"]
min_count = 5
[[steps]]
method = "add_noise"
columns = ["income"]
kind = "independent"
d = 0.1
[[criteria]]
criterion = "k_anonymity"
k = 2
[[criteria]]
criterion = "l_diversity"
l = 2
keys = [["job"]]
[[measures]]
measure = "uniqueness"
[[measures]]
measure = "moments"
[[attacks]]
attack = "exact_match"
targets = 20
[release]
format = "csv"
"""

DESIGN = Design(100, Fraction(5), (Question("sex", (Fraction(1, 2), Fraction(1, 2))),))


def rows() -> dict[str, list[Any]]:
    return {
        "name": [f"{WORD}name{i}" for i in range(ROWS)],
        "job": [f"{WORD}job{i % 3}" for i in range(ROWS)],
        "place": [PLACES[i % 4] for i in range(ROWS)],
        "age": [77001 + i % 5 for i in range(ROWS)],
        "income": [990010.0 + i + 0.25 for i in range(ROWS)],
    }


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A recipe, a file, and everything the public functions make of them."""
    folder = tmp_path_factory.mktemp("shown")
    table, file = pa.table(rows()), folder / "people.csv"
    pd.DataFrame(rows()).to_csv(file, index=False)
    recipe = sl.Recipe.from_toml(RECIPE)
    outcomes: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        publish = runner.publish
        patch.setattr(runner, "publish", lambda out, *a, **more: outcomes.append(out) or publish(out, *a, **more))
        written = recipe.run(file, out=folder / "out", key=bytes(32))
        held = recipe.run(table, key=bytes(32))
    data = sl.read(file, recipe.schema)
    asked = Request(keys=recipe.schema.quasi, sensitive=("income",))
    run = sl.Run()
    run.note("restricted", learned=rows())
    return SimpleNamespace(
        folder=folder,
        file=file,
        table=table,
        recipe=recipe,
        roots={
            "catalogues": [getattr(sl, name) for name in ("attacks", "criteria", "detectors", "measures", "methods")],
            "draft": sl.describe(file),
            "outcomes": outcomes,
            "releases": [written, held, written.data, held.data],
            "data": [data, sl.Dataset.from_frame(table, recipe.schema), data.classes(asked), Source(table)],
            "case": Case(data, data, truth=data.frame, known=data),
            "run": run,
            "inspection": sl.inspect(table, recipe.schema),
            "plan": sl.plan(DESIGN),
            "suggestion": sl.suggest(table, "public_use"),
            "verdicts": sl.verify(folder / "out" / "public" / "data.csv", recipe),
            "past": [Past.of(folder / "out"), sql(folder / "out", partial=True)],
            "replayed": sl.replay(folder / "out", table),
        },
    )


def parts(thing: Any) -> list[Any]:
    """What an object is made of."""
    if isinstance(thing, BaseModel):
        return [getattr(thing, name) for name in type(thing).model_fields]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return [getattr(thing, field.name) for field in dataclasses.fields(thing)]
    if isinstance(thing, Mapping):
        return list(thing.values())
    return list(thing) if isinstance(thing, list | tuple) else []


def reached(root: Any) -> Iterator[Any]:
    """All objects of ours that an object leads to."""
    seen, waiting = set[int](), [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        waiting += parts(thing)
        if type(thing).__module__.startswith("schleier."):
            yield thing


def in_a_notebook(thing: Any) -> str:
    """What it shows as HTML, if it does."""
    return thing._repr_html_() if hasattr(thing, "_repr_html_") else ""


def test_no_object_shows_a_protected_value(world: SimpleNamespace) -> None:
    found = list(reached([world.recipe, world.roots]))
    told = {type(one).__qualname__ for one in found if SEEN.search(f"{one!r} {one!s} {in_a_notebook(one)}")}
    assert not told, f"these show values: {sorted(told)}"
    classes = {type(one) for one in found}
    exported = {one for name in sl.__all__ if inspect.isclass(one := getattr(sl, name))} - {SchleierError}
    assert exported <= classes
    names = {one.__name__ for one in classes}
    assert names >= {"Case", "Classes", "Draft", "Finding", "Histogram", "Report", "Audit", "Note", "Inspection"}
    assert {one.__name__ for one in classes if hasattr(one, "_repr_html_")} == CARDS


def test_the_key_is_not_shown(world: SimpleNamespace) -> None:
    assert not any("00" * 32 in repr(one) + in_a_notebook(one) for one in reached(world.roots))


def records() -> Iterator[type]:
    for room in ("core", "draft", "flow"):
        package = importlib.import_module(f"schleier.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                if one.__module__ == module.name and dataclasses.is_dataclass(one):
                    yield one


def test_arrays_and_frames_are_not_shown_by_what_holds_them() -> None:
    holding = re.compile(r"\bpa\.|LazyFrame|NDArray|\bArray\b|ndarray|\bpd\.|\bpl\.")
    fields = [(one, field) for one in records() for field in dataclasses.fields(one)]
    held = [
        (one, field) for one, field in fields if holding.search(str(field.type)) and "Callable" not in str(field.type)
    ]
    assert len(held) > 20
    assert not [f"{one.__name__}.{field.name}" for one, field in held if field.repr]


def pandas_frame(**changes: Any) -> pd.DataFrame:
    return pd.DataFrame(rows() | changes)


def twice() -> pd.DataFrame:
    frame = pandas_frame()
    return pd.concat([frame, frame[["job"]]], axis=1)


def broken_utf8() -> pa.Table:
    text = (WORD.encode() + b"\xff") * ROWS
    size = len(WORD) + 1
    ends = np.arange(0, size * (ROWS + 1), size, dtype=np.int32)
    names = pa.StringArray.from_buffers(ROWS, pa.py_buffer(ends), pa.py_buffer(text))
    return pa.table(rows()).set_column(1, "job", names)


WRONG: dict[str, Callable[[], Any]] = {
    "text for numbers": lambda: pandas_frame(age=rows()["job"]),
    "text for numbers, Polars": lambda: pl.DataFrame(rows() | {"income": rows()["job"]}),
    "text for numbers, Arrow": lambda: pa.table(rows() | {"income": rows()["job"]}),
    "several types": lambda: pandas_frame(job=[WORD, 7, *rows()["job"][2:]]),
    "several types, Polars": lambda: pl.DataFrame(rows()).with_columns(
        job=pl.Series([object() if i else WORD for i in range(ROWS)], dtype=pl.Object)
    ),
    "huge numbers": lambda: pandas_frame(age=[77001 * 10**30] * ROWS),
    "dictionaries": lambda: pandas_frame(job=[{WORD: 77001}] * ROWS),
    "lists": lambda: pl.DataFrame(rows() | {"job": [[WORD]] * ROWS}),
    "bytes": lambda: pa.table(rows() | {"job": [WORD.encode()] * ROWS}),
    "broken numbers": lambda: pandas_frame(age=[77001.5] * ROWS),
    "not UTF-8": broken_utf8,
    "names twice": twice,
    "names twice, Arrow": lambda: pa.Table.from_arrays([pa.array(rows()["job"])] * 2, names=["job", "job"]),
    "a column too many": lambda: pandas_frame(more=rows()["name"]),
    "a column too few": lambda: pl.DataFrame(rows()).drop("job"),
    "values as names": lambda: pandas_frame().set_axis([WORD, f"{WORD}2", f"{WORD}3", "77001", "990010"], axis=1),
    "no place in the tree": lambda: pandas_frame(place=[WORD] * ROWS),
    "fails when computed": lambda: pl.DataFrame(rows()).lazy().with_columns(pl.col("job").cast(pl.Int64)),
    "fails when asked": lambda: duckdb.from_arrow(pa.table(rows())).project("* EXCLUDE age, CAST(job AS INT) AS age"),
    "no rows": lambda: pandas_frame().head(0),
    "a series": lambda: pandas_frame()["job"],
    "an array": lambda: pandas_frame().to_numpy(),
    "a list": lambda: pandas_frame().to_dict("records"),
    "a dictionary": lambda: rows(),
    "text": lambda: pandas_frame().to_csv(),
    "bytes of a file": lambda: pandas_frame().to_csv().encode(),
}
CARDS = {"Draft", "Finding", "Inspection", "Plan", "Recipe", "Release", "Report", "Schema", "Suggestion", "Verdict"}
FRAMES = ("pandas", "Polars", "Arrow", "a list", "a dictionary", "text")


def frame(kind: str) -> Any:
    right = {"pandas": pandas_frame, "Polars": lambda: pl.DataFrame(rows()), "Arrow": lambda: pa.table(rows())}
    return {**right, **WRONG}[kind]()


def raised(call: Callable[[], Any]) -> BaseException | None:
    try:
        shown = repr(call())
    except Exception as error:
        text = "".join(traceback.format_exception(error)) + repr(error)
        assert not SEEN.search(text), SEEN.sub("VALUE", text)[-600:]
        return error
    assert not SEEN.search(shown)
    return None


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_frame_is_not_quoted(world: SimpleNamespace, kind: str) -> None:
    made = frame(kind)
    for call in (
        lambda: world.recipe.run(made, key=bytes(32)),
        lambda: sl.Dataset.from_frame(made, world.recipe.schema).rows,
        lambda: sl.inspect(made, world.recipe.schema),
        lambda: sl.replay(world.folder / "out", made),
    ):
        error = raised(call)
        if kind not in ("no place in the tree", "no rows", "not UTF-8"):  # which only some look at
            assert isinstance(error, SchleierError), f"{kind}: {error!r}"


@pytest.mark.parametrize("kind", FRAMES)
def test_rows_in_the_place_of_something_else_are_not_quoted(world: SimpleNamespace, kind: str) -> None:
    made, recipe = frame(kind), world.recipe
    name = made if kind != "text" else 1  # a name may be any text, and is quoted
    for call in (lambda: sl.describe(made), lambda: sl.verify(made, recipe), lambda: sl.suggest(made, "public_use")):
        error = raised(call)
        assert error is None or isinstance(error, SchleierError)
    error = raised(lambda: sl.read(made, recipe.schema))
    assert isinstance(error, SchleierError) and [one.code for one in error.problems] == ["not-a-file"]
    for call in (
        lambda: sl.inspect(world.file, made),
        lambda: sl.replay(made, world.table),
        lambda: sl.correct(made, {}),
        lambda: sl.correct(world.folder / "out" / "public" / "report.json", made),
        lambda: sl.plan(made),
        lambda: sl.Recipe.from_file(made),
        lambda: sl.Schema(columns=made),
        lambda: sl.Column(name="job", scale=made),
        lambda: sl.Layout(delimiter=made),
        lambda: sl.Run(key=made),
        lambda: sl.read(world.file, made),
        lambda: sl.Dataset.from_frame(world.table, made),
        lambda: recipe.run(world.table, engine=name),
        lambda: recipe.run(world.table, key=made),
        lambda: sl.methods.TopCode(column=name, upper=1),
    ):
        assert raised(call) is not None
