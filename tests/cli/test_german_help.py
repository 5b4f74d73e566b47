"""Help, and what is said about a wrong command line, in German."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from cli.foreign import english_words
from schleier.cli import app
from schleier.cli.commands import MODULES
from schleier.cli.help import CONSTANTS
from schleier.cli.problems import PACKAGE

TOLD = tomllib.loads((PACKAGE / "cli" / "help.toml").read_text(encoding="utf-8"))
WINGS = {
    file.parent.name: tomllib.loads(told.read_text(encoding="utf-8")) if told.is_file() else {}
    for file in sorted(PACKAGE.glob("extras/*/cli.py"))
    if (told := file.with_name("help.toml")) is not None
}
"""What the commands of each wing say in other languages."""


@pytest.fixture(autouse=True)
def no_language_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "SCHLEIER_LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    return result.stdout + result.stderr


def group() -> Any:
    made: Any = typer.main.get_command(app)
    made.list_commands(made.context_class(made))
    return made


def test_every_text_of_every_command_is_told_in_german_and_no_other() -> None:
    from typer import rich_utils

    made = group()
    house = [command for name, command in made.commands.items() if name not in WINGS]
    inner = [one for command in house for one in getattr(command, "commands", {}).values()]
    commands = [made, *house, *inner]
    holders = [*commands, *(parameter for command in commands for parameter in command.params)]
    texts = {holder.help for holder in holders} | {getattr(holder, "metavar", None) for holder in holders}
    words = {getattr(rich_utils, name) for name in CONSTANTS}
    assert {*texts, *words, "[OPTIONS]", "COMMAND [ARGS]..."} - {None, *TOLD} == set()
    of_commands = [
        text for text in TOLD if text.endswith(".") and not text.endswith("...") and "{" not in text and len(text) > 10
    ]
    library = {"Missing command.", "(deprecated) ", "Show this message and exit."}
    assert set(of_commands) - texts - library == set()


def every(group: Any) -> Iterator[Any]:
    yield group
    for inner in getattr(group, "commands", {}).values():
        yield from every(inner)


@pytest.mark.parametrize("wing", WINGS)
def test_every_text_of_a_wings_commands_is_told_in_german_beside_them(wing: str) -> None:
    module = import_module(f"schleier.extras.{wing}.cli")
    commands = list(every(typer.main.get_group(module.app)))
    holders = [*commands, *(parameter for command in commands for parameter in command.params)]
    texts = {(module.__doc__ or "").splitlines()[0]}
    texts |= {" ".join(text.split()) for holder in holders if (text := holder.help)}
    texts |= {holder.metavar for holder in holders if getattr(holder, "metavar", None)}
    assert texts - {*WINGS[wing], *TOLD} == set(), f"tell these in extras/{wing}/help.toml"
    assert set(WINGS[wing]) - texts == set(), "nobody says these any more"
    for command in commands:
        if not hasattr(command, "commands"):
            names = [wing, *path_to(commands[0], command)]
            assert english_words(said("--lang", "de", *names, "--help")) == set()


def path_to(group: Any, wanted: Any) -> list[str]:
    for name, inner in getattr(group, "commands", {}).items():
        if inner is wanted:
            return [name]
        if found := path_to(inner, wanted):
            return [name, *found]
    return []


NAMES = {"key", "show", "value"}
"""Names of commands, which are the same in every language."""


@pytest.mark.parametrize("name", [None, *MODULES])
def test_help_holds_no_english(name: str | None) -> None:
    start = [name] if name else []
    german, english = said("--lang", "de", *start, "--help"), said(*start, "--help")
    assert "Aufruf:" in german and "Optionen" in german and "Diese Hilfe ausgeben" in german
    assert english_words(german) - NAMES == set()
    assert "Usage:" in english and "Show this message and exit." in english
    default = "[Vorgabe: de]"  # a language before the command is the default of the command
    assert german.replace(default, " " * len(default)) == said(*start, "--help", "--lang=de")


def test_the_language_before_a_command_is_that_of_the_command() -> None:
    assert "Dieses Rezept gibt es nicht." in said("--lang", "de", "check", "absent.toml")
    assert "there is no such recipe" in said("--lang", "de", "check", "absent.toml", "--lang", "en")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run", "Es fehlt das Argument REZEPT."),
        ("suggest people.csv", "Es fehlt die Option --profile"),
        ("rnu", "Den Befehl „rnu“ gibt es nicht. Meinten Sie 'run'?"),
        ("run a.toml --foo", "Die Option --foo gibt es nicht."),
        ("run a.toml b.toml", "Auf der Befehlszeile steht mehr, als der Befehl braucht: b.toml."),
        ("run a.toml --out", "Die Option --out braucht einen Wert."),
        ("suggest a.csv -p public_use --k 1", "--k"),
        ("suggest a.csv -p public_use --k many", "--k"),
        ("suggest a.csv -p public_use --max-suppressed 2", "--max-suppressed"),
    ],
)
def test_a_wrong_command_line_is_told_in_german(line: str, told: str) -> None:
    german = said("--lang", "de", *line.split())
    assert told in german and "Fehler" in german
    assert english_words(german) == set()
    english = said(*line.split())
    assert english_words(english) != set(), "the next command line speaks English again"


def test_a_language_that_is_not_there_leaves_help_in_english() -> None:
    assert "Usage:" in said("--lang", "fr", "--help")
