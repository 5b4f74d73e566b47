"""Columns that nobody judged may be keys: an inspection counts both with them and without them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.schema import Column, Schema
from schleier.flow.inspect import possible
from schleier.flow.inspect.inspect import inspect
from schleier.report.inspection.text import text


def schema(**roles: str) -> Schema:
    return Schema(columns=[Column.model_validate({"name": n, "role": r, "scale": "nominal"}) for n, r in roles.items()])


TABLE = pa.table({"sex": ["f"] * 60 + ["m"] * 40, "firm": ["A"] * 60 + ["B"] * 38 + ["C", "D"]})


def test_k_with_and_k_without() -> None:
    found = inspect(TABLE, schema(sex="quasi", firm="undecided"))
    keys = found.possible_keys
    assert keys is not None and keys.columns == ("firm",)
    assert (keys.k_with, keys.k_without, keys.unique_with, keys.unique_without) == (1, 40, 2, 0)
    told = text(found)
    assert told.mark == "mind"  # not green, though nobody is alone by what was judged
    (said,) = [sentence for _, sentence in told.said if "Nobody has judged" in sentence]
    assert "k = 1 (with it) in place of k = 40 (without it)" in said and "2 % of the records" in said
    assert any("schleier decide" in one for one in told.next)
    (german,) = [sentence for _, sentence in text(found, "de").said if "Niemand hat" in sentence]
    assert "k = 1 (mit ihr) statt k = 40 (ohne sie)" in german


def test_k_is_not_told_in_place_of_itself() -> None:
    """Somebody is alone already; what changes is how many."""
    table = TABLE.append_column("age", pa.array(["30"] * 99 + ["90"]))
    found = inspect(table, schema(sex="quasi", age="quasi", firm="undecided"))
    (said,) = [sentence for _, sentence in text(found).said if "Nobody has judged" in sentence]
    assert said.endswith("2 % of the records are unique in place of 1 %; the smallest group stays at k = 1.")
    (german,) = [sentence for _, sentence in text(found, "de").said if "Niemand hat" in sentence]
    assert german.endswith(
        "sind 2 % der Datensätze einzigartig statt 1 %; für die kleinste Gruppe bleibt es bei k = 1."
    )


def test_without_any_key_all_look_alike() -> None:
    keys = inspect(TABLE, schema(sex="plain", firm="undecided")).possible_keys
    assert keys is not None and (keys.k_with, keys.k_without, keys.unique_without) == (1, 100, 0)


def test_nothing_is_said_where_all_is_judged() -> None:
    found = inspect(TABLE, schema(sex="quasi", firm="plain"))
    assert found.possible_keys is None and not any("judged" in sentence for _, sentence in text(found).said)


def test_only_so_many_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possible, "MOST", 2)
    table = TABLE.append_column("town", pa.array(["x"] * 100))
    keys = inspect(table, schema(sex="quasi", firm="undecided", town="undecided")).possible_keys
    assert keys is not None and keys.columns == ("firm",)


def test_the_command_tells_it(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(TABLE, tmp_path / "people.csv")
    columns = '[[schema.columns]]\nname = "sex"\nrole = "quasi"\nscale = "nominal"\n'
    (tmp_path / "schema.toml").write_text(columns + '[[schema.columns]]\nname = "firm"\nscale = "nominal"\n', "utf-8")
    result = CliRunner().invoke(app, ["inspect", str(tmp_path / "people.csv"), "--json"])
    assert json.loads(result.stdout)["inspection"]["possible_keys"]["k_with"] == 1
