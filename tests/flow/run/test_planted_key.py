"""A planted key is in nothing that a run writes, says or hands to an engine; its id is in the audit."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schleier as sl
from schleier.core.errors import SchleierError
from schleier.core.key_files import new_file, rotate_file
from schleier.core.keys import KeySource
from schleier.core.run import Run
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import replay

RECIPE = """
[keys.clinic]
file = "clinic.key"
[schema]
row_key = "id"
columns = [
    { name = "patient", role = "identifier", scale = "nominal" },
    { name = "address", role = "quasi", scale = "nominal" },
    { name = "account", role = "sensitive", scale = "nominal" },
    { name = "came", role = "plain", scale = "time" },
    { name = "cost", role = "plain", scale = "continuous", decimals = 2 },
]
[[steps]]
method = "shift_dates"
columns = ["came"]
by = "patient"
key = "clinic"
domain = "patients"
days = 20
[[steps]]
method = "scale_numbers"
columns = ["cost"]
by = "patient"
key = "clinic"
domain = "patients"
spread = 0.2
[[steps]]
method = "give_token"
column = "patient"
key = "clinic"
domain = "patients"
[[steps]]
method = "keep_prefix"
column = "address"
key = "clinic"
domain = "network"
[[steps]]
method = "keep_form"
column = "account"
key = "clinic"
domain = "accounts"
kind = "digits"
"""
DOMAINS = {
    "patients": ("token", "shift of dates", "factor"),
    "network": ("addresses",),
    "accounts": ("form digits",),
}


def rows(many: int = 40) -> pa.Table:
    day = datetime.date(2024, 2, 29)
    return pa.table(
        {
            "id": [f"r{i}" for i in range(many)],
            "patient": [f"p{i // 2:04d}" for i in range(many)],
            "address": [f"10.0.{i % 3}.{i}" for i in range(many)],
            "account": [f"{i * 7919:08d}" for i in range(many)],
            "came": [day] * many,
            "cost": [100.0 + i for i in range(many)],
        }
    )


def planted(file: Path) -> list[bytes]:
    """The key and all that is derived from it, as it could be written."""
    found = []
    for key in KeySource(file=str(file)).every():
        derived = [key.derive(domain, what) for domain, uses in DOMAINS.items() for what in uses]
        for secret in (key._secret, *derived):
            halves = (secret, secret[:16], secret[16:])
            found += [form for one in halves for form in (one, one.hex().encode(), repr(one)[2:-1].encode())]
    return found


def written(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def tokens(release: Any) -> list[str]:
    found: list[str] = release.data.to_arrow()["patient"].to_pylist()
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    new_file(tmp_path / "clinic.key")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def test_no_file_of_a_release_holds_the_key_and_the_audit_holds_its_id(place: Path) -> None:
    recipe = Recipe.from_file(place / "recipe.toml")
    recipe.run(rows(), out=place / "out")
    secrets, files = planted(place / "clinic.key"), written(place / "out")
    assert [(name, s) for name, content in files.items() for s in secrets if s in content] == []
    audit = json.loads(files["restricted/audit.json"])
    key = KeySource(file=str(place / "clinic.key")).key()
    assert {note["key_id"] for note in audit["notes"] if "key_id" in note} == {key.id}
    assert not any(key.id.encode() in content for name, content in files.items() if name.startswith("public"))


def test_no_query_repr_or_error_tells_the_key(place: Path) -> None:
    secrets = planted(place / "clinic.key")
    key = KeySource(file=str(place / "clinic.key")).key()
    run, recipe = Run(keys={"clinic": key}), Recipe.from_file(place / "recipe.toml")
    data, said = sl.Dataset.from_frame(rows(), recipe.schema), [repr(run), repr(recipe), recipe.to_toml()]
    for step in recipe.steps:
        data = step.apply(data, run)
        native: Any = data.frame.to_native()
        said += [native.sql_query(), native.explain(), repr(step), repr(data), str(run.notes)]
    with pytest.raises(SchleierError) as caught:
        recipe.run(rows().set_column(2, "address", pa.array(["nonsense"] * 40)))
    said += [str(caught.value), repr(caught.value)]
    assert [secret for secret in secrets for text in said if secret.decode("latin1") in text] == []
    assert "nonsense" not in str(caught.value)


def test_the_report_says_pseudonymous_and_what_forced_it(place: Path) -> None:
    recipe = Recipe.from_file(place / "recipe.toml")
    release = recipe.run(rows())
    assert release.report.state == "pseudonymous"
    told = {one.code: one.columns for one in release.report.cautions}
    assert told["pseudonymous"] == ("came", "cost", "patient", "address", "account")
    assert told["left_equality"] == ("patient", "address", "account")
    assert (told["left_prefix"], told["left_interval"]) == (("address",), ("came", "cost"))
    page = release.report.to_html("de")
    assert "pseudonym, nicht anonym" in page and "bleiben personenbezogene Daten" in page
    without = Recipe(schema=recipe.schema, steps=[sl.methods.Renumber(column="patient")]).run(rows()).report
    assert without.state == "" and "pseudonymous" not in {one.code for one in without.cautions}


def test_what_was_made_of_scaled_amounts_is_pseudonymous_too(place: Path) -> None:
    amounts = [sl.Column(name=name, role="plain", scale="continuous", decimals=2) for name in ("cost", "fee")]
    schema = sl.Schema(columns=[sl.Column(name="patient", role="identifier", scale="nominal"), *amounts])
    table = rows().select(["patient", "cost"]).append_column("fee", rows()["cost"])
    steps = [
        sl.methods.ScaleNumbers(columns=["cost", "fee"], by="patient", key="clinic", domain="d", spread=0.2),
        sl.methods.Combine(columns=["cost", "fee"], into="all"),
        sl.methods.Drop(columns=["patient"]),
    ]
    measures = [sl.measures.AnonymityLevel(targets=10)]
    keys = {"clinic": {"file": str(place / "clinic.key")}}
    report = Recipe(schema=schema, steps=steps, measures=measures, keys=keys).run(table).report
    assert report.findings[0].detail["cautions"] == ["pseudonyms"]
    told = {one.code: one.columns for one in report.cautions}
    assert report.state == "pseudonymous" and told["pseudonymous"] == told["left_interval"] == ("all",)


def test_no_level_of_anonymity_is_claimed_of_pseudonyms(place: Path) -> None:
    text = RECIPE + '[[measures]]\nmeasure = "anonymity_level"\ntargets = 10\n'
    (finding,) = Recipe.from_toml(text, place).run(rows()).report.findings
    assert finding.value == 0 and finding.detail["cautions"] == ["pseudonyms"]


def test_a_replay_after_the_key_was_rotated_gives_the_same_tokens(place: Path) -> None:
    first = Recipe.from_file(place / "recipe.toml").run(rows(), out=place / "out")
    rotate_file(place / "clinic.key")
    assert replay(place / "out", rows()).audit.digest == first.audit.digest
    again = Recipe.from_file(place / "recipe.toml").run(rows(), out=place / "next")
    assert {*tokens(again)}.isdisjoint(tokens(first)) and len({*tokens(first)}) == 20


def test_everything_wrong_with_keys_is_said_at_once(place: Path) -> None:
    text = RECIPE.replace('key = "clinic"', 'key = "clinik"', 1) + '[keys.other]\nenv = "SCHLEIER_NO_SUCH_KEY"\n'
    with pytest.raises(SchleierError) as caught:
        Recipe.from_toml(text)
    assert [(p.code, p.where) for p in caught.value.problems] == [("unknown-key", "steps[0].key")]
    (place / "clinic.key").chmod(0o644)
    recipe = Recipe.from_toml(text.replace('"clinik"', '"clinic"'), place)
    codes = {(p.code, p.where) for p in recipe.problems()}
    assert {("key-open", "keys.clinic"), ("no-key", "keys.other")} <= codes
    with pytest.raises(SchleierError):
        recipe.run(rows(), out=place / "out")
    assert not (place / "out").exists()
