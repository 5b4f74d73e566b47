"""The SQL of a release does in a database what the release did: the same values in every row."""

from __future__ import annotations

import datetime as dt
import json
import math
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from flow.fitted import COLUMNS, DRAWN, SAYABLE, people, put, recipe_for
from schleier.cli import app
from schleier.core.errors import EngineError, RecipeError
from schleier.flow.query import Query
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import sql

Rows = Counter[tuple[Any, ...]]


def schleier(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def counted(table: pa.Table) -> Rows:
    """The rows without order; minus zero is told from zero."""
    rows = zip(*(column.to_pylist() for column in table.itercolumns()), strict=True)
    return Counter(tuple(f"{c!r}" if isinstance(c, float) else c for c in row) for row in rows)


def asked(query: Query, table: pa.Table) -> pa.Table:
    """What DuckDB answers over a table called input."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("input", table)
        return connection.sql(query.text).to_arrow_table()


def released(folder: Path, table: pa.Table, recipe: str) -> pa.Table:
    """The release of a table, in ``folder``, and its rows."""
    put(table, folder / "people.parquet")
    (folder / "recipe.toml").write_text('[data]\nfile = "people.parquet"\n' + recipe, encoding="utf-8")
    Recipe.from_file(folder / "recipe.toml").run(out=folder / "release", key=bytes(32), force=True)
    return pq.read_table(folder / "release" / "public" / "data.parquet")


def same(folder: Path, table: pa.Table, recipe: str) -> pa.Table:
    """The release and the query agree in names, types and values."""
    wanted = released(folder, table, recipe)
    found = asked(sql(folder / "release"), table)
    assert found.column_names == wanted.column_names
    assert [_loose(kind) for kind in found.schema.types] == [_loose(kind) for kind in wanted.schema.types]
    assert counted(found) == counted(wanted)
    return wanted


def _loose(kind: pa.DataType) -> str:
    return "integer" if pa.types.is_integer(kind) else str(kind)


def codes(table: pa.Table) -> pa.Table:
    """The people with coded gaps, not-a-number, a negative income and odd words among them."""
    ages = [99 if i % 11 == 3 else age for i, age in enumerate(table["age"].to_pylist())]
    incomes = [
        {1: math.nan, 2: -0.001, 3: 4500.0, 4: 0.25}.get(i % 13, x) for i, x in enumerate(table["income"].to_pylist())
    ]
    table = table.set_column(table.column_names.index("age"), "age", pa.array(ages, pa.int64()))
    return table.set_column(table.column_names.index("income"), "income", pa.array(incomes, pa.float64()))


def test_every_step_that_can_be_said_gives_the_values_of_the_release(tmp_path: Path) -> None:
    rows = same(tmp_path, codes(people()), COLUMNS + SAYABLE)
    assert len(rows) > 200 and {"it's \\ low", '"high"'} == set(rows["schooling"].to_pylist())
    assert set(rows["children"].to_pylist()) == {"none", "some", "many"}
    assert rows["age"].null_count > 20


def test_the_query_works_on_other_rows_as_a_replay_does(tmp_path: Path) -> None:
    from schleier.flow.replay import replay

    steps = SAYABLE.replace("min_count = 3", "min_count = 2")
    released(tmp_path, codes(people()), COLUMNS + steps)
    table = codes(people(2400, start=5000))  # so many that what was common is common again
    again = replay(tmp_path / "release", table)
    assert again.rows is not None and counted(asked(sql(tmp_path / "release"), table)) == counted(again.rows)


def one(scale: str, step: str, more: str = "") -> str:
    return f'[schema]\ncolumns = [{{ name = "x", scale = "{scale}"{more} }}]\n[[steps]]\ncolumn = "x"\n{step}\n'


EDGES = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1 + 0.2, 0.15, 1.005, 2.675, 1e15, 2.0**52, 2.0**53, -1e300, 1e-300]


@pytest.mark.parametrize("base", [0.1, 0.3, 1, 7, 1000, 2.5, 1e-9, 1e12])
def test_rounding(base: float, tmp_path: Path) -> None:
    values = [*EDGES, *(n * base / 2 for n in range(-9, 10)), None, math.nan]
    step = f'method = "round_to"\nbase = {base}'
    same(tmp_path, pa.table({"x": pa.array(values, pa.float64())}), one("continuous", step))
    if base == int(base):
        whole = [0, 1, -1, 3, 4, -4, 499, 500, 501, -500, 2**53 + 1, None]
        same(
            tmp_path,
            pa.table({"x": pa.array(whole, pa.int64())}),
            one("discrete", f'method = "round_to"\nbase = {int(base)}'),
        )
        same(tmp_path, pa.table({"x": pa.array(whole, pa.int64())}), one("continuous", step))


@settings(max_examples=25)
@given(
    st.lists(st.one_of(st.none(), st.floats(-9e8, 9e8)), min_size=1, max_size=20),
    st.integers(0, 9),
)
def test_declared_decimals(tmp_path_factory: pytest.TempPathFactory, values: list[float | None], decimals: int) -> None:
    folder = tmp_path_factory.mktemp("decimals")
    step = 'method = "recode"\nbreaks = [0]'
    recipe = one("continuous", step, f", decimals = {decimals}").replace(
        "columns = [", 'columns = [{ name = "y", scale = "discrete" }, '
    )
    recipe = recipe.replace(
        'column = "x"\nmethod = "recode"\nbreaks = [0]', 'column = "y"\nmethod = "recode"\nbreaks = [0]'
    )
    same(folder, pa.table({"x": pa.array(values, pa.float64()), "y": [1] * len(values)}), recipe)


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.int8()])
@pytest.mark.parametrize("scale", ["discrete", "continuous"])
@pytest.mark.parametrize("method", ["top_code", "replace_extremes"])
def test_tails(method: str, scale: str, kind: pa.DataType, tmp_path: Path) -> None:
    values = [*range(-20, 21), None]
    step = f'method = "{method}"\nupper = 9\nlower = -9'
    rows = same(tmp_path, pa.table({"x": pa.array(values, kind)}), one(scale, step))
    assert max(filter(None, rows["x"].to_pylist())) == (9 if method == "top_code" else 15)


CONDITIONS = [
    ("discrete", [1, 2, 3, None], "at_least = 2"),
    ("discrete", [1, 2, 3, None], "above = 1, below = 3, missing = true"),
    ("discrete", [1, 2, 3, None], "at_most = 2.5"),
    ("continuous", [0.1, 0.3, 0.1 + 0.2, None], "at_most = 0.3"),
    ("nominal", ["a'b", "c\\d", None, "e"], 'is_in = ["a\'b", "c\\\\d"]'),
    ("nominal", ["a'b", "c", None], 'not_in = ["a\'b"]'),
    ("nominal", ["a", "c", None], 'not_in = ["a"], missing = true'),
    ("nominal", [1, 2, None], 'equals = "1"'),
    ("nominal", [True, False, None], 'equals = "true"'),
    ("nominal", ["a", None], "missing = true"),
    ("nominal", ["a", None], "missing = false"),
    ("time", [dt.date(2020, 1, 1), dt.date(2021, 1, 1), None], 'below = "2020-12-31"'),
    ("time", [dt.datetime(2020, 1, 1, 12), dt.datetime(2021, 1, 1), None], 'at_least = "2020-01-01T12:00:00"'),
]


@pytest.mark.parametrize(("scale", "values", "condition"), CONDITIONS)
def test_conditions(scale: str, values: list[Any], condition: str, tmp_path: Path) -> None:
    recipe = one(scale, f'method = "restrict"\nwhere = [{{ column = "x", {condition} }}]').replace(
        'column = "x"\nm', "m"
    )
    kept = same(tmp_path, pa.table({"x": values}), recipe)
    assert 0 < len(kept) < len(values)


VALUES: list[tuple[str, list[Any]]] = [
    ("nominal", [1, 2, 2, 1, None, 3]),
    ("nominal", ["it's", "\\", "it's", "\\", None, "x"]),
    ("continuous", [0.1, 0.1, 0.2, 0.2, None, 0.3]),
    ("time", [dt.date(2020, 1, 1)] * 2 + [dt.date(2021, 1, 1)] * 2 + [None, dt.date(1999, 1, 1)]),
    (
        "time",
        [dt.datetime(2020, 1, 1, 1, 2, 3, 4)] * 2 + [dt.datetime(2021, 1, 1)] * 2 + [None, dt.datetime(1999, 1, 1)],
    ),
    ("nominal", [True, True, False, False, None, None]),
]


@pytest.mark.parametrize(("scale", "values"), VALUES)
@pytest.mark.parametrize("target", ["", 'target = ["x"]\n'])
def test_rare_combinations(scale: str, values: list[Any], target: str, tmp_path: Path) -> None:
    table = pa.table({"x": [v for v in values for _ in "ab"], "y": ["p", "q", None, "p"] * 3})
    columns = f'[schema]\ncolumns = [{{ name = "x", scale = "{scale}" }}, {{ name = "y", scale = "nominal" }}]\n'
    step = f'[[steps]]\nmethod = "suppress_rare"\ncolumns = ["x", "y"]\n{target}min_count = 2\n'
    rows = same(tmp_path, pa.concat_tables([table, table.slice(0, 8)]), columns + step)
    assert 0 < rows["x"].null_count < len(rows)


@pytest.mark.parametrize(
    "values", [["a", "b", None, "it's"], [1, 2, None, 3], [True, False, None, True], [dt.date(2020, 1, 1), None]]
)
def test_a_map_that_keeps_the_rest(values: list[Any], tmp_path: Path) -> None:
    mapped = 'map = { a = "A", 1 = "one", true = "yes", "2020-01-01" = "then" }\nothers = "keep"'
    same(tmp_path, pa.table({"x": values}), one("nominal", f'method = "recode"\n{mapped}'))


def test_an_unknown_value_becomes_the_root(tmp_path: Path) -> None:
    released(tmp_path, pa.table({"x": ["a"]}), one("nominal", 'method = "recode"\nmap = { a = "A" }'))
    assert asked(sql(tmp_path / "release"), pa.table({"x": ["a", "z", None]}))["x"].to_pylist() == ["A", "*", None]


def test_whole_amounts_are_labelled_like_broken_ones(tmp_path: Path) -> None:
    step = 'method = "recode"\nlevel = 1\n[hierarchies]\nh = { intervals = [5, 10] }'
    for scale, label in (("continuous", "[5, 10)"), ("discrete", "5-9")):
        table = pa.table({"x": pa.array([7, 12, None, -3], pa.int64())})
        assert label in same(tmp_path, table, one(scale, step, ', hierarchy = "h"'))["x"].to_pylist()


def test_times_with_a_zone_pass_but_are_not_computed_with(tmp_path: Path) -> None:
    zoned = pa.table({"x": pa.array([dt.datetime(2020, 1, 1, 23)], pa.timestamp("us", "UTC")), "y": ["a"]})
    recipe = (
        '[schema]\ncolumns = [{ name = "x", scale = "time", hierarchy = "h" }, { name = "y", scale = "nominal" }]\n'
    )
    recipe += '[hierarchies]\nh = { dates = ["year"] }\n[[steps]]\nmethod = "recode"\n'
    assert same(tmp_path, zoned, recipe + 'column = "y"\nmap = { a = "A" }\n')["x"].type.tz == "UTC"
    put(zoned, tmp_path / "people.parquet")
    released(tmp_path, zoned, recipe + 'column = "x"\nlevel = 1\n')
    with pytest.raises(RecipeError, match="cannot be said in SQL"):
        sql(tmp_path / "release")


# What cannot be said.


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    recipe = recipe_for(put(people(), folder / "people.parquet"), SAYABLE + DRAWN)
    Recipe.from_file(recipe).run(out=folder / "release", key=bytes(32))
    return folder / "release"


def test_steps_that_draw_are_refused_by_name(drawn: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        sql(drawn)
    assert [p.where for p in caught.value.problems] == [
        "steps[14] (renumber:household)",
        "steps[15] (sample:household)",
    ]


def test_a_partial_query_returns_no_column_such_a_step_works_on(drawn: Path) -> None:
    query = sql(drawn, partial=True)
    assert query.columns_left_out == ("household", "factor")
    found = asked(query, people())
    assert found.column_names == [
        "age",
        "sex",
        "region",
        "born",
        "schooling",
        "income",
        "disease",
        "children",
        "weight",
    ]
    head = query.text.partition("WITH")[0]
    assert "steps[14] (renumber:household)" in head and "column household" in head


def test_what_follows_a_step_left_out_is_left_out_with_it(tmp_path: Path) -> None:
    steps = '[[steps]]\nmethod = "renumber"\ncolumn = "sex"\n'
    steps += '[[steps]]\nmethod = "suppress_rare"\ncolumns = ["sex", "schooling"]\nmin_count = 2\n'
    steps += '[[steps]]\nmethod = "drop"\ncolumns = ["person", "sex"]\n'
    recipe = recipe_for(put(people(), tmp_path / "people.parquet"), steps)
    recipe.write_text(recipe.read_text().partition("[[criteria]]")[0])
    Recipe.from_file(recipe).run(out=tmp_path / "release", key=bytes(32))
    query = sql(tmp_path / "release", partial=True)
    assert query.left_out == ("steps[0] (renumber:sex)", "steps[1] (suppress_rare:sex,schooling)")
    assert query.columns_left_out == ("sex", "schooling")
    assert not {"sex", "schooling", "person"} & set(asked(query, people()).column_names)


def test_a_name_cannot_leave_its_comment(tmp_path: Path) -> None:
    steps = '[[steps]]\nmethod = "drop"\ncolumns = ["person"]\n[[steps]]\nmethod = "renumber"\n'
    steps += 'name = "x\\n; DROP TABLE input; --"\ncolumn = "household"\n'
    recipe = recipe_for(put(people(), tmp_path / "people.parquet"), steps)
    Recipe.from_file(recipe).run(out=tmp_path / "release", key=bytes(32))
    text = sql(tmp_path / "release", partial=True).text
    assert [line for line in text.splitlines() if "DROP TABLE" in line and not line.startswith("--")] == []


def test_names_are_quoted(tmp_path: Path) -> None:
    table = pa.table({'a"b': [1, 9], "select": ["x", "y"], "Ä ö": [1.0, 2.0]})
    columns = "[schema]\ncolumns = [{ name = 'a\"b', scale = 'discrete' }, "
    columns += "{ name = 'select', scale = 'nominal' }, { name = 'Ä ö', scale = 'continuous' }]\n"
    released(tmp_path, table, columns + "[[steps]]\nmethod = 'recode'\ncolumn = 'a\"b'\nbreaks = [5]\n")
    with duckdb.connect() as connection:
        connection.execute('CREATE SCHEMA "my data"')
        connection.register("given", table)
        connection.execute('CREATE TABLE "my data"."t""x" AS FROM given')
        query = sql(tmp_path / "release", table='my data.t"x')
        assert connection.sql(query.text).fetchall() == [("<5", "x", 1.0), (">=5", "y", 2.0)]


def test_a_release_that_tells_no_types_is_refused(drawn: Path) -> None:
    from schleier.flow.query import query
    from schleier.flow.replay import Past

    past = Past.of(drawn)
    with pytest.raises(RecipeError, match="what these columns held: 'person'"):
        query(past.recipe.schema, past.recipe.steps, {}, partial=True)


def test_without_sqlglot_other_dialects_say_what_to_install(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sqlglot", None)
    assert sql(drawn, partial=True).text
    with pytest.raises(EngineError, match=r"pip install .*schleier\[sql\]"):
        sql(drawn, "spark", partial=True)


# The command.


def test_the_command_prints_or_writes_the_query(drawn: Path, tmp_path: Path) -> None:
    refused = schleier("replay", drawn, "--sql", "duckdb")
    assert refused.exit_code == 2 and "steps[14]" in refused.stderr and "--partial" in refused.stderr
    printed = schleier("replay", drawn, "--sql", "duckdb", "--partial")
    assert printed.exit_code == 0 and printed.stdout == sql(drawn, partial=True).text
    assert "renumber:household" in printed.stderr
    out = tmp_path / "query.sql"
    wrote = schleier("replay", drawn, "--sql", "duckdb", "--partial", "-o", out, "--table", "people")
    assert wrote.exit_code == 0 and out.read_text() == sql(drawn, partial=True, table="people").text
    assert stat.S_IMODE(out.stat().st_mode) == 0o600 and list(tmp_path.iterdir()) == [out]
    told = json.loads(schleier("replay", drawn, "--sql", "duckdb", "--partial", "--json").stdout)
    assert told["sql"] == printed.stdout and len(told["left_out"]) == 2
    assert schleier("replay", drawn, "--sql", "duckdb", "--partial", "-o", tmp_path / "no" / "x.sql").exit_code == 6
    key = bytes(32).hex()
    assert key not in printed.stdout + printed.stderr


def test_the_command_speaks_german(drawn: Path, tmp_path: Path) -> None:
    wrote = schleier("replay", drawn, "--sql", "duckdb", "--partial", "-o", tmp_path / "query.sql", "--lang", "de")
    assert "bleibt es bei Ihnen" in wrote.stdout and "weil es sich in SQL nicht ausdrücken lässt: " in wrote.stdout
    again = put(people(), tmp_path / "people.parquet")
    told = schleier("replay", drawn, again, "-o", tmp_path / "again", "--lang", "de")
    assert told.exit_code == 0 and "Freigegeben:" in told.stdout and "Prüfsumme" in told.stdout
