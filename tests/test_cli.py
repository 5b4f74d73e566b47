"""The command line: what it says, how it ends, and what it never says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from flow.making import COMMAND, RECIPE, written
from schleier.cli import app
from schleier.core import registry
from schleier.flow.release.release import is_release
from schleier.testing import example_table

Result = Any
SECRET = "zzz-planted-marker"
NUMBER = 987654321
CSV_RECIPE = RECIPE.replace("people.parquet", "people.csv")
HEADER = "id,person,household,age,sex,income\n"


def schleier(*arguments: object) -> Result:
    """What a command did; it never quotes what was planted."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    said = result.stdout + result.stderr
    assert SECRET not in said and str(NUMBER) not in said
    assert "Traceback" not in said
    return result


def csv(folder: Path, body: str, recipe: str = CSV_RECIPE, encoding: str = "utf-8") -> Path:
    (folder / "people.csv").write_bytes(body.encode(encoding))
    path = folder / "recipe.toml"
    path.write_text(recipe, encoding="utf-8")
    return path


def rows(count: int) -> list[str]:
    return [f"r{i},Person {i},h{i // 2},{20 + i % 50},{'fm'[i % 2]},{1000 + i}.50" for i in range(count)]


def failed(result: Result, code: int, *words: str, out: Path | None = None) -> None:
    """It ended with this code, said these words on the error stream, and wrote nothing."""
    assert (result.exit_code, result.stdout) == (code, "")
    told = " ".join(result.stderr.split())
    for word in words:
        assert word in told, told
    assert out is None or not out.exists()


# What goes well.


def test_a_run_tells_what_it_released(tmp_path: Path) -> None:
    result = schleier("run", written(tmp_path), "--out", tmp_path / "out")
    assert (result.exit_code, result.stderr) == (0, "")
    report = json.loads((tmp_path / "out" / "public" / "report.json").read_text(encoding="utf-8"))
    assert "Released 240 of 240 records" in result.stdout
    assert f"digest {report['digest']}" in result.stdout
    assert "met k_anonymity: The smallest class holds" in result.stdout
    assert is_release(tmp_path / "out")


def test_quiet_says_nothing_when_all_is_well(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    for command in (("check", recipe), ("run", recipe, "-o", tmp_path / "out")):
        result = schleier(*command, "--quiet")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    result = schleier("verify", tmp_path / "out" / "public" / "data.parquet", "-r", recipe, "-q")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_json_is_one_document_for_success_and_for_failure(tmp_path: Path) -> None:
    recipe, out = written(tmp_path), tmp_path / "out"
    checked = json.loads(schleier("check", recipe, "--json").stdout)
    nothing_open = {"undecided": [], "guessed": [], "cautions": [], "candidates": {}}
    assert checked == {"ok": True, "steps": 3, "criteria": 1, "measures": 1, "attacks": 0, **nothing_open}
    made = json.loads(schleier("run", recipe, "--out", out, "--json").stdout)
    assert made["ok"] and made["path"] == str(out) and made["report"]["records_released"] == 240
    again = schleier("run", recipe, "--out", out, "--json")
    told = json.loads(again.stdout)
    assert (again.exit_code, again.stderr, told["ok"], told["exit_code"]) == (6, "", False, 6)
    assert [problem["code"] for problem in told["problems"]] == ["exists"]
    assert set(told["problems"][0]) == {"code", "where", "message", "hint"}
    judged = json.loads(schleier("verify", out / "public" / "data.parquet", "-r", recipe, "--json").stdout)
    assert judged["ok"] and len(judged["criteria"]) == 1


def test_the_same_key_file_gives_the_same_release(tmp_path: Path, key: bytes) -> None:
    recipe, file = written(tmp_path), tmp_path / "key"
    file.write_text(key.hex() + "\n")
    file.chmod(0o600)
    digests = set()
    for name in ("one", "two"):
        assert schleier("run", recipe, "-o", tmp_path / name, "--key-file", file).exit_code == 0
        digests.add(json.loads((tmp_path / name / "public" / "report.json").read_text())["digest"])
    assert len(digests) == 1


def test_a_key_given_by_hand_is_told(tmp_path: Path, key: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, file, out = written(tmp_path), tmp_path / "key", tmp_path / "out"
    file.write_text(key.hex())
    file.chmod(0o600)
    assert "given by hand" not in schleier("run", recipe, "-o", out).stdout
    assert json.loads((out / "restricted" / "audit.json").read_text())["key_from"] == "new"
    said = schleier("run", recipe, "-o", out, "--key-file", file, "--force").stdout
    assert "The run key was given by hand. Use a key for one release only" in said and key.hex() not in said
    assert json.loads((out / "restricted" / "audit.json").read_text())["key_from"] == "given"
    told = json.loads(schleier("run", recipe, "-o", out, "--key-file", file, "--force", "--json").stdout)
    assert (told["key_from"], told["digest"]) == ("given", told["report"]["digest"])
    monkeypatch.setenv("SCHLEIER_LANG", "de")
    german = schleier("run", recipe, "-o", out, "--key-file", file, "--force").stdout
    assert "Der Laufschlüssel wurde von Hand vorgegeben." in german
    for public in (out / "public").rglob("*"):
        assert b"key_from" not in public.read_bytes()


def test_force_replaces_a_release(tmp_path: Path) -> None:
    recipe, out = written(tmp_path), tmp_path / "out"
    assert schleier("run", recipe, "-o", out).exit_code == 0
    before = (out / "release.json").read_text()
    failed(schleier("run", recipe, "-o", out), 6, "already exists", "--force")
    assert (out / "release.json").read_text() == before
    assert schleier("run", recipe, "-o", out, "--force").exit_code == 0
    assert (out / "release.json").read_text() != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.parquet", "recipe.toml"]


def test_names_with_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("k = 2", 'k = 2\nname = "[red]k[/]"'))
    result = schleier("run", recipe, "-o", tmp_path / "[bold]out")
    assert result.exit_code == 0
    assert "met [red]k[/]: " in result.stdout and "[bold]out/public/" in result.stdout


def test_verify_ends_with_0_or_3(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    assert schleier("run", recipe, "-o", tmp_path / "out").exit_code == 0
    data = tmp_path / "out" / "public" / "data.parquet"
    result = schleier("verify", data, "--recipe", recipe)
    assert result.exit_code == 0 and result.stdout.startswith("met k_anonymity")
    pq.write_table(pq.read_table(data).slice(0, 3), tmp_path / "few.parquet")
    result = schleier("verify", tmp_path / "few.parquet", "--recipe", recipe)
    assert result.exit_code == 3 and result.stdout.startswith("broken k_anonymity")
    told = schleier("verify", tmp_path / "few.parquet", "--recipe", recipe, "--json")
    assert told.exit_code == 3 and json.loads(told.stdout)["ok"] is False


def test_verify_says_what_it_did_not_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, out = written(tmp_path), tmp_path / "out"
    assert schleier("run", recipe, "-o", out).exit_code == 0
    data, report = out / "public" / "data.parquet", out / "public" / "report.json"
    said = "Not compared: the number of records and the digest."
    assert said in schleier("verify", data, "-r", recipe).stdout
    for command in ((data, "-r", recipe, "--report", report), (out,), (out, "-r", recipe)):
        result = schleier("verify", *command)
        assert (result.exit_code, result.stderr) == (0, "") and "Not compared" not in result.stdout
        told = json.loads(schleier("verify", *command, "--json").stdout)
        assert told["ok"] and (told["records"], told["not_compared"], told["not_checked"]) == (240, [], [])
    told = json.loads(schleier("verify", data, "-r", recipe, "--json").stdout)
    assert told["not_compared"] == ["records", "digest"]
    failed(schleier("verify", data), 2, "by which recipe")
    failed(schleier("verify", out, "--report", report), 2, "has its own report")
    pq.write_table(pq.read_table(data).append_column("person", pa.array([SECRET] * 240)), tmp_path / "named.parquet")
    failed(schleier("verify", tmp_path / "named.parquet", "-r", recipe), 4, "would not have: 'person'")
    monkeypatch.setenv("SCHLEIER_LANG", "de")
    assert "Nicht verglichen: die Zahl der Datensätze" in schleier("verify", data, "-r", recipe).stdout
    failed(schleier("verify", tmp_path / "named.parquet", "-r", recipe), 4, "die die Freigabe nicht hätte")


def test_digest_prints_what_the_report_says(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert schleier("run", written(tmp_path), "-o", out).exit_code == 0
    expected = json.loads((out / "public" / "report.json").read_text())["digest"]
    data = out / "public" / "data.parquet"
    assert schleier("digest", data).stdout == f"{expected}\n"
    moved = data.rename(tmp_path / "moved.parquet")
    failed(schleier("digest", moved), 2, "no such schema")
    told = json.loads(schleier("digest", moved, "--schema", out / "public" / "schema.toml", "--json").stdout)
    assert told == {"ok": True, "digest": expected, "records": 240}


def test_digest_of_what_was_handed_over(tmp_path: Path) -> None:
    out, archive = tmp_path / "out", tmp_path / "release.zip"
    assert schleier("run", written(tmp_path), "-o", out).exit_code == 0
    expected = json.loads((out / "public" / "report.json").read_text())["digest"]
    assert schleier("hand-over", out, archive).exit_code == 0
    assert schleier("digest", f"{archive}::data.parquet").stdout == f"{expected}\n"
    failed(schleier("digest", archive), 4, "the archive holds several files", "release.zip::data.parquet")


def test_hand_over_packs_the_public_part(tmp_path: Path) -> None:
    out, archive = tmp_path / "out", tmp_path / "for-you.zip"
    assert schleier("run", written(tmp_path), "-o", out).exit_code == 0
    result = schleier("hand-over", out, archive)
    assert result.exit_code == 0 and "data.parquet, report.html, report.json, schema.toml" in result.stdout
    failed(schleier("hand-over", out, archive), 6, "already exists")
    failed(schleier("hand-over", tmp_path, archive, "--force"), 4, "no release")
    told = json.loads(schleier("hand-over", out, archive, "--force", "--json").stdout)
    assert told["ok"] and told["files"][0] == "data.parquet"
    assert schleier("hand-over", out, tmp_path / "quiet.zip", "-q").stdout == ""


def test_hand_over_does_not_pack_an_amber_release_in_silence(tmp_path: Path) -> None:
    recipe, archive = written(tmp_path), tmp_path / "public.zip"
    text = recipe.read_text(encoding="utf-8")
    for name, changed, lang, said in (
        ("open", text.partition("[[criteria]]")[0], "en", "! No criterion was demanded of this release. Whoever gets"),
        (
            "amber",
            text.replace('role = "quasi"', 'role = "quasi", judged = "guess"'),
            "de",
            "! Die Freigabe erfüllt alle",
        ),
    ):
        recipe.write_text(changed, encoding="utf-8")
        assert schleier("run", recipe, "--out", tmp_path / name).exit_code == 0
        told = schleier("hand-over", tmp_path / name, archive, "--force", "--lang", lang).stdout
        assert told.splitlines()[1].startswith(said)
    assert (
        "guessed" in json.loads(schleier("hand-over", tmp_path / name, archive, "--force", "--json").stdout)["cautions"]
    )


KINDS = {"methods": "method", "criteria": "criterion", "measures": "measure", "attacks": "attack"}


@pytest.mark.parametrize("plural", KINDS)
def test_components_are_listed_and_explained(plural: str) -> None:
    kind: Any = KINDS[plural]
    listed = schleier(plural)
    assert listed.exit_code == 0 and all(name in listed.stdout for name in registry.names(kind))
    assert set(json.loads(schleier(plural, "--json").stdout)) == set(registry.names(kind))
    for name, declared in registry.every(kind).items():
        shown = schleier(plural, name)
        assert shown.exit_code == 0 and shown.stdout.startswith(name)
        about = json.loads(schleier(plural, name, "--json").stdout)
        assert about["name"] == name
        assert {one["name"] for one in about["parameters"]} <= set(declared.model_fields)


@pytest.mark.parametrize("plural", KINDS)
def test_an_unknown_component_is_an_error(plural: str) -> None:
    failed(schleier(plural, "surely_none"), 2, f"there is no {KINDS[plural]} 'surely_none'")
    told = json.loads(schleier(plural, "surely_none", "--json").stdout)
    assert (told["ok"], told["exit_code"]) == (False, 2)


# What goes wrong with the recipe and the command.


def test_four_mistakes_are_told_at_once(tmp_path: Path) -> None:
    recipe = RECIPE.replace('"top_code"', '"top_kode"').replace("k = 2", "k = 1").replace("level = 2", "levl = 2")
    path = written(tmp_path, recipe + "[machine]\n")
    for command in ("check", "run"):
        result = schleier(command, path)
        failed(
            result, 2, "machine", "steps[1].levl", "did you mean 'level'?", "steps[2]", "'top_code'", "criteria[0].k"
        )
        told = json.loads(schleier(command, path, "--json").stdout)
        assert len(told["problems"]) >= 4
    assert sorted(file.name for file in tmp_path.iterdir()) == ["people.parquet", "recipe.toml"]


def test_a_recipe_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    failed(schleier("check", tmp_path / "none.toml"), 2, "there is no such recipe")
    (tmp_path / "bad.toml").write_text("[schema")
    failed(schleier("run", tmp_path / "bad.toml"), 2, "not valid TOML", "at end of document")


@pytest.mark.parametrize("content", ["", "abc", "0" * 63, "0" * 66, "ä" * 64, "g" * 64, None])
def test_a_wrong_key_file_is_an_error_that_does_not_show_it(content: str | None, tmp_path: Path) -> None:
    recipe, file = written(tmp_path), tmp_path / "key"
    if content is not None:
        file.write_text(content, encoding="utf-8")
        file.chmod(0o600)
    result = schleier("run", recipe, "-o", tmp_path / "out", "--key-file", file)
    what = "there is no such file" if content is None else "64 hexadecimal digits"
    failed(result, 2, what, "openssl rand -hex 32", out=tmp_path / "out")
    assert not content or content not in result.stderr


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_others_can_read_is_refused(mode: int, tmp_path: Path, key: bytes) -> None:
    recipe, file = written(tmp_path), tmp_path / "key"
    file.write_text(key.hex())
    file.chmod(mode)
    result = schleier("run", recipe, "-o", tmp_path / "out", "--key-file", file)
    failed(result, 2, "other users can read the file with the key", f"chmod 600 {file}", out=tmp_path / "out")
    assert key.hex() not in result.stderr


def test_a_key_that_is_no_file_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key", 0o600)
    result = schleier("run", written(tmp_path), "-o", tmp_path / "out", "--key-file", tmp_path / "key")
    failed(result, 2, "64 hexadecimal digits", out=tmp_path / "out")


def test_an_unknown_engine_is_an_error(tmp_path: Path) -> None:
    failed(schleier("run", written(tmp_path), "--engine", "abacus"), 2, "there is no engine 'abacus'")


def test_a_defect_is_told_without_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr("schleier.flow.run.runner.publish", broken)
    monkeypatch.delenv("SCHLEIER_DEBUG", raising=False)
    out = tmp_path / "out"
    failed(schleier("run", written(tmp_path), "-o", out), 70, "a defect of Schleier (ZeroDivisionError)", out=out)
    told = json.loads(schleier("run", written(tmp_path), "-o", out, "--json").stdout)
    assert (told["exit_code"], told["problems"][0]["code"]) == (70, "internal")


# What goes wrong with the data.


def test_no_file_is_an_error_of_the_data(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    (tmp_path / "people.parquet").unlink()
    for command in ("check", "run"):
        failed(schleier(command, recipe), 4, "data.file", "no such file")


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.feather", "people.xyz"])
def test_a_directory_is_no_file(name: str, tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("people.parquet", name))
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).mkdir()
    failed(schleier("run", recipe, "-o", tmp_path / "out"), 4, out=tmp_path / "out")


@pytest.mark.parametrize("content", [b"PAR1" + SECRET.encode() + b"PAR1", SECRET.encode() * 20, b"\0" * 100])
@pytest.mark.parametrize("name", ["people.parquet", "people.feather"])
def test_a_damaged_file_is_an_error(name: str, content: bytes, tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("people.parquet", name))
    (tmp_path / name).write_bytes(content)
    failed(schleier("run", recipe, "-o", tmp_path / "out"), 4, "damaged", out=tmp_path / "out")


def test_a_file_cut_short_is_an_error(tmp_path: Path) -> None:
    """The footer of the file is sound, its pages are not."""
    recipe = written(tmp_path)
    content = (tmp_path / "people.parquet").read_bytes()
    middle = len(content) // 3
    (tmp_path / "people.parquet").write_bytes(content[:4] + b"\xff" * middle + content[4 + middle :])
    result = schleier("run", recipe, "-o", tmp_path / "out")
    failed(result, result.exit_code, out=tmp_path / "out")
    assert result.exit_code in (4, 5), "the engine cannot always tell a damaged file from a failure of its own"


def test_a_broken_encoding_is_an_error(tmp_path: Path) -> None:
    body = HEADER + "\n".join([*rows(20), f"r99,{SECRET}ä,h9,44,f,1.5"]) + "\n"
    declared = CSV_RECIPE.replace('row_key = "id"', 'row_key = "id"\nlayout = { encoding = "utf-8" }')
    recipe = csv(tmp_path, body, declared, encoding="latin-1")
    failed(schleier("run", recipe, "-o", tmp_path / "out"), 4, "utf-8", out=tmp_path / "out")


def test_columns_that_share_a_name_are_an_error(tmp_path: Path) -> None:
    recipe = csv(tmp_path, HEADER.replace("sex", "age") + "\n".join(rows(9)) + "\n")
    failed(schleier("run", recipe), 4, "repeats an earlier name")


def test_columns_that_are_not_there_or_not_described_are_errors(tmp_path: Path) -> None:
    recipe = csv(tmp_path, HEADER.replace("sex", "gender") + "\n".join(rows(9)) + "\n")
    failed(schleier("run", recipe), 4, "the data have no column 'sex'")
    recipe = csv(tmp_path, HEADER + "\n".join(rows(9)) + "\n", CSV_RECIPE.replace('others = "drop"\n', ""))
    body = (tmp_path / "people.csv").read_text().replace("income", "income,extra", 1).replace(".50", ".50,1")
    (tmp_path / "people.csv").write_text(body)
    failed(schleier("check", recipe), 4, "the schema does not describe 'extra'")


def test_a_file_without_a_header_does_not_give_its_first_person_away(tmp_path: Path) -> None:
    first = f"r0,{SECRET},h0,{NUMBER},f,1.5\n"
    recipe = csv(tmp_path, first + "\n".join(rows(9)) + "\n", CSV_RECIPE.replace('others = "drop"\n', ""))
    failed(schleier("run", recipe), 4, "the data have no column")


def test_values_outside_a_hierarchy_are_counted(tmp_path: Path) -> None:
    listed = '{ rows = [["20", "young", "*"], ["21", "young", "*"]] }'
    recipe = CSV_RECIPE.replace("{ intervals = [15, 45] }", listed).replace("level = 2", "level = 1")
    body = [row.replace(row.split(",")[3], str(20 + i % 2)) for i, row in enumerate(rows(12))]
    body += [f"r9{i},P,h,{NUMBER},f,1.5" for i in range(3)]
    path = csv(tmp_path, HEADER + "\n".join(body) + "\n", recipe)
    failed(schleier("run", path, "-o", tmp_path / "o"), 4, "1 values of column 'age' (3 rows)", out=tmp_path / "o")


def test_words_among_numbers_are_counted_with_their_lines(tmp_path: Path) -> None:
    body = rows(30)
    for i in (4, 11):
        body[i] = f"r{i},P,h,{SECRET},f,1.5"
    body[20] = f"r20,P,h,44,f,{SECRET}"
    recipe = csv(tmp_path, HEADER + "\n".join(body) + "\n")
    out = tmp_path / "out"
    failed(schleier("run", recipe, "-o", out), 4, "age: 2 values", "lines 6, 13", "income: 1 value", "line 22", out=out)


@pytest.mark.parametrize(("body", "word"), [("", "empty"), (HEADER, "no rows"), ("\n", "")])
def test_files_without_rows_are_errors(body: str, word: str, tmp_path: Path) -> None:
    failed(schleier("run", csv(tmp_path, body), "-o", tmp_path / "out"), 4, word, out=tmp_path / "out")


@pytest.mark.parametrize("name", ["people.parquet", "people.feather"])
def test_typed_files_without_rows_are_errors(name: str, tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("people.parquet", name))
    write = pq.write_table if name.endswith("parquet") else feather.write_feather
    write(example_table(0), str(tmp_path / name))
    failed(schleier("run", recipe, "-o", tmp_path / "out"), 4, out=tmp_path / "out")


ONE_ROW = CSV_RECIPE.partition('[[steps]]\nmethod = "top_code"')[0]


def test_one_row_breaks_a_criterion_and_passes_without_one(tmp_path: Path) -> None:
    body = HEADER + f"r0,{SECRET},h0,44,f,{NUMBER}.5\n"
    demand = '[[criteria]]\ncriterion = "k_anonymity"\nk = 2\n'
    failed(
        schleier("run", csv(tmp_path, body, ONE_ROW + demand), "-o", tmp_path / "a"),
        3,
        "smallest class",
        out=tmp_path / "a",
    )
    assert schleier("run", csv(tmp_path, body, ONE_ROW), "-o", tmp_path / "b").exit_code == 0


def test_a_column_of_nothing_but_gaps_is_fine(tmp_path: Path) -> None:
    body = [",".join([*row.split(",")[:3], "", *row.split(",")[4:5], ""]) for row in rows(40)]
    recipe = csv(tmp_path, HEADER + "\n".join(body) + "\n", ONE_ROW + '[release]\nformat = "parquet"\n')
    assert schleier("run", recipe, "-o", tmp_path / "out").exit_code == 0
    released = pq.read_table(tmp_path / "out" / "public" / "data.parquet")
    assert released["age"].null_count == released["income"].null_count == 40


def test_two_thousand_columns_work(tmp_path: Path) -> None:
    """And ten thousand: see bench/cases/wide.py."""
    names = [f"c{i}" for i in range(2_000)]
    lines = [",".join(names), *(",".join(str(i + j) for i in range(2_000)) for j in (0, 1, 1))]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    columns = "\n".join(f'  {{ name = "{name}", scale = "discrete" }},' for name in names)
    (tmp_path / "wide.toml").write_text(
        f'[data]\nfile = "wide.csv"\n[schema]\ncolumns = [\n{columns}\n]\n[release]\nformat = "parquet"\n'
    )
    result = schleier("run", tmp_path / "wide.toml", "-o", tmp_path / "out", "--json")
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)["report"]["columns"]) == 2_000
    assert sorted(pq.read_table(tmp_path / "out" / "public" / "data.parquet")["c7"].to_pylist()) == [7, 8, 8]


# What is never said.


def planted(folder: Path) -> Path:
    """People whose protected values nobody would write by chance."""
    table = example_table()
    for name in ("person", "household", "sex"):
        values = [f"{SECRET}-{name}-{value}" for value in table[name].to_pylist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    for name, kind in (("income", pa.float64()), ("age", pa.int64())):
        values = [*table[name].to_pylist()[:-4], *[NUMBER] * 4]
        table = table.set_column(table.column_names.index(name), name, pa.array(values, kind))
    recipe = written(folder, RECIPE.replace("level = 2", "level = 3"))
    pq.write_table(table, folder / "people.parquet")
    return recipe


def test_neither_key_nor_protected_values_are_told(tmp_path: Path, key: bytes) -> None:
    recipe, out, file = planted(tmp_path), tmp_path / "out", tmp_path / "key"
    file.write_text(key.hex())
    file.chmod(0o600)
    said = ""
    for flags in ([], ["--json"], ["--quiet"]):
        result = schleier("run", recipe, "-o", out, "--force", "--key-file", file, *flags)
        assert result.exit_code == 0
        said += result.stdout + result.stderr
    for name in ("report.json", "report.html", "schema.toml"):
        said += (out / "public" / name).read_text(encoding="utf-8")
    assert "k_anonymity" in said
    assert SECRET not in said and str(NUMBER) not in said
    assert key.hex() not in said and key.hex().upper() not in said
    assert key.hex() in (out / "restricted" / "audit.json").read_text(encoding="utf-8")


def test_a_broken_criterion_names_no_value(tmp_path: Path) -> None:
    recipe = planted(tmp_path)
    recipe.write_text(recipe.read_text().replace("k = 2\n", "k = 2000\n"))
    failed(schleier("run", recipe, "-o", tmp_path / "out"), 3, "nothing was written", out=tmp_path / "out")


def test_a_real_process_is_quiet_on_its_error_stream(tmp_path: Path) -> None:
    """Libraries leave remarks when a process ends ("nanobind: leaked"): none of them may reach the user."""
    command = [*COMMAND, "run", str(written(tmp_path)), "--out", str(tmp_path / "out")]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Released 240 of 240 records" in ended.stdout
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 6
    assert again.stdout == "" and len(again.stderr.strip().splitlines()) == 2
