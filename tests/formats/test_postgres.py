"""A real PostgreSQL server: every type, one snapshot, every failure told without a word of the connection string."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import schleier as sl
from engine.postgres_server import PASSWORD, Server
from flow.making import COMMAND
from schleier.cli import app
from schleier.core.errors import DataError, EngineError
from schleier.core.schema import Column, Schema
from schleier.formats.postgres import Postgres

SHOP = Path("env:SHOP")
SECRET = "SECRETVALUE"


@pytest.fixture
def shop(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server with an empty schema, its connection string in SHOP."""
    monkeypatch.setenv("SHOP", postgres.string())
    postgres.do("DROP SCHEMA IF EXISTS s CASCADE", "CREATE SCHEMA s")
    yield postgres


def schema(*names: str, row_key: str | None = None) -> Schema:
    return Schema(columns=[Column(name=name, scale="nominal") for name in names], row_key=row_key)


def rows(form: Postgres, described: Schema | None, part: str = "s.t") -> list[dict[str, Any]]:
    return [row for batch in form.batches(SHOP, described, part=part) for row in batch.to_pylist()]


def refused(call: Any, kind: type[Exception] = DataError) -> list[str]:
    """The codes of a failure whose whole trace tells neither the connection string nor a value."""
    with pytest.raises(kind) as caught:
        call()
    said = "".join(traceback.format_exception(caught.value)) + str(caught.value)
    for word in (PASSWORD, "127.0.0.1", SECRET, "nohost"):
        # The trace shows lines of this file; no line of it holds the words themselves.
        assert word not in said, word
    return [problem.code for problem in caught.value.problems]  # type: ignore[attr-defined]


TYPES: list[tuple[str, str, str, Any]] = [
    ("smallint", "7", "integer", 7),
    ("integer", "-7", "integer", -7),
    ("bigint", "9223372036854775807", "integer", 2**63 - 1),
    ("real", "0.5", "number", 0.5),
    ("double precision", "0.1", "number", 0.1),
    ("numeric(10,2)", "12.34", "decimal", 12.34),
    ("numeric", "0.1", "decimal", 0.1),
    ("money", "3.5", "decimal", 3.5),
    ("text", "'Köln''s'", "text", "Köln's"),
    ("varchar(9)", "''", "text", ""),
    ("char(5)", "'ab'", "text", "ab"),
    ("boolean", "true", "boolean", True),
    ("date", "'2020-02-29'", "date", dt.date(2020, 2, 29)),
    ("timestamp", "'2020-02-29 12:30:00.25'", "time", dt.datetime(2020, 2, 29, 12, 30, 0, 250_000)),
    ("timestamptz", "'2020-02-29 12:30+02'", "time", dt.datetime(2020, 2, 29, 10, 30, tzinfo=dt.UTC)),
    ("uuid", "'00000000-0000-0000-0000-000000000001'", "text", "00000000-0000-0000-0000-000000000001"),
    ("s.mood", "'sad'", "text", "sad"),
    ("inet", "'10.0.0.1'", "text", "10.0.0.1"),
    ("jsonb", """'{"a": 1}'""", "text", '{"a": 1}'),
    ("json", "'{}'", "text", "{}"),
    ("time", "'12:30'", "text", "12:30:00"),
    ("s.whole", "5", "integer", 5),
    ("s.twice", "5", "integer", 5),
    ("oid", "3000000000", "integer", 3_000_000_000),
    ("bit(3)", "B'101'", "text", "101"),
]
ODD = ["int[]", "bytea", "s.pair", "int4range", "point"]


def test_every_type_arrives(shop: Server) -> None:
    shop.do(
        "CREATE TYPE s.mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN s.whole AS int CHECK (value > 0)",
        "CREATE DOMAIN s.twice AS s.whole",
        "CREATE TYPE s.pair AS (a int, b int)",
        f"CREATE TABLE s.t (id int PRIMARY KEY, {', '.join(f'c{i} {one[0]}' for i, one in enumerate(TYPES))},"
        f" {', '.join(f'o{i} {odd}' for i, odd in enumerate(ODD))})",
        f"INSERT INTO s.t VALUES (1, {', '.join(one[1] for one in TYPES)})",
        "INSERT INTO s.t VALUES (2)",
    )
    form, names = Postgres(), [f"c{i}" for i in range(len(TYPES))]
    kinds = form.header(SHOP, part="s.t")
    assert [kinds[name] for name in names] == [one[2] for one in TYPES]
    assert [kinds[f"o{i}"] for i in range(len(ODD))] == ["other"] * len(ODD)
    full, empty = rows(form, schema(*names))
    assert [full[name] for name in names] == [one[3] for one in TYPES]
    assert set(empty.values()) == {None}
    with pytest.raises(DataError, match="no single value: 'o0', 'o4'"):
        rows(form, schema("c0", "o0", "o4"))
    described = sl.Schema(columns=[sl.Column(name="o0", scale="nominal")], others="drop")
    with pytest.raises(DataError, match=r"column 'o0' .* other values"):
        sl.read("env:SHOP::s.t", described)


def test_names_are_taken_as_they_are(shop: Server) -> None:
    shop.do(
        'CREATE SCHEMA IF NOT EXISTS "Odd s"',
        'DROP TABLE IF EXISTS "Odd s"."T ""q"""',
        'CREATE TABLE "Odd s"."T ""q""" ("Ä b" int PRIMARY KEY, "select" text)',
        'INSERT INTO "Odd s"."T ""q""" VALUES (1, $$x$$)',
    )
    assert rows(Postgres(), schema("Ä b", "select"), 'Odd s.T "q"') == [{"Ä b": 1, "select": "x"}]
    shop.do("CREATE TABLE IF NOT EXISTS alone (x int PRIMARY KEY)")
    assert Postgres().header(SHOP, part="alone") == {"x": "integer"}  # found on the search path
    assert refused(lambda: Postgres().header(SHOP, part="Alone")) == ["unknown-table"]
    shop.do('DROP SCHEMA "Odd s" CASCADE', "DROP TABLE alone")


def test_rows_are_numbered_by_the_primary_key(shop: Server) -> None:
    shop.do(
        "CREATE TABLE s.t (b text, a int, x int, PRIMARY KEY (a, b))",
        "INSERT INTO s.t VALUES ('b', 2, 5), ('a', 1, 2), ('B', 1, 1), ('ä', 1, 3), ('a', 2, 4)",
    )
    found = [row["x"] for row in rows(Postgres(), schema("x"))]
    assert found == [1, 2, 3, 4, 5]  # byte by byte: a capital letter first, whatever the language of the server
    shop.do("UPDATE s.t SET x = x WHERE x < 3")  # moves rows within the table
    assert [row["x"] for row in rows(Postgres(), schema("x"))] == found


def test_a_table_without_a_key_needs_a_declared_one(shop: Server) -> None:
    shop.do("CREATE TABLE s.t (id int, x int)", "INSERT INTO s.t VALUES (2, 20), (1, 10)")
    assert refused(lambda: rows(Postgres(), schema("x"))) == ["no-order"]
    keyed = rows(Postgres(), schema("x", row_key="id"))
    assert sorted(row["id"] for row in keyed) == [1, 2]
    shop.do("CREATE VIEW s.v AS SELECT * FROM s.t")
    assert refused(lambda: rows(Postgres(), schema("x"), "s.v")) == ["no-order"]
    assert len(rows(Postgres(), schema("x", row_key="id"), "s.v")) == 2


def test_only_described_columns_are_asked_for(shop: Server) -> None:
    shop.do("CREATE TABLE s.t (id int PRIMARY KEY, x int, name text)", f"INSERT INTO s.t VALUES (1, 2, '{SECRET}')")
    assert rows(Postgres(), schema("x")) == [{"x": 2}]


# One moment, whatever others do.


def test_what_others_change_meanwhile_is_not_seen(shop: Server) -> None:
    shop.do(
        "CREATE TABLE s.t (id int PRIMARY KEY, x text)",
        "INSERT INTO s.t SELECT n, repeat('x', 200) FROM generate_series(1, 300000) AS n",
    )
    parts = Postgres().batches(SHOP, schema("id", "x"), part="s.t")
    first = next(parts)
    assert first.num_rows < 300_000, "the rows must come in several batches for this test to mean anything"
    shop.do("DELETE FROM s.t WHERE id % 2 = 0", "INSERT INTO s.t VALUES (-1, 'new')", "UPDATE s.t SET x = 'changed'")
    seen = pa.Table.from_batches([first, *parts])
    assert seen["id"].to_pylist() == list(range(1, 300_001))
    assert set(seen["x"].to_pylist()) == {"x" * 200}


def test_nothing_can_be_written_while_reading(shop: Server) -> None:
    shop.do(
        "CREATE TABLE s.t (id int PRIMARY KEY)",
        "INSERT INTO s.t VALUES (1)",
        "CREATE FUNCTION s.steal() RETURNS int LANGUAGE sql AS 'INSERT INTO s.t VALUES (99) RETURNING id'",
        "CREATE VIEW s.v AS SELECT s.steal() AS id",
    )
    described = Schema(columns=[Column(name="other", scale="nominal")], row_key="id")
    assert refused(lambda: rows(Postgres(), described, "s.v")) == ["database-failed"]
    assert shop.ask("SELECT count(*) FROM s.t") == [(1,)]


def test_a_table_altered_since_the_check(shop: Server) -> None:
    made = "CREATE TABLE s.t (id int PRIMARY KEY, x int, y int)"
    for change in ("ALTER COLUMN x TYPE text", "DROP COLUMN x", "RENAME COLUMN x TO z", "ADD COLUMN w int"):
        shop.do("DROP TABLE IF EXISTS s.t", made, "INSERT INTO s.t VALUES (1, 2, 3)")
        form = Postgres()
        form.header(SHOP, part="s.t")
        shop.do(f"ALTER TABLE s.t {change}")
        assert refused(lambda form=form: rows(form, schema("x"))) == ["table-changed"]
    form = Postgres()
    form.header(SHOP, part="s.t")
    shop.do("DROP TABLE s.t")
    assert refused(lambda: rows(form, schema("x"))) == ["unknown-table"]


def test_rows_that_do_not_add_up_are_refused(shop: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.do("CREATE TABLE s.t (id int PRIMARY KEY)", "INSERT INTO s.t VALUES (1), (2)")
    monkeypatch.setattr("schleier.formats.postgres._counted", lambda *_: 3)
    with pytest.raises(DataError, match="2 rows arrived, but the table held 3"):
        rows(Postgres(), schema("id"))


def test_a_connection_lost_while_reading(shop: Server) -> None:
    shop.do(
        "CREATE TABLE s.t (id int PRIMARY KEY, x text)",
        f"INSERT INTO s.t SELECT n, repeat('{SECRET}', 50) FROM generate_series(1, 300000) AS n",
    )
    parts = Postgres().batches(SHOP, schema("id", "x"), part="s.t")
    next(parts)
    reading = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE 'COPY%'"
    assert shop.ask(f"SELECT pg_terminate_backend(pid) {reading}") == [(True,)]
    assert refused(lambda: list(parts)) == ["connection-lost"]


def test_dates_without_end_are_counted(shop: Server) -> None:
    shop.do(
        "CREATE TABLE s.t (id int PRIMARY KEY, d date, z timestamptz, u date)",
        "INSERT INTO s.t VALUES (1, 'infinity', now(), 'infinity'), (2, '-infinity', '-infinity', NULL)",
    )
    with pytest.raises(DataError) as caught:
        rows(Postgres(), schema("d", "z"))
    assert [p.message for p in caught.value.problems] == [
        "2 rows of column 'd' hold an infinite date",
        "1 rows of column 'z' hold an infinite date",
    ]


def test_a_number_no_float_can_hold(shop: Server) -> None:
    shop.do("CREATE TABLE s.t (id int PRIMARY KEY, n numeric)", "INSERT INTO s.t VALUES (1, 1e400)")
    assert refused(lambda: rows(Postgres(), schema("n"))) == ["too-large"]


# What is wrong with the connection.


def test_a_variable_that_is_not_set(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP", raising=False)
    assert refused(lambda: Postgres().header(SHOP, part="t")) == ["no-variable"]
    monkeypatch.setenv("SHOP", "  ")
    with pytest.raises(DataError, match="SHOP is not set"):
        Postgres().header(SHOP, part="t")


def test_a_connection_string_in_place_of_its_name_is_not_repeated(postgres: Server) -> None:
    path = Path("env:" + postgres.string())
    assert refused(lambda: Postgres().header(path, part="t")) == ["no-variable"]


WRONG = {
    "password": ("postgresql://postgres:wrong@127.0.0.1:{port}/postgres", "refuses the user name or the password"),
    "user": ("postgresql://nobody:wrong@127.0.0.1:{port}/postgres", "refuses the user name or the password"),
    "database": ("{right}none", "has no such database"),
    "host": ("postgresql://postgres:{password}@nohost.invalid/postgres", "there is no such server"),
    "port": ("postgresql://postgres:{password}@127.0.0.1:1/postgres", "no server answers there"),
    "socket": ("host={folder}/none user=postgres password={password}", "no server answers there"),
    "nonsense": ("{password}", "does not hold a connection string"),
    "option": ("{right}?{password}=1", "does not hold a connection string"),
    "no password": ("postgresql://postgres@127.0.0.1:{port}/postgres", "wants a password"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_connection_string(what: str, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    text, reason = WRONG[what]
    given = {"port": postgres.port, "password": PASSWORD, "right": postgres.string(), "folder": postgres.folder}
    monkeypatch.setenv("SHOP", text.format(**given))
    start = time.monotonic()
    assert refused(lambda: Postgres().header(SHOP, part="t"))[0] in ("no-connection", "no-permission")
    assert time.monotonic() - start < 30
    with pytest.raises(DataError, match=reason):
        Postgres().header(SHOP, part="t")


def test_a_server_that_never_answers(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr("schleier.formats._postgres_link.PATIENCE", 2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        monkeypatch.setenv("SHOP", f"postgresql://postgres:{PASSWORD}@127.0.0.1:{silent.getsockname()[1]}/postgres")
        assert refused(lambda: Postgres().header(SHOP, part="t")) == ["no-connection"]
        with pytest.raises(DataError, match="does not answer"):
            Postgres().header(SHOP, part="t")


def test_other_forms_of_connection_strings_work(shop: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.do("CREATE TABLE s.t (id int PRIMARY KEY)")
    for text in (
        f"host=127.0.0.1 port={shop.port} user=postgres password={PASSWORD} dbname=postgres",
        f"postgres://postgres:{PASSWORD}@127.0.0.1:{shop.port}/postgres?connect_timeout=9",
        f"postgresql://postgres:{PASSWORD}@127.0.0.1:{shop.port}/postgres?application_name=x",
        f"host={shop.folder} port={shop.port} user=postgres password={PASSWORD}",
    ):
        monkeypatch.setenv("SHOP", text)
        assert Postgres().header(SHOP, part="s.t") == {"id": "integer"}


def test_what_a_user_may_not_read(shop: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.do(
        "CREATE TABLE s.t (id int PRIMARY KEY, x int, y int)",
        "INSERT INTO s.t VALUES (1, 2, 3)",
        "DROP ROLE IF EXISTS guest",
        f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
    )
    monkeypatch.setenv("SHOP", shop.string(user="guest"))
    assert refused(lambda: Postgres().header(SHOP, part="s.t")) == ["no-permission"]
    shop.do("GRANT USAGE ON SCHEMA s TO guest")
    assert refused(lambda: Postgres().header(SHOP, part="s.t")) == ["no-permission"]
    shop.do("GRANT SELECT (id, x) ON s.t TO guest")
    assert rows(Postgres(), schema("x")) == [{"x": 2}]
    with pytest.raises(DataError, match="may not read these columns: 'y'"):
        rows(Postgres(), schema("x", "y"))
    shop.do("DROP OWNED BY guest", "DROP ROLE guest")


def test_tables_that_are_not_there(shop: Server) -> None:
    for part in ("s.none", "none", "none.t", "s.t; DROP SCHEMA s", "'; --"):
        assert refused(lambda part=part: Postgres().header(SHOP, part=part)) == ["unknown-table"]
    assert refused(lambda: Postgres().header(SHOP)) == ["unknown-table"]


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP", "postgresql://x")
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(EngineError, match=r"schleier\[database\]"):
        Postgres().header(SHOP, part="t")


# From end to end.

RECIPE = """
[data]
file = "env:SHOP::s.people"
[schema]
others = "drop"
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
]
[[steps]]
method = "recode"
column = "age"
breaks = [40]
[[criteria]]
criterion = "k_anonymity"
k = 3
"""


def people(shop: Server) -> None:
    shop.do(
        "CREATE TABLE s.people (id int PRIMARY KEY, age int, income numeric(10,2), name text)",
        f"INSERT INTO s.people SELECT n, 20 + n % 50, n * 10.05, '{SECRET}' FROM generate_series(1, 300) AS n",
    )


def test_a_release_of_a_table_tells_nothing_of_the_connection(shop: Server, tmp_path: Path) -> None:
    people(shop)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    said = ""
    for words in (["check", recipe], ["run", recipe, "-o", tmp_path / "out"], ["run", recipe, "-o", tmp_path / "out"]):
        result = CliRunner().invoke(app, [str(word) for word in words])
        said += result.stdout + result.stderr
    assert "Released 300 of 300" in said
    again = sl.replay(tmp_path / "out", "env:SHOP::s.people", out=tmp_path / "again")
    assert again.audit.digest == json.loads((tmp_path / "out" / "public" / "report.json").read_text())["digest"]
    assert again.audit.source == "env:SHOP::s.people"
    for file in tmp_path.rglob("*"):
        if file.is_file():
            said += file.read_text(encoding="latin-1")
    assert "SHOP" in said and SECRET not in said
    assert PASSWORD not in said and "127.0.0.1" not in said


def test_the_command_line_tells_a_wrong_password_in_plain_words(
    shop: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    monkeypatch.setenv("SHOP", shop.string(password=PASSWORD + "x"))
    result = CliRunner().invoke(app, ["run", str(recipe), "-o", str(tmp_path / "out"), "--json"])
    told = json.loads(result.stdout)
    assert (result.exit_code, told["problems"][0]["code"]) == (4, "no-permission")
    assert PASSWORD not in result.stdout + result.stderr and not (tmp_path / "out").exists()


def test_a_real_process_leaves_no_remark(shop: Server, tmp_path: Path) -> None:
    """The driver complains on the error stream when something of it is left open."""
    people(shop)
    recipe, out = tmp_path / "recipe.toml", str(tmp_path / "out")
    recipe.write_text(RECIPE)
    for table, code, lines in (("s.people", 0, 0), ("s.none", 4, 2)):
        recipe.write_text(RECIPE.replace("s.people", table))
        ended = subprocess.run([*COMMAND, "run", str(recipe), "--out", out], capture_output=True, text=True)
        assert (ended.returncode, len(ended.stderr.splitlines())) == (code, lines), ended.stderr
    breaking = (
        "from pathlib import Path; from schleier.formats.postgres import Postgres\n"
        "from schleier.core.errors import DataError\n"
        "from schleier.core.schema import Column, Schema\n"
        "described = Schema(columns=[Column(name='n', scale='nominal')])\n"
        "parts = Postgres().batches(Path('env:SHOP'), described, 's.big')\n"
        "try: list(parts)\n"
        "except DataError as error: assert error.problems[0].code == 'too-large'\n"
        "else: raise SystemExit('no error')\n"
    )
    shop.do("CREATE TABLE s.big (id int PRIMARY KEY, n numeric)", "INSERT INTO s.big VALUES (1, 1), (2, 1e400)")
    ended = subprocess.run([sys.executable, "-c", breaking], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
