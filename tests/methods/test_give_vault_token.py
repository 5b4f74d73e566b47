"""Tokens from a vault: consistent over columns, tables, releases and engines, and the person in no trace of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.key_files import new_file
from schleier.core.keys import Key, KeySource
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.vault.erasing import erase
from schleier.core.vault.opening import secret_of
from schleier.core.vault.vault import Vault
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import replay
from schleier.methods.give_vault_token import GiveVaultToken

KEY = Key(bytes(range(40, 72)))
PLANTED = "Wilhelmine Planted-Identity"
SCHEMA = Schema(
    columns=[
        Column(name="patient", role="identifier", scale="nominal"),
        Column(name="mother", role="identifier", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete"),
    ]
)
ROWS = pa.table(
    {
        "patient": ["0071", " 0072", None, "0071", PLANTED, "", "0o'7\x00"],
        "mother": ["0072", "0099", "0071", None, "x", "y", "z"],
        "age": [3, 4, 5, 6, 7, 8, 9],
    }
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    place = tmp_path / "persons.vault"
    Vault.new(place, secret_of(KEY)).close()
    return place


def tokens(vault: Path, rows: Any = ROWS, column: str = "patient", engine: Any = None, **more: Any) -> list[Any]:
    step = GiveVaultToken(column=column, key="house", vault=str(vault), domain="persons", **more)
    data = Dataset.from_frame(rows, SCHEMA, engine)
    assert not list(step.problems(SCHEMA))
    found: list[Any] = step.apply(data, Run(keys={"house": KEY})).to_arrow()[column].to_pylist()
    return found


def test_one_person_has_one_token_in_columns_tables_and_releases(vault: Path) -> None:
    patients = tokens(vault)
    mothers = tokens(vault, column="mother")
    assert patients[0] == patients[3] == mothers[2]
    assert patients[1] == mothers[0], "blanks around a number count for nothing"
    assert patients[2] is None and mothers[3] is None
    assert len({*patients} - {None}) == 5
    assert tokens(vault, ROWS.slice(3, 1)) == patients[3:4]
    assert all(len(token) == 26 and token.isalnum() for token in patients if token)


@pytest.mark.spark
def test_spark_gives_the_same_tokens_and_plans_without_names(vault: Path, spark: Any) -> None:
    here = tokens(vault)
    engine = registry.get("engine", "spark")()
    try:
        assert tokens(vault, engine=engine) == here
        step = GiveVaultToken(column="patient", key="house", vault=str(vault), domain="persons")
        data = step.apply(Dataset.from_frame(ROWS, SCHEMA, engine), Run(keys={"house": KEY}))
        plan = data.frame.to_native()._jdf.queryExecution().toString()
        assert PLANTED not in plan and here[4] not in plan
    finally:
        engine.close()


def test_the_holder_tells_who_is_behind_a_token(vault: Path) -> None:
    given = tokens(vault)
    step = GiveVaultToken(column="patient", key="house", vault=str(vault), domain="persons")
    assert step.reveal(pa.array([given[4], "no token", None]), KEY).to_pylist() == [PLANTED, None, None]
    with Vault.open(vault, secret_of(KEY)) as held:
        assert erase(held, "r", domain="persons", value="  0072 ")["rows"] == 1, "as the step made it alike"
    again = tokens(vault)
    assert again[0] == given[0] and again[1] != given[1]


def test_other_ways_to_make_values_alike_need_another_domain(vault: Path) -> None:
    tokens(vault)
    with pytest.raises(SchleierError) as error:
        tokens(vault, normal=("case",))
    assert error.value.problems[0].code == "other-form"


def test_what_is_wrong_with_the_vault_is_said_before_a_row_is_read(tmp_path: Path, vault: Path) -> None:
    def found(place: str) -> list[tuple[str, str]]:
        step = GiveVaultToken(column="age", key="house", vault=place, domain="persons")
        return [(problem.code, problem.where) for problem in step.problems(SCHEMA)]

    assert found(str(tmp_path / "none.vault")) == [("not-a-name", "column"), ("no-vault", "vault")]
    assert found("env:SURELY_NO_VARIABLE")[1:] == [("no-vault", "vault")]
    (tmp_path / "release.json").write_text("{}", newline="")
    assert found(str(vault))[1:] == [("vault-in-release", "vault")]


def test_another_key_gives_nothing(vault: Path) -> None:
    step = GiveVaultToken(column="patient", key="house", vault=str(vault), domain="persons")
    with pytest.raises(DataError) as error:
        step.apply(Dataset.from_frame(ROWS, SCHEMA), Run(keys={"house": Key(bytes(range(32)))}))
    assert error.value.problems[0].code == "wrong-secret"


RECIPE = """
[data]
file = "people.csv"
[keys.house]
file = "house.key"
[schema]
columns = [
    { name = "patient", role = "identifier", scale = "nominal" },
    { name = "age", role = "quasi", scale = "discrete" },
]
[[steps]]
method = "give_vault_token"
column = "patient"
key = "house"
vault = "persons.vault"
domain = "persons"
[[criteria]]
criterion = "k_anonymity"
k = 2
count = "records"
"""


def test_a_release_names_neither_vault_nor_persons(tmp_path: Path) -> None:
    new_file(tmp_path / "house.key")
    (key,) = KeySource(file=str(tmp_path / "house.key")).every()
    Vault.new(tmp_path / "persons.vault", secret_of(key)).close()
    lines = [f"{PLANTED} {n},{30 + n % 3}" for n in range(60)]
    (tmp_path / "people.csv").write_text("patient,age\n" + "\n".join(lines) + "\n", encoding="utf-8", newline="")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8", newline="")
    release = tmp_path / "out"
    Recipe.from_file(tmp_path / "recipe.toml").run(out=release)
    texts = {file: file.read_bytes() for file in release.rglob("*") if file.is_file()}
    assert not [file for file, text in texts.items() if PLANTED.encode() in text]
    assert not [file for file, text in texts.items() if b"persons.vault" in text and "public" in file.parts]
    report = json.loads(texts[release / "public" / "report.json"])
    assert report["steps"][0]["method"] == "give_vault_token" and report["state"] == "pseudonymous"
    told = {one["code"]: one["columns"] for one in report["cautions"]}
    assert told["pseudonymous"] == told["left_equality"] == ["patient"]
    page = texts[release / "public" / "report.html"].decode()
    assert "and the vault, where one was used" in page and "from the values with" not in page, (
        "they follow from nothing"
    )
    replay(release, tmp_path / "people.csv", out=tmp_path / "again")
    first, again = (
        sorted((tmp_path / name / "public" / "data.csv").read_text().splitlines()) for name in ("out", "again")
    )
    assert first == again
