from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from draft.people import people
from schleier.cli import app
from schleier.core.errors import WriteError
from schleier.draft.describe import describe
from schleier.draft.writing import write_draft
from schleier.flow.recipe.recipe import Recipe


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "in put" / "survey's.csv"
    path.parent.mkdir()
    table = people()[["number", "last", "age", "sex", "town", "income"]]
    table = table.rename(columns={"town": 'to"wn, [x]', "sex": "sex #1", "number": "id"})
    table.to_csv(path, index=False)
    return path


def test_the_schema_is_what_was_guessed(survey: Path, tmp_path: Path) -> None:
    draft = describe(survey)
    files = write_draft(draft, tmp_path / "a" / "schema.toml", tmp_path / "a" / "recipe.toml", "en")
    recipe = Recipe.from_file(files[-1])
    assert recipe.schema == draft.schema
    assert Path(recipe.data.file or "").resolve() == survey
    assert recipe.problems() == []
    for section in ("steps", "criteria", "measures", "attacks"):
        assert len(getattr(recipe, section)) == len(draft.recipe.get(section, ()))


def test_every_guess_has_its_reason_above_it(survey: Path, tmp_path: Path) -> None:
    write_draft(describe(survey), tmp_path / "schema.toml", tmp_path / "recipe.toml", "de")
    lines = (tmp_path / "schema.toml").read_text(encoding="utf-8").splitlines()
    blocks = [i for i, line in enumerate(lines) if line == "[[schema.columns]]"]
    assert len(blocks) == 5 and all(lines[i - 1].startswith("# ") for i in blocks)
    assert any("Dem Namen nach: Alter" in line for line in lines)


def test_nothing_is_replaced_by_accident(survey: Path, tmp_path: Path) -> None:
    draft = describe(survey)
    write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en")
    (tmp_path / "recipe.toml").write_text("mine", encoding="utf-8")
    with pytest.raises(WriteError, match="already"):
        write_draft(draft, tmp_path / "schema.toml", tmp_path / "other.toml", "en")
    assert (tmp_path / "recipe.toml").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "other.toml").exists()
    write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en", force=True)
    assert "extends" in tomllib.loads((tmp_path / "recipe.toml").read_text(encoding="utf-8"))


def ask(*arguments: str, answers: str = "", lang: str = "en") -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), input=answers, env={"SCHLEIER_LANG": lang})
    return result.exit_code, result.output


def test_the_dialogue_writes_what_was_answered(survey: Path, tmp_path: Path) -> None:
    answers = "Wages\nTeaching\nnobody\nscientific_use\nhigh\none\n4\ncsv\nnowhere\nsex #1\nsensitive\n\n"
    code, shown = ask("init", str(survey), "-o", str(tmp_path), answers=answers)
    assert code == 0, shown
    assert "public_use, scientific_use, internal" in shown and "There is no column nowhere" in shown
    recipe = Recipe.from_file(tmp_path / "recipe.toml")
    assert (recipe.release.title, recipe.release.purpose) == ("Wages", "Teaching")
    assert (recipe.release.access, recipe.release.protection, recipe.release.format) == ("contract", "high", "csv")
    assert recipe.criteria[0].k == 4  # type: ignore[attr-defined]
    assert recipe.schema["sex #1"].role == "sensitive"


def test_yes_takes_every_default(survey: Path, tmp_path: Path) -> None:
    code, shown = ask("init", str(survey), "--yes", "-o", str(tmp_path), lang="de")
    assert code == 0 and "Datensätze" in shown
    recipe = Recipe.from_file(tmp_path / "recipe.toml")
    assert recipe.release.language == "de" and recipe.release.access == "public"
    assert ask("run", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "release"))[0] == 0


def test_a_dialogue_that_ends_early_writes_nothing(survey: Path, tmp_path: Path) -> None:
    code, shown = ask("init", str(survey), "-o", str(tmp_path / "x"), answers="Wages\n")
    assert code == 2 and "--yes" in shown and not (tmp_path / "x").exists()


def test_describe_without_out_writes_nothing(survey: Path, tmp_path: Path) -> None:
    code, shown = ask("describe", str(survey))
    assert code == 0 and "Nothing was written" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["in put"]


def test_the_json_holds_no_value(survey: Path) -> None:
    code, shown = ask("describe", str(survey), "--json")
    assert code == 0 and '"row_key"' in shown
    assert not [name for name in people()["last"] if name in shown]


def test_every_sentence_of_drafts_and_dialogues_is_used() -> None:
    """A key is used when its last part stands in the source as a text of its own."""
    import schleier
    from schleier.report.language import Words

    folder = Path(schleier.__file__).parent
    parts = [*(folder / "draft").glob("*.*"), *(folder / "cli").glob("*.py"), folder / "core" / "schema.py"]
    parts += [folder / "flow" / "run" / "runner.py", folder / "flow" / "replay.py"]  # where a key came from
    parts += [folder / "flow" / "run" / "examine.py", folder / "report" / "checks.py"]  # what was not compared
    parts += (folder / "formats").glob("*.py")  # how a file was read
    source = "\n".join(path.read_text(encoding="utf-8") for path in parts)
    kept = ("draft.meaning.", "draft.form.")  # tested with the meanings and forms
    for key in Words.of("en").table:
        section, _, last = key.removesuffix(".one").removesuffix(".other").removesuffix(".zero").rpartition(".")
        if section.split(".")[0] in ("draft", "init", "cli") and not key.startswith(kept):
            word = last.removesuffix("_why")
            assert f'"{word}"' in source or f".{word}" in source or f"[{word}]" in source, key
