"""The help of the commands, and what is wrong with a command line, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import typer

from schleier.cli.phrases import Phrases

UsageError: Any = typer.BadParameter.__base__
"""What is raised about a command line; where its class is defined differs between versions of the library."""
CONSTANTS = (
    "DEPRECATED_STRING",
    "DEFAULT_STRING",
    "ENVVAR_STRING",
    "REQUIRED_LONG_STRING",
    "ARGUMENTS_PANEL_TITLE",
    "OPTIONS_PANEL_TITLE",
    "COMMANDS_PANEL_TITLE",
    "ERRORS_PANEL_TITLE",
    "ABORTED_TEXT",
    "RICH_HELP",
)
"""Names under which the library keeps the words around help and errors."""


def asked_language(args: Sequence[str]) -> str | None:
    """The language that a command line asks for, before it is understood.

    >>> asked_language(["run", "--help", "--lang", "de"]), asked_language(["--lang=en", "run"]), asked_language(["run"])
    ('de', 'en', None)
    """
    before = list(args[: args.index("--")] if "--" in args else args)
    for place, word in enumerate(before):
        if word == "--lang" and place + 1 < len(before):
            return before[place + 1]
        if word.startswith("--lang="):
            return word.removeprefix("--lang=")
    return None


def speak(command: Any, lang: str) -> Any:
    """A command, or a group of them, whose help is in a language; English, and a language that is not there, stays."""
    if not (words := _words(lang)):
        return command
    for holder in (command, *command.params):
        for name in ("help", "short_help", "metavar", "options_metavar", "subcommand_metavar"):
            if text := getattr(holder, name, None):
                setattr(holder, name, words.get(" ".join(text.split()), text))
    for inner in getattr(command, "commands", {}).values():
        speak(inner, lang)
    command.get_help_option = partial(_help_option, command.get_help_option, words)
    usage = words["Usage: "]
    command.context_class = type("Context", (command.context_class,), {"formatter_class": _formatter(command, usage)})
    return command


@contextmanager
def around(lang: str) -> Iterator[None]:
    """The words of the library around help and errors, in a language for as long as this lasts."""
    words = _words(lang)
    if not words:
        yield
        return
    from typer import rich_utils

    before = {name: getattr(rich_utils, name) for name in CONSTANTS if hasattr(rich_utils, name)}
    vars(rich_utils).update({name: words.get(text, text) for name, text in before.items()})
    try:
        yield
    finally:
        vars(rich_utils).update(before)


@contextmanager
def retelling(lang: str) -> Iterator[None]:
    """What is wrong with a command line, said in a language."""
    try:
        yield
    except UsageError as error:
        if _words(lang) and type(error).__name__ != "NoArgsIsHelpError":  # this one is no error, but help
            error.format_message = partial(_retold, error.format_message(), lang)
        raise


def _retold(message: str, lang: str) -> str:
    phrases = Phrases(_words(lang))

    def fill(text: str) -> str:
        return phrases.tell(text) or text.replace("' / '", " / ")

    return phrases.tell(message, fill) or message


def _help_option(made: Any, words: dict[str, str], ctx: Any) -> Any:
    option = made(ctx)
    if option is not None:
        option.help = words.get(option.help, option.help)
    return option


def _formatter(command: Any, usage: str) -> type:
    above = command.context_class.formatter_class

    def write_usage(self: Any, prog: str, args: str = "", prefix: str | None = None) -> None:
        above.write_usage(self, prog, args, usage if prefix is None else prefix)

    return type("Formatter", (above,), {"write_usage": write_usage})


@cache
def _words(lang: str) -> dict[str, str]:
    """Every text in a language by its English one, those of wings too; none in English."""
    if lang == "en":
        return {}
    import tomllib

    own = Path(__file__).with_suffix(".toml")
    files = [*sorted(own.parents[1].glob(f"extras/*/{own.name}")), own]  # what the house says nobody says differently
    told = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return {english: texts[lang] for part in told for english, texts in part.items() if lang in texts}
