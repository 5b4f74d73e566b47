"""The command advise: the dialogue in both languages, answers from a file, and how it ends."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from schleier.cli import app

Result = Any
# In the order of the questions: there, why, needed, basis, nothing else, clear, one row, no, normal, no, data,
# everyone, no list, acquaintances, no other release.
TYPED = ["2", "zzz-words", "2", "2", "3", "2", "3", "2", "3", "2", "3", "1", "2", "4", "2"]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SCHLEIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def schleier(*arguments: object, typed: list[str] | None = None) -> Result:
    text = None if typed is None else "".join(f"{line}\n" for line in typed)
    result = CliRunner().invoke(app, [*map(str, arguments)], input=text)
    assert "Traceback" not in result.stdout + result.stderr
    return result


@pytest.fixture
def people(tmp_path: Path) -> Path:
    lines = [f"Person {n},{20 + n * 7 % 40},{'fm'[n % 2]},{1000 + n % 9}" for n in range(200)]
    (tmp_path / "people.csv").write_text("name,age,sex,income\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "people.csv"


def test_a_dialogue_ends_with_a_recipe(people: Path) -> None:
    result = schleier("advise", people, typed=[*TYPED, ""])
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "Question 15 of 15" in result.stdout and "Release a file by a profile" in result.stdout
    assert "← advised" in result.stdout and "Person 7" not in result.stdout
    table = tomllib.loads(Path("recipe.toml").read_text(encoding="utf-8"))
    assert table["advice"]["answers"]["purpose"] == "zzz-words"
    assert schleier("check", "recipe.toml").exit_code == 0


def test_contradictions_are_named_together_and_asked_again_in_german(people: Path) -> None:
    wrong = [*TYPED]
    wrong[10], wrong[13] = "1", "5"  # noise at the source of a file that is there; nobody knows anything
    again = ["2", "3", "1", "4"]  # there, records, everyone, acquaintances
    result = schleier("advise", people, "--lang", "de", typed=[*wrong, *again, "-"])
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "Das kann nicht alles stimmen" in result.stdout
    assert "bei der Abgabe verrauscht" in result.stdout and "irgendwo bekannt ist" in result.stdout
    assert "← empfohlen" in result.stdout and "Quellen:" in result.stdout
    assert not Path("recipe.toml").exists() and "Nichts wurde geschrieben" in result.stdout


def test_what_is_no_answer_is_asked_again(people: Path) -> None:
    typed = ["7", "maybe", *TYPED[:1], "", *TYPED[1:2], "no", "-"]  # nobody needs them
    result = schleier("advise", people, typed=typed)
    assert result.exit_code == 0
    assert result.stdout.count("That is none of the answers") == 2 and "Please write a sentence" in result.stdout
    assert "Delete the data" in result.stdout


def test_a_default_is_the_strictest_answer(people: Path) -> None:
    typed = [*TYPED]
    typed[7] = typed[8] = typed[9] = typed[11] = typed[14] = ""
    result = schleier("advise", people, typed=[*typed, "kept.toml"])
    assert "Answer questions under differential privacy" in result.stdout and "cannot do that yet" in result.stdout
    kept = tomllib.loads(Path("kept.toml").read_text(encoding="utf-8"))
    assert kept["protection"] == "very high" and kept["access"] == "public"
    assert Path("kept.toml").stat().st_mode & 0o077 == 0
    again = schleier("advise", people, "--answers", "kept.toml", "--json")
    document = json.loads(again.stdout)
    assert "zzz-words" not in again.stdout and document["answers"]["access"] == "public"
    assert (document["outcome"], document["available"], document["commands"]) == (
        "answers",
        False,
        [f"schleier inspect {people}"],
    )


def test_a_dialogue_that_ends_gives_no_advice(people: Path) -> None:
    result = schleier("advise", people, typed=TYPED[:5])
    assert result.exit_code == 2 and "before all questions were answered" in result.stderr
    german = schleier("advise", people, "--lang", "de", typed=TYPED[:5])
    assert "Es kamen nicht alle Antworten" in german.stderr
    assert schleier("advise", people, "--json").exit_code == 2


def test_records_left_out_by_chance_are_told_apart(people: Path) -> None:
    typed = [*TYPED[:11], "2", *TYPED[12:], "-"]  # under a contract: a part of the records is drawn
    assert "30 are left out by chance, as the last table says" in schleier("advise", people, typed=typed).stdout


def test_who_left_the_dialogue_goes_on_from_there(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = schleier("advise", people, "-o", "recipe.toml", typed=TYPED[:12])
    begun = tomllib.loads(Path("answers.toml").read_text(encoding="utf-8"))
    assert len(begun) == 12 and begun["purpose"] == "zzz-words" and "zzz-words" not in left.stderr
    assert Path("answers.toml").stat().st_mode & 0o077 == 0
    assert "Your 12 answers are in answers.toml" in left.stderr
    command = left.stderr.partition("type:\n  schleier ")[2].split("\n")[0].split()
    assert command[2:] == ["--out", "recipe.toml", "--answers", "answers.toml"]
    assert "because 3 things are open" in schleier(*command).stderr  # nobody is there to be asked
    monkeypatch.setattr("schleier.cli.dialogue.somebody_there", lambda: True)
    german = schleier(*command, "--lang", "de", typed=TYPED[12:13])
    assert "Ihre 13 Antworten stehen in answers2.toml" in german.stderr
    result = schleier(*command, typed=TYPED[12:])
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "Question 13 of 15" in result.stdout and "Question 12 of 15" not in result.stdout
    answers = tomllib.loads(Path("recipe.toml").read_text(encoding="utf-8"))["advice"]["answers"]
    assert len(answers) == 15 and begun.items() <= answers.items()


def test_an_interruption_keeps_the_answers(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["2", "zzz-words"])

    def prompt(*_: object, **__: object) -> str:
        if (text := next(typed, None)) is None:
            raise KeyboardInterrupt
        return text

    monkeypatch.setattr("typer.prompt", prompt)
    result = schleier("advise", people, "--keep", "mine.toml")
    assert result.exit_code == 130 and "Your 2 answers are in mine.toml" in result.stderr
    assert "taken back" not in result.stderr, "the answers are there"
    assert tomllib.loads(Path("mine.toml").read_text(encoding="utf-8")) == {"collected": "yes", "purpose": "zzz-words"}
    nothing = schleier("advise", people, "--keep", "other.toml")
    assert nothing.exit_code == 130 and not Path("other.toml").exists() and "answers" not in nothing.stderr


def test_an_interruption_at_the_last_question_keeps_the_answers(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the recipe is to be written is asked when all else is answered."""
    typed = iter(TYPED)

    def prompt(*_: object, **__: object) -> str:
        if (text := next(typed, None)) is None:
            raise KeyboardInterrupt
        return text

    monkeypatch.setattr("typer.prompt", prompt)
    result = schleier("advise", people)
    assert result.exit_code == 130 and "Your 15 answers are in answers.toml" in result.stderr
    assert not Path("recipe.toml").exists() and len(tomllib.loads(Path("answers.toml").read_text("utf-8"))) == 15


def test_a_dialogue_goes_on_without_answers_to_no_question(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.cli.dialogue.somebody_there", lambda: True)
    Path("mine.toml").write_text('purpos = "zzz-words"\n', encoding="utf-8")
    result = schleier("advise", people, "-a", "mine.toml", "-o", "recipe.toml", typed=TYPED)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "no question for the answer “purpos”" in result.stdout and "did you mean 'purpose'?" in result.stdout
    answers = tomllib.loads(Path("recipe.toml").read_text(encoding="utf-8"))["advice"]["answers"]
    assert "purpos" not in answers and len(answers) == 15


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "did you mean 'purpose'? give the answer another name"), ("de", "Meinten Sie „purpose“? Geben Sie der")],
)
def test_answers_to_no_question_say_which_there_are(lang: str, said: str, people: Path) -> None:
    Path("mine.toml").write_text('purpos = "zzz-words"\nqqq = "x"\n', encoding="utf-8")
    told = " ".join(schleier("advise", people, "-a", "mine.toml", "--lang", lang).stderr.split())
    assert said in told and told.count("collected, purpose, needed, basis") == 2 and "zzz-words" not in told


def test_everything_open_is_named_at_once(people: Path) -> None:
    Path("answers.toml").write_text('collected = "planned"\naccess = "zzz"\n', encoding="utf-8")
    result = schleier("advise", people, "-a", "answers.toml", "--lang", "de", "-o", "recipe.toml")
    assert result.exit_code == 2 and not Path("recipe.toml").exists() and "zzz" not in result.stderr
    assert "15 Punkte sind offen" in result.stderr and "Die Daten sollen erst geplant sein" in result.stderr
    assert (
        "mit einem dieser Wörter: no, yes" in result.stderr and "Antworten Sie mit einem eigenen Satz" in result.stderr
    )
    assert "answer with" not in result.stderr
    document = json.loads(schleier("advise", people, "-a", "answers.toml", "--json").stdout)
    assert len(document["problems"]) == 15
    Path("answers.toml").write_bytes(b"\xff\xfe")
    assert schleier("advise", people, "-a", "answers.toml").exit_code == 2
    assert schleier("advise", people, "-a", "absent.toml").exit_code == 2


def test_nothing_that_exists_is_replaced(people: Path) -> None:
    Path("recipe.toml").write_text("mine", encoding="utf-8")
    assert schleier("advise", people, "-o", "recipe.toml", typed=[]).exit_code == 6
    assert Path("recipe.toml").read_text(encoding="utf-8") == "mine"
