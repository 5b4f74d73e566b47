"""A release that also goes into a table: both or neither, the same rows in the same order."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.postgres_server import PASSWORD, Server
from flow.fitted import COLUMNS, DRAWN, SAYABLE, people, put, recipe_for
from schleier.core.errors import InfeasibleError, RecipeError, SchleierError, WriteError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.release import is_release
from schleier.flow.replay import replay

TITLED = COLUMNS.replace('name = "income",', 'name = "income", title = "Income\'s \\\\ \\"title\\"",')


@pytest.fixture
def shop(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("SHOP", postgres.string())
    postgres.do("DROP SCHEMA IF EXISTS r CASCADE", "CREATE SCHEMA r")
    return postgres


def recipe(folder: Path, table: str, *, form: str = "parquet", columns: str = TITLED) -> Recipe:
    more = f'[release]\nformat = "{form}"\ntable = "{table}"\n'
    return Recipe.from_file(recipe_for(put(people(), folder / "people.parquet"), SAYABLE + DRAWN, more, columns))


def in_postgres(shop: Server, table: str = "r.people") -> pa.Table:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(shop.string()) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY ctid")
        return cursor.fetch_arrow_table()


def tables(shop: Server) -> list[str]:
    return [name for (name,) in shop.ask("SELECT relname::text FROM pg_class WHERE relnamespace = 'r'::regnamespace")]


def refused(kind: type[SchleierError], call: Callable[[], Any]) -> str:
    with pytest.raises(kind) as caught:
        call()
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))
    return caught.value.problems[0].code


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_the_table_holds_the_rows_of_the_file(form: str, shop: Server, tmp_path: Path) -> None:
    release = recipe(tmp_path, "env:SHOP::r.people", form=form).run(out=tmp_path / "out", key=bytes(32))
    plain = recipe(tmp_path, "env:SHOP::r.other").run(out=tmp_path / "plain", key=bytes(32))
    assert plain.audit.digest == release.audit.digest
    wanted, found = pq.read_table(tmp_path / "plain" / "public" / "data.parquet"), in_postgres(shop)
    assert found.column_names == wanted.column_names
    assert found.to_pylist() == wanted.to_pylist()
    columns = "FROM pg_attribute WHERE attrelid = 'r.people'::regclass AND attnum > 0"
    types = dict(shop.ask(f"SELECT attname::text, atttypid::regtype::text {columns}"))
    assert types["income"] == types["factor"] == "double precision"
    assert types["household"] == "bigint" and types["age"] == "text"
    titles = f"SELECT attname::text, col_description(attrelid, attnum) {columns}"
    assert {name: title for name, title in shop.ask(titles) if title} == {"income": 'Income\'s \\ "title"'}
    said = "".join(file.read_text(encoding="latin-1") for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert PASSWORD not in said and "SHOP" in said


def test_an_existing_table_is_refused_before_anything_is_read(shop: Server, tmp_path: Path) -> None:
    shop.do("CREATE TABLE r.people (x int)")
    made = recipe(tmp_path, "env:SHOP::r.people")
    heard: list[str] = []
    assert (
        refused(WriteError, lambda: made.run(out=tmp_path / "out", listener=lambda what, *_: heard.append(what)))
        == "exists"
    )
    assert heard == []
    assert refused(WriteError, lambda: made.run(out=tmp_path / "out", force=True)) == "exists"
    assert not (tmp_path / "out").exists() and shop.ask("SELECT count(*) FROM r.people") == [(0,)]
    shop.do("DROP TABLE r.people", "CREATE VIEW r.people AS SELECT 1 AS x")
    assert refused(WriteError, lambda: made.run(out=tmp_path / "out")) == "exists"


def test_a_failed_run_leaves_no_table(shop: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = recipe(tmp_path, "env:SHOP::r.people")
    seen: list[list[str]] = []

    def full(partial: Path, out: Path) -> None:
        seen.append(tables(shop))  # filled already, but nobody sees it
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("schleier.flow.release.release._put_in_place", full)
        assert refused(WriteError, lambda: made.run(out=tmp_path / "out")) == "disk-full"
    assert seen == [[]] and tables(shop) == [] and not (tmp_path / "out").exists()
    strict = Recipe.from_toml((tmp_path / "recipe.toml").read_text().replace("k = 2", "k = 9999"), tmp_path)
    assert refused(InfeasibleError, lambda: strict.run(out=tmp_path / "out")) == "criterion-broken"
    assert tables(shop) == [] and not (tmp_path / "out").exists()
    assert made.run(out=tmp_path / "out").path and tables(shop) == ["people"]


def test_a_table_that_is_not_confirmed_is_told(shop: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = recipe(tmp_path, "env:SHOP::r.people")
    put_in_place = __import__("schleier.flow.release.release", fromlist=["x"])._put_in_place

    def cut(partial: Path, out: Path) -> None:
        put_in_place(partial, out)
        assert shop.ask(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE state LIKE 'idle in%'"
        ) == [(1,)]

    monkeypatch.setattr("schleier.flow.release.release._put_in_place", cut)
    with pytest.raises(WriteError, match=r"the folder of the release stands, but .*connection to the server was lost"):
        made.run(out=tmp_path / "out")
    assert is_release(tmp_path / "out") and tables(shop) == []


def test_what_keeps_a_table_from_being_made(shop: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    assert refused(WriteError, lambda: recipe(tmp_path, "env:SHOP::none.people").run(out=out)) == "unknown-schema"
    assert refused(WriteError, lambda: recipe(tmp_path, f"env:SHOP::r.{'x' * 64}").run(out=out)) == "long-name"
    assert refused(WriteError, lambda: recipe(tmp_path, "env:NONE::r.people").run(out=out)) == "no-variable"
    assert refused(RecipeError, lambda: recipe(tmp_path, "other.parquet::x").run(out=out)) == "no-tables"
    assert refused(RecipeError, lambda: recipe(tmp_path, "env:SHOP::r.people").run()) == "no-folder"
    with pytest.raises(RecipeError, match="say which table"):
        recipe(tmp_path, "env:SHOP")
    shop.do("DROP ROLE IF EXISTS poor", f"CREATE ROLE poor LOGIN PASSWORD '{PASSWORD}'")
    monkeypatch.setenv("POOR", shop.string(user="poor"))
    assert refused(WriteError, lambda: recipe(tmp_path, "env:POOR::r.people").run(out=out)) == "no-permission"
    monkeypatch.setenv("POOR", shop.string(password="wrong"))
    assert refused(WriteError, lambda: recipe(tmp_path, "env:POOR::r.people").run(out=out)) == "no-permission"
    shop.do("DROP ROLE poor")
    assert not list(tmp_path.glob("out*")) and tables(shop) == []


def test_small_and_large_whole_numbers_fit(shop: Server, tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": pa.array([1, None], pa.int8()),
            "b": pa.array([2**32 - 1, None], pa.uint32()),
            "c": pa.array([True, None]),
            "d": pa.array(["x", None]).dictionary_encode(),
        }
    )
    columns = ", ".join(f'{{ name = "{name}", scale = "nominal" }}' for name in table.column_names)
    put(table, tmp_path / "t.parquet")
    made = f'[data]\nfile = "t.parquet"\n[schema]\ncolumns = [{columns}]\n[release]\ntable = "env:SHOP::r.people"\n'
    Recipe.from_toml(made, tmp_path).run(out=tmp_path / "out", key=bytes(32))
    assert in_postgres(shop).to_pylist() == pq.read_table(tmp_path / "out" / "public" / "data.parquet").to_pylist()


def test_a_replay_leaves_the_table_alone(shop: Server, tmp_path: Path) -> None:
    first = recipe(tmp_path, "env:SHOP::r.people").run(out=tmp_path / "out", key=bytes(32))
    again = replay(tmp_path / "out", tmp_path / "people.parquet", out=tmp_path / "again")
    assert again.audit.digest == first.audit.digest and tables(shop) == ["people"]
    assert "release.table" in json.dumps(again.audit.notes)


# The same with a file of DuckDB.


def in_duckdb(path: Path, table: str) -> pa.Table:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.sql(f"FROM {table}").to_arrow_table()


def test_a_duckdb_file_can_take_the_table(tmp_path: Path) -> None:
    recipe(tmp_path, "new.duckdb::people").run(out=tmp_path / "out", key=bytes(32))
    wanted = pq.read_table(tmp_path / "out" / "public" / "data.parquet")
    assert in_duckdb(tmp_path / "new.duckdb", "people").to_pylist() == wanted.to_pylist()
    with duckdb.connect(str(tmp_path / "new.duckdb"), read_only=True) as connection:
        titles = connection.execute("SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL").fetchall()
    assert titles == [('Income\'s \\ "title"',)]
    assert refused(WriteError, lambda: recipe(tmp_path, "new.duckdb::people").run(out=tmp_path / "b")) == "exists"
    recipe(tmp_path, "new.duckdb::s.people").run(out=tmp_path / "c", key=bytes(32))
    assert in_duckdb(tmp_path / "new.duckdb", "s.people").to_pylist() == wanted.to_pylist()


def test_a_failed_run_leaves_no_duckdb_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(partial: Path, out: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("schleier.flow.release.release._put_in_place", full)
    assert refused(WriteError, lambda: recipe(tmp_path, "new.duckdb::people").run(out=tmp_path / "out")) == "disk-full"
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    assert refused(WriteError, lambda: recipe(tmp_path, "old.duckdb::people").run(out=tmp_path / "out")) == "disk-full"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.duckdb", "people.parquet", "recipe.toml"]
    assert in_duckdb(tmp_path / "old.duckdb", "t").to_pylist() == [{"x": 1}]
    assert in_duckdb(tmp_path / "old.duckdb", "duckdb_tables()").num_rows == 1


def test_the_file_of_the_original_is_not_written_to(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.register("given", people())
        connection.execute("CREATE TABLE people AS FROM given")
    text = (
        recipe(tmp_path, "shop.duckdb::released")
        .to_toml()
        .replace(str(tmp_path / "people.parquet"), str(tmp_path / "shop.duckdb::people"))
    )
    assert refused(RecipeError, lambda: Recipe.from_toml(text).run(out=tmp_path / "out")) == "same-file"


def test_a_duckdb_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "bad.duckdb").write_bytes(b"no database" * 1000)
    assert (
        refused(WriteError, lambda: recipe(tmp_path, "bad.duckdb::people").run(out=tmp_path / "out")) == "broken-file"
    )
    assert (tmp_path / "bad.duckdb").read_bytes() == b"no database" * 1000
