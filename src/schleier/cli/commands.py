"""All commands by name: the module of one is imported when it is called, that of a wing not even for ``--help``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer.main
from typer.core import TyperGroup

from schleier.cli.help import around, asked_language, retelling, speak
from schleier.core import registry

if TYPE_CHECKING:
    from schleier.core.registry import Kind

MODULES = {
    "inspect": "inspect",
    "plan": "plan",
    "init": "init",
    "describe": "describe",
    "decide": "decide",
    "advise": "advise",
    "suggest": "suggest",
    "check": "recipes",
    "run": "recipes",
    "report": "recipes",
    "verify": "finished",
    "digest": "finished",
    "hand-over": "finished",
    "replay": "replay",
    "attack": "attack",
    "lab": "lab",
    "key": "key",
    "vault": "vault",
    "reveal": "reveal",
    "world": "example",
    "methods": "catalogue",
    "criteria": "catalogue",
    "measures": "catalogue",
    "attacks": "catalogue",
    "sessions": "catalogue",
    "detectors": "catalogue",
    "services": "catalogue",
}
"""Commands of the house in the order of ``schleier --help``, with the module that adds each to the app."""
RARE: dict[str, Kind] = {"sessions": "session", "detectors": "detector", "services": "service"}
"""Commands that are shown only where a wing brings something to list."""


class Commands(TyperGroup):
    """The commands of the house, and for each wing with a ``cli.py`` one group of commands under its name."""

    lang = "en"
    """The language of help and of errors about the command line."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run a command line, in the language it asks for."""
        from schleier.cli.shared import language_of

        given = sys.argv[1:] if args is None else list(args)
        self.lang = language_of(asked_language(given))
        speak(self, self.lang)
        with around(self.lang):
            return super().main(given, *rest, **extra)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of a command line."""
        with retelling(self.lang):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        with retelling(self.lang):
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        """All names; house commands are imported to tell what they do, wings tell it in their first line."""
        self._load(*dict.fromkeys(MODULES.values()))
        wings = [wing for wing in registry.wings() if (registry.PACKAGE / "extras" / wing / "cli.py").is_file()]
        stand_ins = {wing: speak(Wing(name=wing, help=_first_line(wing)), self.lang) for wing in wings}
        self.commands.update(stand_ins)
        return [name for name in MODULES if name not in RARE or registry.ours(RARE[name])] + wings

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command, with as little imported as it needs."""
        if cmd_name not in self.commands:
            if cmd_name in MODULES:
                self._load(MODULES[cmd_name])
            else:
                self.list_commands(ctx)  # a wing, or a name that is to be told what is near it
        found = self.commands.get(cmd_name)
        if found is not None and not isinstance(found, Wing):
            _plain(found.get_params(ctx))
        return found

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of ``schleier`` itself."""
        return list(_plain(super().get_params(ctx)))

    def _load(self, *modules: str) -> None:
        from schleier.cli.shared import app

        for module in modules:
            import_module(f"schleier.cli.{module}")
        found = typer.main.get_group(app).commands.items()
        self.commands.update({name: speak(command, self.lang) for name, command in found if name not in self.commands})


class Group(TyperGroup):
    """A command of the house with commands of its own."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context, with the language that was said before its name."""
        for command in _every(self):
            _plain(command.params)
        if given := (getattr(parent, "default_map", None) or {}).get(info_name):
            extra["default_map"] = _handed_on(self, given)
        return super().make_context(info_name, args, parent, **extra)


class Wing(TyperGroup):
    """Stands for the commands of a wing until one of them, or their own help, is asked for."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the true group, imported now."""
        group = typer.main.get_group(import_module(f"schleier.extras.{self.name}.cli").app)
        for command in _every(group):
            _plain(command.params)
        above = getattr(parent, "command", None)
        if given := (getattr(parent, "default_map", None) or {}).get(info_name):
            extra["default_map"] = _handed_on(group, given)
        return speak(group, getattr(above, "lang", "en")).make_context(info_name, args, parent, **extra)


def _handed_on(group: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What was said before the name of a wing counts for each of its commands."""
    return given | {name: _handed_on(one, given) for name, one in getattr(group, "commands", {}).items()}


def _every(group: Any) -> Iterator[Any]:
    """A command and all commands inside it."""
    yield group
    for inner in getattr(group, "commands", {}).values():
        yield from _every(inner)


def _plain(params: Sequence[Any]) -> Sequence[Any]:
    """Options that are switches, shown without the type of a value: they take none."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


def _first_line(wing: str) -> str:
    """What a wing's commands are about: its ``cli.py`` begins with a docstring of one sentence, read without import."""
    with (registry.PACKAGE / "extras" / wing / "cli.py").open(encoding="utf-8") as file:
        return file.readline().strip().strip('"')
