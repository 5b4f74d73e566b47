"""The command suggest: what it shows, what it writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from schleier.cli import app

Result = Any


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHLEIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def schleier(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert "Traceback" not in result.stdout + result.stderr
    return result


def people(folder: Path, rows: int = 200) -> Path:
    lines = [f"Person {n},{20 + n * 7 % 40},{'fm'[n % 2]},Secret{n % 5}" for n in range(rows)]
    (folder / "people.csv").write_text("name,age,sex,nationality\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return folder / "people.csv"


def test_it_shows_alternatives_and_writes_nothing_unasked(tmp_path: Path) -> None:
    result = schleier("suggest", people(tmp_path), "--profile", "public_use")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.replace("\u00a0", " ").splitlines()
    assert any(line.split() == "No. k allowed omitted unique highest average found loss".split() for line in lines)
    assert [line.split()[1:3] for line in lines if line.startswith("→ ")] == [["4", "5"]]
    assert sum(line.startswith(("age ", "sex ", "nationality ")) for line in lines) == 3
    assert "Nothing was written." in result.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


def test_what_it_writes_passes_check_and_run(tmp_path: Path) -> None:
    recipe = tmp_path / "out" / "recipe.toml"
    result = schleier("suggest", people(tmp_path), "-p", "public_use", "-o", recipe)
    assert result.exit_code == 0 and f"Wrote {recipe}." in result.stdout
    assert 'extends = "profile:public_use"' in recipe.read_text(encoding="utf-8")
    assert schleier("check", recipe).exit_code == 0
    assert schleier("run", recipe, "--out", tmp_path / "release").exit_code == 0
    again = schleier("suggest", people(tmp_path), "-p", "public_use", "-o", recipe)
    assert again.exit_code == 6 and "already" in again.stderr
    assert schleier("suggest", people(tmp_path), "-p", "public_use", "-o", recipe, "--force").exit_code == 0


def test_after_describing_in_the_same_folder(tmp_path: Path) -> None:
    """Hierarchies that lie there are used or left alone; one that somebody edited is never replaced."""
    file, first = people(tmp_path), tmp_path / "recipe.toml"
    assert schleier("describe", file, "-o", tmp_path / "schema.toml").exit_code == 0
    edited = next((tmp_path / "hierarchies").glob("*.csv"))
    edited.write_text(edited.read_text(encoding="utf-8") + "nobody;else\n", encoding="utf-8")
    kept = edited.read_bytes()
    second = tmp_path / "proposed.toml"
    result = schleier("suggest", file, "-p", "public_use", "-o", second)
    assert result.exit_code == 0 and first.exists() and edited.read_bytes() == kept
    assert schleier("run", second, "--out", tmp_path / "release").exit_code == 0


def test_no_value_is_shown(tmp_path: Path) -> None:
    for more in ([], ["--json"], ["--lang", "de"]):
        result = schleier("suggest", people(tmp_path), "-p", "public_use", *more)
        assert "Secret" not in result.stdout and "Person" not in result.stdout


def test_in_german(tmp_path: Path) -> None:
    result = schleier("suggest", people(tmp_path), "-p", "internal", "--lang", "de")
    assert result.stdout.startswith("Eine Datei, die im Haus bleibt")
    assert "Stufen der Hierarchien" in result.stdout


def test_json_is_one_document(tmp_path: Path) -> None:
    told = json.loads(schleier("suggest", people(tmp_path), "-p", "scientific_use", "--json").stdout)
    assert told["ok"] and told["profile"] == "scientific_use" and told["records"] == 200
    assert [one["k"] for one in told["alternatives"]] == [3, 3, 5, 5, 10, 10, 20, 20]
    (proposed,) = [one for one in told["alternatives"] if one["proposed"]]
    assert (proposed["k"], proposed["max_suppressed"]) == (3, 0.05)
    assert proposed["levels"].keys() == {"age", "sex", "nationality"}
    assert proposed["risk"]["highest"] <= 1 / 3


def test_where_nothing_can_be_reached_the_exit_code_says_so(tmp_path: Path) -> None:
    result = schleier("suggest", people(tmp_path, rows=2), "-p", "public_use", "-o", tmp_path / "recipe.toml")
    assert result.exit_code == 3
    assert result.stdout.count("not reachable") == 8
    assert "No alternative can be reached" in result.stdout
    assert "What leads on:" in result.stdout and "schleier run drafted/recipe.toml" in result.stdout
    reasons = [line.partition(": ")[2] for line in result.stdout.splitlines() if ": even with all keys" in line]
    assert reasons and len(reasons) == len(set(reasons))
    assert not (tmp_path / "recipe.toml").exists()
    told = json.loads(schleier("suggest", people(tmp_path, rows=2), "-p", "public_use", "--json").stdout)
    assert (told["ok"], told["exit_code"]) == (False, 3)
    assert {problem["code"] for one in told["alternatives"] for problem in one["problems"]} == {"unreachable"}


@pytest.mark.parametrize("rows", [2, 200], ids=["nothing works", "nothing written"])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_lines_to_type_keep_what_was_asked_for(rows: int, lang: str, tmp_path: Path) -> None:
    """Without one of the options the proposal would be another one than that which was shown."""
    file, schema = people(tmp_path, rows), tmp_path / "my schema.toml"
    assert schleier("describe", file, "-o", schema).exit_code == 0
    asked = ["--staff", "--k", "21", "--year", "2024", "--schema", schema]
    said = schleier("suggest", file, "-p", "public_use", *asked, "--lang", lang).stdout
    lines = [" ".join(line.split()) for line in said.splitlines() if f"schleier suggest {file}" in line]
    assert len(lines) == (2 if rows == 2 else 1)
    for option in ("--staff", "--k 21", "--year 2024", f"--schema '{schema}'"):
        assert all(option in line for line in lines), option


def test_a_share_is_not_named_twice(tmp_path: Path) -> None:
    said = schleier("suggest", people(tmp_path, 2), "-p", "public_use", "--max-suppressed", "0.01").stdout
    (more,) = [line for line in said.splitlines() if "--max-suppressed 0.2" in line]
    (weaker,) = [line for line in said.splitlines() if "--profile scientific_use" in line]
    assert "0.01" not in more and "--max-suppressed 0.01" in weaker


def test_weaker_ones_are_shown_but_not_written(tmp_path: Path) -> None:
    few = people(tmp_path, rows=4)
    assert schleier("suggest", few, "-p", "public_use").exit_code == 0
    result = schleier("suggest", few, "-p", "public_use", "-o", tmp_path / "recipe.toml")
    assert result.exit_code == 3 and "cannot be reached with this file" in result.stdout
    assert not (tmp_path / "recipe.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-p", "everybody"], 2, "there is no profile 'everybody'"),
        (["-p", "public_use", "--k", "3"], 2, "demands classes of at least 5 records"),
        (["-p", "public_use", "-s", "absent.toml"], 2, "there is no such schema"),
        (["-p", "public_use", "--population", "absent.csv"], 4, "absent.csv"),
        (["-p", "public_use", "--lang", "fr"], 2, "there is no report in 'fr'"),
        ([], 2, "--profile"),
    ],
)
def test_what_can_be_wrong(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    result = schleier("suggest", people(tmp_path), *arguments)
    assert result.exit_code == code
    assert said in result.stderr.replace("\n", " ")


def test_the_table_is_shown_even_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from schleier.draft import suggest_text

    def fail(*_: object, **__: object) -> None:
        (tmp_path / "recipe.toml").write_text("", encoding="utf-8")  # somebody was faster
        suggest_text.refuse_existing([tmp_path / "recipe.toml"])

    monkeypatch.setattr(suggest_text, "write_suggestion", fail)
    result = schleier("suggest", people(tmp_path), "-p", "public_use", "-o", tmp_path / "recipe.toml")
    assert result.exit_code == 6 and "already" in result.stderr
    assert "→ 4" in result.stdout and "Wrote" not in result.stdout


def test_what_was_not_searched_whole_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine keys with seven levels each of their own: far more choices than can be looked at."""
    monkeypatch.setattr("schleier.flow.suggest.TOGETHER", 1.0)
    monkeypatch.setattr("schleier.flow.suggest.LEAST", 0.1)
    names = [f"c{i}" for i in range(9)]
    rows = [",".join(str((n * (i + 3)) % 120) for i in range(9)) for n in range(120)]  # all alone: none is good at once
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    about = 'role = "quasi"\nscale = "discrete"\nhierarchy = "wide"\n'
    schema = "".join(f'[[schema.columns]]\nname = "{name}"\n{about}' for name in names)
    levels = "[hierarchies.wide]\nintervals = [2, 4, 8, 16, 32]\n"
    (tmp_path / "schema.toml").write_text(schema + levels, encoding="utf-8")
    given = ("suggest", tmp_path / "wide.csv", "-p", "internal", "-s", tmp_path / "schema.toml")
    result = schleier(*given, "-o", tmp_path / "recipe.toml")
    said = " ".join(result.stdout.replace("\u00a0", " ").split())
    assert result.exit_code == 0 and "not reachable" not in said
    assert "There are 40,353,607 choices of levels for the keys." in said
    assert "heuristic = true" in (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    assert schleier("check", tmp_path / "recipe.toml").exit_code == 0
